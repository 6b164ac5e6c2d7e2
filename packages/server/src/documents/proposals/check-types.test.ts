import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  findNearType,
  findSwappedDecimal,
  findSwappedFormat,
  type ProposedField,
} from '@querent/contract/proposal'
import { createTypeCheck } from './check-types.ts'
import { propose } from './propose.ts'
import { readSample } from './read-sample.ts'

const proposeTable = async (text: string) => {
  const sample = await readSample(Buffer.from(text), 'csv', false)
  return typeof sample === 'string' ? assert.fail(sample) : propose('orders', sample)
}

/** Proposes by the first rows, and checks the types with all. Returns the field. */
const checkField = async (first: readonly string[], later: readonly string[]): Promise<ProposedField> => {
  const rows = first.map((value, index) => `${index},Order ${index} of May,"${value}"`)
  const proposal = await proposeTable(`id,name,value\n${rows.join('\n')}\n`)
  const { watch, finish } = createTypeCheck(proposal, true)
  const documents = async function* () {
    yield [...first, ...later].map(value => ({ value }))
  }
  for await (const _ of watch(documents()));
  return finish(proposal).fields.find(({ name }) => name === 'value') ?? assert.fail()
}

const numbers = Array.from({ length: 40 }, (_, index) => String(index * 1.5 + 0.25))

test('a number, date or boolean of the sample that later values are not is a text, with its reason', async () => {
  const field = await checkField(numbers, ['7.5', '', 'NA', 'about 3', '8.5'])
  assert.deepEqual([field.type, field.range, field.sort], ['text', false, false])
  assert.deepEqual(findNearType(field)?.rejected, ['about 3'])
  assert.equal((await checkField(numbers, ['7.5', '', 'NA'])).type, 'number')
  assert.equal((await checkField(['true', 'false', 'true'], ['maybe'])).type, 'text')
})

test('later values tell the order of day and month; otherwise the other order is offered', async () => {
  const days = ['03/04/2024', '05/06/2024', '07/08/2024', '09/10/2024']
  const dayFirst = await checkField(days, ['25/12/2024'])
  assert.deepEqual([dayFirst.formats, findSwappedFormat(dayFirst)], [['dd/MM/yyyy'], undefined])
  const american = await checkField(days, ['12/25/2024'])
  assert.deepEqual([american.formats, findSwappedFormat(american)], [['MM/dd/yyyy'], undefined])
  const open = await checkField(days, ['01/02/2024'])
  assert.deepEqual([open.formats, findSwappedFormat(open)], [['MM/dd/yyyy'], 'dd/MM/yyyy'])
})

test('beside decimal commas the day comes first', async () => {
  const rows = Array.from(
    { length: 9 },
    (_, index) => `${index};Order ${index};0${index + 1}/02/2024;1${index},5`,
  )
  const { fields } = await proposeTable(`id;name;day;price\n${rows.join('\n')}\n`)
  assert.deepEqual(fields.find(({ name }) => name === 'day')?.formats, ['dd/MM/yyyy'])
})

test('later values tell the decimal sign; otherwise the other sign is offered', async () => {
  const checkWeights = async (...later: string[]) => {
    const field = await checkField(['59.663', '96.171', '92.615', '110.922'], later)
    return [field.type, field.decimal, findSwappedDecimal(field)]
  }
  assert.deepEqual(await checkWeights('1.234.567'), ['number', ',', undefined])
  assert.deepEqual(await checkWeights('12.345'), ['number', undefined, ','])
  const field = await checkField(['59,663', '96,171', '92,615', '110,922'], ['0,107', '0,5'])
  assert.deepEqual([field.type, field.decimal, findSwappedDecimal(field)], ['number', ',', undefined])
})
