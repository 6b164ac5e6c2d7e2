import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSwappedDecimal, proposedCollection } from '@querent/contract/proposal'
import { writeProposal } from '@querent/contract/proposal-text'
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
    { name: 'MwSt', isWritten: true, distinct: new Map([['19%', 1]]) },
    { name: 'Preis', isWritten: true, distinct: new Map([['1,5', 2]]) },
  ]
  // Only what the rule reads of a field and a column.
  const [field] = inheritDecimal([rates, prices] as never, columns as never, 'general')
  assert.equal(field?.decimal, ',')
  assert.deepEqual(field?.fits, [{ ...fit, decimal: ',' }])
})

/** Proposes for a file whose `Preis` has decimal commas. */
const proposeStock = async (stock: readonly string[], prices: readonly string[]) =>
  proposeFor([
    ['Nr', 'Name', 'Bestand', 'Preis'],
    ...stock.map((count, index) => [
      `${index + 1}`,
      `Topf ${'abcdefghij'[index]}`,
      count,
      prices[index] ?? '',
    ]),
  ])

test('numbers that either sign reads have the decimal comma of the file', async () => {
  const prices = ['9,90', '4,50', '19,00', '1,20']
  for (const stock of [
    ['1.200', '35', '2.050', '800'],
    ['1.200', '1.350', '2.050', '3.800'],
    ['35', '50', '120', '1.800'],
    ['7,000 %', '19,000 %', '7,000 %', '19,000 %'],
    ['1.200', '-', '', '800'],
  ])
    assert.deepEqual(
      (await proposeStock(stock, prices)).Bestand,
      { type: 'number', decimal: ',' },
      `${stock}`,
    )
  // A price that is no number does not hide the sign of the others.
  const fortyPrices = [...Array.from({ length: 39 }, (_, index) => `${index},90`), 'auf Anfrage']
  const stocks = fortyPrices.map((_, index) => (index % 2 ? '1.200' : `${index}`))
  assert.deepEqual((await proposeStock(stocks, fortyPrices)).Bestand, { type: 'number', decimal: ',' })
  assert.deepEqual((await proposeStock(['0.500', '1.200', '2.050', '3.800'], prices)).Bestand, {
    type: 'number',
  })
})

test('coordinates have points beside decimal commas', async () => {
  const { Bestand } = await proposeFor([
    ['Nr', 'Name', 'Bestand', 'Preis', 'lat', 'lon'],
    ['1', 'Teller', '1.200', '9,90', '48.13', '11.57'],
    ['2', 'Tasse', '35', '4,50', '52.52', '13.40'],
    ['3', 'Topf', '800', '19,00', '53.55', '9.99'],
  ])
  assert.deepEqual(Bestand, { type: 'number', decimal: ',' })
})

test('texts of JSON have the sign of the other texts, and its numbers have points', async () => {
  const rows = [
    { id: 'a', name: 'Teller', stock: '1.200', price: '9,90', score: 1.234 },
    { id: 'b', name: 'Tasse', stock: '2.050', price: '4,50', score: 5.678 },
  ]
  const sample = await readSample(Buffer.from(JSON.stringify(rows)), 'json', false)
  if (typeof sample === 'string') return assert.fail(sample)
  const { stock, score } = proposedCollection(propose('lamps', sample)).fields ?? {}
  assert.deepEqual([stock, score], [{ type: 'number', decimal: ',' }, { type: 'number' }])
})

test('numbers that either sign reads ask which one it is', async () => {
  const readField = async (rows: string) => {
    const sample = await readSample(Buffer.from(rows), 'csv', false)
    if (typeof sample === 'string') return assert.fail(sample)
    const proposal = propose('lamps', sample)
    const field = proposal.fields.find(({ name }) => name === 'Bestand')
    return { swapped: field && findSwappedDecimal(field), text: writeProposal('w', proposal, 'a.csv') }
  }
  const alone = await readField('Nr;Name;Bestand\n1;Teller;1.200\n2;Tasse;35\n3;Topf;800\n')
  assert.equal(alone.swapped, ',')
  assert.match(alone.text, /Bestand: \{ type: number \} # .*decimal: "," too/)
  const inherited = await readField('Nr;Name;Bestand;Preis\n1;Teller;1.200;9,90\n2;Tasse;35;4,50\n')
  assert.equal(inherited.swapped, '.')
  const wholeNumbers = await readField('Nr;Name;Bestand\n1;Teller;1 200\n2;Tasse;35\n3;Topf;800\n')
  assert.equal(wholeNumbers.swapped, undefined)
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
  assert.deepEqual(inheritDecimal([], [], 'german'), [])
})

test('a number below 1 tells the comma of decimals with three digits', async () => {
  const proposeWeights = async (weights: readonly string[], heading = 'Gewicht kg') => {
    const rows = weights.map(
      (weight, index) => `0030-${1000 + index}/A;Wälzlager DN${index} aus Stahl;${weight}`,
    )
    const sample = await readSample(
      Buffer.from(`Nr;Bezeichnung;${heading}\n${rows.join('\n')}\n`),
      'csv',
      false,
    )
    if (typeof sample === 'string') return assert.fail(sample)
    return proposedCollection(propose('parts', sample)).fields?.[heading]
  }
  const comma = { type: 'number', decimal: ',' }
  assert.deepEqual(await proposeWeights(['59,663', '0,107', '96,171', '110,922']), comma)
  assert.deepEqual(await proposeWeights(['0,107', '0,250', '0,999', '0,500']), comma)
  assert.deepEqual(await proposeWeights(['-0,107', '1,013', '2,050', '3,100']), comma)
  assert.deepEqual(await proposeWeights(['0,107 %', '1,013 %', '2,050 %', '3,100 %']), comma)
  assert.deepEqual(await proposeWeights(['59,663', '0,5', '1.059,663', '12']), comma)
  assert.deepEqual(await proposeWeights(['59.663', '0.107', '0.5', '96.171']), { type: 'number' })
  assert.deepEqual(await proposeWeights(['59,663', '1,107', '12', '96,171']), {
    type: 'number',
    decimal: '.',
  })
})

test('a text that becomes a number has the comma of its values', async () => {
  const weights = Array.from({ length: 40 }, (_, index) =>
    index < 2 ? 'auf Anfrage' : index % 3 ? `${index},663` : `0,${100 + index}`,
  )
  const rows = weights.map((weight, index) => `${index};Lager ${index};${weight}`)
  const sample = await readSample(Buffer.from(`Nr;Name;Gewicht\n${rows.join('\n')}\n`), 'csv', false)
  if (typeof sample === 'string') return assert.fail(sample)
  const field = propose('parts', sample).fields.find(({ name }) => name === 'Gewicht')
  const fit = field?.fits.find(({ type }) => type === 'number')
  assert.deepEqual(
    [field?.type, fit?.decimal, fit?.fitting, fit?.rejected],
    ['text', ',', 38, ['auf Anfrage']],
  )
})
