/** Curation: documents that a workspace puts first or last for a text (docs/describe-your-search.md, Curation). */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { bookUri, makeLibrary, workspaceFile } from '#tests/support/library'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

/** Documents with both words of `golden mirror`. */
const bestBuried = ['b001', 'b041', 'b081', 'b121', 'b161']
/** The titles of b004 and b005 have neither word, and that of b001 has one. */
const curation = `
    curation:
      - { when: { query: "  Golden\tRIVER " }, endpoint: search, pin: ["${bookUri('b005')}", b004, missing], bury: [b001] }
      - { when: { query: golden mirror }, endpoint: search, bury: [${bestBuried.join(', ')}] }
  open:`
const file = (workspace: string) =>
  workspaceFile(workspace)
    .replace('      year:', '      by-title: { kind: sort, field: title }\n      year:')
    .replace('\n  open:', curation)
    .concat('systemToSystem:\n  drama-only: { roles: [api], filter: { genre: drama } }\n')

let server: StartedServer
let get: (path: string) => Promise<Response>
let getFiltered: (path: string) => Promise<Response>
before(async () => {
  server = await startServer()
  const library = await makeLibrary(server)
  const dramaOnly = await server.createAccount(library.workspace, 'drama-only', 'api')
  const folder = await mkdtemp(join(tmpdir(), 'querent-curation-'))
  try {
    await writeFile(join(folder, 'library.yaml'), file(library.workspace))
    const applied = await server.applyFile(join(folder, 'library.yaml'))
    assert.deepEqual(applied.warnings, [])
  } finally {
    await rm(folder, { recursive: true })
  }
  get = library.get
  const token = await fetchToken(server, dramaOnly)
  getFiltered = path =>
    fetch(`${server.baseUrl}/4/${library.workspace}/api/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    })
})
after(() => server.stop())

interface Item {
  rank: number
  probability: number
  tuple: [{ id: string; attributes: { title: string; genre: string[] } }]
}
const json = async <T>(path: string, from = get): Promise<T> => {
  const reply = await from(`library/${path}`)
  const text = await reply.text()
  assert.equal(reply.status, 200, `${path}: ${text}`)
  return JSON.parse(text) as T
}
const items = async (path: string, from = get) => (await json<{ items: Item[] }>(path, from)).items
const ids = (results: readonly Item[]) => results.map(({ tuple }) => tuple[0].id)
const curated = 'e/search/p/query/golden%20river'
/** A different text that finds the same words. */
const plain = 'e/search/p/query/river%20golden'

test('pinned documents come first in their order, even without the words, and buried ones last', async () => {
  for (const query of ['golden%20river', 'GOLDEN%20%20river%20']) {
    const curatedIds = ids(await items(`e/search/p/query/${query}/results?count=100`))
    assert.deepEqual(curatedIds.slice(0, 2), [bookUri('b005'), bookUri('b004')], query)
    assert.equal(curatedIds.at(-1), bookUri('b001'))
    const plainIds = ids(await items(`${plain}/results?count=100`))
    assert.ok(plainIds.includes(bookUri('b001')) && !plainIds.includes(bookUri('b004')))
    assert.deepEqual(
      curatedIds.slice(2, -1),
      plainIds.filter(id => id !== bookUri('b001')),
    )
  }
})

test('probabilities fall from 1, and those of other documents equal those without curation', async () => {
  const curatedItems = await items(`${curated}/results?count=100`)
  const plainItemById = new Map(
    (await items(`${plain}/results?count=100`)).map(item => [item.tuple[0].id, item]),
  )
  for (const [index, { rank, probability, tuple }] of curatedItems.entries()) {
    assert.equal(rank, index + 1)
    assert.ok(probability > 0 && probability <= (curatedItems[index - 1]?.probability ?? 1))
    if (index >= 2 && index < curatedItems.length - 1)
      assert.equal(probability, plainItemById.get(tuple[0].id)?.probability)
  }
  assert.deepEqual(
    curatedItems.slice(0, 2).map(({ probability }) => probability),
    [1, 1],
  )
})

test('if the best documents are buried, probabilities are relative to the best other document, with the same ratios', async () => {
  const curatedItems = await items('e/search/p/query/golden%20mirror/results?count=100')
  const plainItems = (await items('e/search/p/query/mirror%20golden/results?count=100')).slice(
    bestBuried.length,
  )
  assert.deepEqual(
    ids(curatedItems.slice(-bestBuried.length)),
    bestBuried.map(bookUri),
    'all that have both words',
  )
  assert.deepEqual(ids(curatedItems.slice(0, plainItems.length)), ids(plainItems))
  const best = plainItems[0]?.probability ?? assert.fail()
  assert.ok(best < 1)
  for (const [index, { probability }] of plainItems.entries())
    assert.ok(Math.abs((curatedItems[index]?.probability ?? 0) - probability / best) < 1e-6, `${index}`)
})

test('a row filter and the other filters of the stack hide pinned documents', async () => {
  const filteredItems = await items(`${curated}/results?count=100`, getFiltered)
  const drama = await items(`${curated}/e/genre:FILTER/p/value/drama/results?count=100`)
  assert.ok(drama.length > 0 && drama.every(({ tuple }) => tuple[0].attributes.genre.includes('drama')))
  assert.deepEqual(filteredItems, drama)
  assert.deepEqual(ids(await items(`e/genre:FILTER/p/value/drama/${curated}/results?count=100`)), ids(drama))
  const allItems = await items(`${curated}/results?count=100`)
  const pinned = allItems.slice(0, 2).filter(({ tuple }) => tuple[0].attributes.genre.includes('drama'))
  assert.equal(pinned.length, 1)
  assert.deepEqual(ids(drama).slice(0, 1), ids(pinned))
})

test('count, statistics, facets and pages agree with a curated result', async () => {
  const allItems = await items(`${curated}/results?count=100`)
  const { total } = await json<{ total: number }>(`${curated}/count`)
  const statistics = await json<{ total: number; stats: { numResults: number }[] }>(`${curated}/statistics`)
  assert.deepEqual(
    [total, statistics.total, statistics.stats.at(-1)?.numResults],
    Array(3).fill(allItems.length),
  )
  const paged: Item[] = []
  for (let offset = 0; offset < total; offset += 3)
    paged.push(...(await items(`${curated}/results?count=3&offset=${offset}`)))
  assert.deepEqual(paged, allItems)
  const { options } = await json<{ options: { value: string; count: number }[] }>(`${curated}/options/genre`)
  for (const { value, count } of options) {
    const narrowed = `${curated}/e/genre:FILTER/p/value/${encodeURIComponent(value)}`
    assert.equal((await json<{ total: number }>(`${narrowed}/count`)).total, count, value)
  }
})

test('a sort decides the order of a curated result, and finds the same documents', async () => {
  const sorted = await items(`${curated}/e/by-title/results?count=100`)
  const titles = sorted.map(({ tuple }) => tuple[0].attributes.title.toLowerCase())
  assert.deepEqual(titles, titles.toSorted())
  assert.deepEqual(ids(sorted).toSorted(), ids(await items(`${curated}/results?count=100`)).toSorted())
})
