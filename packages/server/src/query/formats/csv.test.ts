import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { writeCsv } from './csv.ts'
import type { Page } from './page.ts'

const page = (attributes: Record<string, unknown>): Page => ({
  offset: 0,
  count: 1,
  items: [{ rank: 1, probability: 1, entity: { id: 'a', class: [], attributes }, highlights: {} }],
  statistics: undefined,
  fields: new Map(),
  language: undefined,
  attributes: undefined,
  vocabulary: 'https://example.org/v#',
  idBase: 'https://example.org/i#',
})

test('no blank, line break or invisible character hides a formula, nor does a name', async () => {
  const cells = {
    lf: '\n=1',
    blank: ' =1',
    nul: '\0=1',
    nbsp: '\u00a0=1',
    bom: '\ufeff=1',
    cr: '\r@x',
    '\n=2': 1,
  }
  const [header = [], row = []]: string[][] = parse(await writeCsv(page(cells)), { relax_column_count: true })
  assert.deepEqual(header.slice(4), ['lf', 'blank', 'nul', 'nbsp', 'bom', 'cr', "'\n=2"])
  assert.deepEqual(row.slice(4), ["'\n=1", "' =1", "'\0=1", "'\u00a0=1", "'\ufeff=1", "'\r@x", '1'])
})

test('a line break of any kind stays inside its cell', async () => {
  for (const text of ['a\n=1', 'a\r=1', 'a\r\n=1']) {
    const csv = await writeCsv(page({ text }))
    assert.ok(csv.endsWith(`,"${text}"\r\n`), JSON.stringify(csv))
  }
})

test('numbers and places are no formulas', async () => {
  const csv = await writeCsv(page({ number: -1.5, place: { lat: -33.9, lon: 18.4 } }))
  assert.match(csv, /,-1\.5,/)
})
