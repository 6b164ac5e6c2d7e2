import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proposedCollection } from '@querent/contract/proposal'
import { inheritDecimal } from './inherit-decimal.ts'
import { propose } from './propose.ts'
import { readSample } from './read-sample.ts'

const proposeFor = async (rows: readonly (readonly string[])[]) => {
  const text = rows.map(row => `${row.join(';')}\n`).join('')
  const sample = await readSample(Buffer.from(text), 'csv', false)
  return typeof sample === 'string'
    ? assert.fail(sample)
    : (proposedCollection(propose('lamps', sample)).fields ?? {})
}
const makeRows = (price: (index: number) => string) => [
  ['Nr', 'Name', 'Preis', 'MwSt', 'Bestand'],
  ...Array.from({ length: 30 }, (_, index) => [
    `${index + 1}`,
    `Lampe ${index} aus Holz`,
    price(index),
    index % 3 ? '19%' : '7%',
    `${index * 7}`,
  ]),
]

test('columns of whole numbers have the decimal comma of the other columns', async () => {
  const { Preis, MwSt, Bestand } = await proposeFor(makeRows(index => `${index},${10 + index}`))
  assert.deepEqual(
    [Preis, MwSt, Bestand],
    [
      { type: 'number', decimal: ',' },
      { type: 'number', decimal: ',' },
      { type: 'number', decimal: ',' },
    ],
  )
})

test('the check of an inherited comma finds no value that does not fit', () => {
  const fit = { type: 'number', plain: 0, fitting: 2, decimal: '.' } as const
  const rates = { name: 'MwSt', type: 'number', values: 2, decimal: '.', fits: [fit] }
  const prices = { name: 'Preis', type: 'number', values: 2, decimal: ',', fits: [] }
  const columns = [
    { name: 'MwSt', distinct: new Map([['19%', 1]]) },
    { name: 'Preis', distinct: new Map([['1,5', 2]]) },
  ]
  // Only what the rule reads of a field and a column.
  const [field] = inheritDecimal([rates, prices] as never, columns as never, undefined)
  assert.equal(field?.decimal, ',')
  assert.deepEqual(field?.fits, [{ ...fit, decimal: ',' }])
})

test('a file with points, with both signs or with whole numbers alone has no sign to inherit', async () => {
  const points = await proposeFor(makeRows(index => `${index}.${10 + index}`))
  assert.deepEqual(points.Bestand, { type: 'number' })
  const wholeNumbers = await proposeFor(makeRows(index => `${index}`))
  assert.deepEqual(wholeNumbers.Bestand, { type: 'number' })
  const bothSigns = makeRows(index => `${index},${10 + index}`).map((row, index) => [
    ...row,
    index === 0 ? 'Gewicht' : `${index}.5`,
  ])
  assert.deepEqual((await proposeFor(bothSigns)).Bestand, { type: 'number' })
  assert.deepEqual(inheritDecimal([], [], undefined), [])
})
