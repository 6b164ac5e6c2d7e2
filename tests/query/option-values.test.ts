/** Each option of a facet finds its documents when an existing client writes it as `1(<value>)` (query-service.md, Filter values). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { anyText } from '@querent/contract/test-texts'
import fc from 'fast-check'
import { type StartedServer, startServer } from '#tests/support/started-server'

interface Item {
  id: string
  tag?: string | string[]
  size?: number | number[]
  added?: string
  flag?: boolean
}

const seed = 37
const oddTags = [
  'Greek, islands',
  'Smith, John,',
  'Rock (UK)',
  '7" single',
  '7” single',
  '"a"',
  '"a',
  'a"',
  'x,"y',
  'y"',
  'a, "b" c',
  '\\',
  '\\"',
  'a\\',
  '\\(a\\)',
  'a|b',
  '|',
  ')',
  '(',
  '()',
  ')(',
  'x)',
  'x) | 1(y',
  '1(x)',
  '0(x)',
  'f(x)',
  ',',
  'a,',
  ',a',
  ' ',
  ' a',
  'a ',
  '\ta\n',
  '\u00a0a\u00a0',
  '~',
  'a~2',
  '-a',
  '-',
  '*',
  'a*',
  '?',
  'null',
  'undefined',
  'true',
  '1',
  '1.0',
  '01',
  '1e3',
  '2020-01-01',
  '..',
  '1..2',
  '%',
  '%20',
  '%2F',
  'a/b',
  '/',
  '.',
  'a+b',
  'a&b=c#d?e',
  '[a TO b]',
  '{!term}',
  'a:b',
  '$[0]',
  '<b>',
  'é',
  'e\u0301',
  'É',
  'ß',
  'İstanbul',
  'ı',
  '日本語',
  'שלום',
  '👩🏽‍⚕️',
  '\u200b',
  '\u00ad',
  'a\u200cb',
  '\u0001',
  '\ufeff',
  '\uffff',
  'x'.repeat(2_000),
  `${'ü, '.repeat(300)}(`,
]
const pieces = fc.constantFrom('1', '0.5', '(', ')', '|', ',', '"', '\\', 'a', ' ', '\n', '>', '..', 'é')
const tags = [
  ...oddTags,
  ...fc
    .sample(
      fc.oneof(
        anyText(),
        fc.string({ unit: 'grapheme' }),
        fc.array(pieces, { maxLength: 8 }).map(parts => parts.join('')),
      ),
      { numRuns: 120, seed },
    )
    .filter(tag => tag !== '' && tag.isWellFormed()),
]
const items: Item[] = [
  ...[...new Set(tags)].map((tag, index) => ({
    id: `t${index}`,
    tag: index % 3 === 0 ? [tag, 'shared'] : tag,
  })),
  ...[0, -0.5, 3, 1e21, 1e-7, 0.1, 9_007_199_254_740_991, -40].map((size, index) => ({
    id: `n${index}`,
    size,
  })),
  ...['2020-01-01', '1969-07-20T20:17:40Z', '2031-12-31T12:00:00.25+05:30', '0001-01-01'].map(
    (added, index) => ({ id: `d${index}`, added }),
  ),
  { id: 'f0', flag: true },
  { id: 'f1', flag: false, size: [1, 2] },
]

const definition = {
  workspace: 'options',
  collections: {
    items: {
      fields: {
        tag: { type: 'keyword' },
        size: { type: 'number' },
        added: { type: 'date' },
        flag: { type: 'boolean' },
      },
    },
  },
  apis: {
    main: {
      access: 'public',
      endpoints: {
        all: { kind: 'all', collection: 'items' },
        tag: { kind: 'facet', field: 'tag' },
        tagless: { kind: 'facet', field: 'tag', missing: true },
        tree: { kind: 'facet', field: 'tag', separator: '>' },
        size: { kind: 'facet', field: 'size', missing: true },
        steps: { kind: 'facet', field: 'size', interval: 0.1 },
        ranges: { kind: 'facet', field: 'size', ranges: [{ to: 1 }, { from: 1, to: 3 }, { from: 3 }] },
        added: { kind: 'facet', field: 'added', missing: true },
        months: { kind: 'facet', field: 'added', interval: 'month', timeZone: 'Europe/Amsterdam' },
        hours: { kind: 'facet', field: 'added', interval: 'hour' },
        flag: { kind: 'facet', field: 'flag', missing: true },
        either: { kind: 'any', of: ['tag:FILTER'] },
        columns: { kind: 'facet', field: 'tag', columns: ['OBJ', 'DOUBLE'] },
      },
    },
  },
}

let server: StartedServer
before(async () => {
  server = await startServer([], { QUERENT_PATH_VERSIONS: '1,2' })
  await server.applyWorkspace(JSON.stringify(definition))
  await server.importDocuments('options', 'items', items)
})
after(() => server.stop())

interface Option {
  value: string
  count: number
}
const listOptions = async (path: string): Promise<Option[]> => {
  const response = await fetch(`${server.baseUrl}/4/options/api/main/${path}?count=1000`)
  assert.equal(response.status, 200, path)
  // The JSON reply of `options`.
  return ((await response.json()) as { options: Option[] }).options
}

/** Returns the total of each request, in batches. */
const countEach = async (requests: readonly string[], version = '4'): Promise<number[]> => {
  const totals: number[] = []
  for (let start = 0; start < requests.length; start += 20) {
    const response = await fetch(`${server.baseUrl}/${version}/options/api/main/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ requests: requests.slice(start, start + 20) }),
    })
    assert.equal(response.status, 200, await response.clone().text())
    // The JSON reply of `batch`.
    const { responses } = (await response.json()) as {
      responses: { status: number; body: { total: number } }[]
    }
    for (const [index, { status, body }] of responses.entries()) {
      assert.equal(status, 200, `${requests[start + index]}: ${JSON.stringify(body)}`)
      totals.push(body.total)
    }
  }
  return totals
}

/** The two cases that need quotes in a list (query-service.md, Filter values). */
const needsQuotes = (value: string): boolean => /\)\|[0-9.]+\(/.test(value)

const facets = ['tag', 'tagless', 'tree', 'size', 'steps', 'ranges', 'added', 'months', 'hours', 'flag']
for (const facet of facets)
  test(`each option of ${facet} finds its documents as 1(<value>)`, async () => {
    const options = await listOptions(`e/all/options/${facet}`)
    assert.ok(options.length > 0)
    const plainValue = options.find(({ value }) => /^[^"()|,]*$/.test(value))?.value
    const forms = options.flatMap(({ value, count }) => {
      const quoted = `1("${value.replaceAll(/["\\]/g, '\\$&')}")`
      const texts = needsQuotes(value)
        ? [quoted]
        : [
            `1(${value})`,
            quoted,
            ...(value.startsWith('"')
              ? []
              : [`1(${value})|1(${plainValue})`, `0.5(${plainValue})|1(${value})`]),
          ]
      return texts.map(text => ({ text, count }))
    })
    const paths: ((text: string) => string)[] = [
      text => `e/all/e/${facet}:FILTER/p/value/${text}/count`,
      text => `endpoint/all/endpoint/${facet}%3AFILTER/parameter/value/${text}/count`,
      text => `c/value/${text}/e/all/e/${facet}:FILTER/count`,
    ]
    for (const [place, path] of paths.entries()) {
      const chosenForms = forms.filter((_, index) => place === 0 || index % 5 === place)
      const requests = chosenForms.map(({ text }) => path(encodeURIComponent(text)))
      const totals = await countEach(requests, place === 0 ? '4' : '1')
      for (const [index, { text, count }] of chosenForms.entries())
        assert.ok((totals[index] ?? 0) >= count, `${text} finds ${totals[index]} of ${count}`)
    }
  })

test('each option finds its documents as a part of a union, and as an item with columns', async () => {
  const options = (await listOptions('e/all/options/tag')).filter(({ value }) => !needsQuotes(value))
  const totals = await countEach(
    options.map(({ value }) => `e/all/e/either/p/value/${encodeURIComponent(`1(${value})`)}/count`),
  )
  for (const [index, { value, count }] of options.entries())
    assert.ok((totals[index] ?? 0) >= count, `${value} finds ${totals[index]} of ${count}`)
  const response = await fetch(`${server.baseUrl}/1/options/api/main/e/all/e/columns/results?count=1000`)
  // The JSON reply of `results` with columns.
  const { type, items: rows } = (await response.json()) as {
    type: string[]
    items: { tuple: [{ id: string }, number] }[]
  }
  assert.deepEqual(type, ['OBJ', 'DOUBLE'])
  const counts = await countEach(
    rows.map(({ tuple: [{ id }] }) => `e/all/e/tag:FILTER/p/value/${encodeURIComponent(id)}/count`),
  )
  for (const [index, { tuple }] of rows.entries())
    assert.ok((counts[index] ?? 0) >= tuple[1], `${tuple[0].id} finds ${counts[index]} of ${tuple[1]}`)
})
