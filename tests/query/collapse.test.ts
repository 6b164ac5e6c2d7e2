/** Results with one item per value over HTTP (docs/describe-your-search.md, collapse). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type StartedServer, startServer } from '#tests/support/started-server'

const offers = [
  { id: 'a', name: 'red shoe shoe', product: 'shoe', shop: 'north', price: 30 },
  { id: 'b', name: 'shoe', product: ['shoe', 'boot'], shop: 'south', price: 10 },
  { id: 'c', name: 'brown shoe for rain and snow', product: 'boot', shop: 'north', price: 20 },
  { id: 'd', name: 'shoe lace', shop: 'south', price: 1 },
  { id: 'e', name: 'hat', product: ['', 'hat'], shop: 'west', price: 5 },
]
const workspaceFile = `
workspace: offers
collections:
  offers:
    id: { field: id, uri: "https://offers.example/{id}" }
    fields:
      name: { type: text }
      product: { type: keyword }
      shop: { type: keyword }
      price: { type: number }
apis:
  shop:
    access: public
    endpoints:
      search: { kind: match, collection: offers }
      all: { kind: all, collection: offers }
      one: { kind: collapse, field: product }
      three: { kind: collapse, field: product, best: 3 }
      cheapest: { kind: sort, field: price }
      cheap: { kind: boost, field: price, by: log }
      under: { kind: range, field: price }
      shop: { kind: facet, field: shop }
      products-in-shop: { kind: facet, field: shop, counts: collapsed }
`

let server: StartedServer
before(async () => {
  server = await startServer()
  await server.applyWorkspace(workspaceFile)
  await server.importDocuments('offers', 'offers', offers)
})
after(() => server.stop())

const send = (path: string) => fetch(`${server.baseUrl}/4/offers/api/shop/${path}`)
const get = async <T>(path: string): Promise<T> => {
  const reply = await send(path)
  assert.equal(reply.status, 200, path)
  return (await reply.json()) as T
}
const failure = async (path: string) => {
  const reply = await send(path)
  return [reply.status, ((await reply.json()) as { code: string }).code]
}

interface Entity {
  id: string
  attributes: Record<string, unknown>
}
interface Page {
  items: {
    rank: number
    probability: number
    tuple: [Entity]
    collapsed: { value: string | null; count: number; others: Entity[] }
  }[]
  next?: string | null
}
const shorten = (id: string): string => id.replace('https://offers.example/', '')
const show = ({ items }: Page) =>
  items.map(({ tuple: [{ id }], collapsed: { value, count, others } }) => [
    shorten(id),
    value,
    count,
    others.map(other => shorten(other.id)),
  ])

test('each value has its best document, the number of its documents, and further ones', async () => {
  assert.deepEqual(show(await get<Page>('e/all/e/cheapest/e/three/results')), [
    ['d', null, 1, []],
    ['e', 'hat', 1, []],
    ['b', 'shoe', 2, ['a']],
    ['c', 'boot', 1, []],
  ])
  assert.deepEqual(show(await get<Page>('e/all/e/one/e/cheapest/results?count=1&offset=2')), [
    ['b', 'shoe', 2, []],
  ])
  // A filter works before, wherever it stands.
  for (const path of [
    'e/all/e/under/p/from/15/e/three',
    'e/all/e/three/e/under/p/from/15',
    'e/three/e/under/p/from/15',
  ])
    assert.deepEqual(show(await get<Page>(`${path}/results`)), [
      ['a', 'shoe', 1, []],
      ['c', 'boot', 1, []],
    ])
})

test('counts, statistics, ranks and cursors count values', async () => {
  const [page, statistics] = await get<
    [Page, { total: number; stats: { cutoff: string; numResults: number }[] }]
  >('e/search/p/query/shoe/e/one/results,count')
  assert.equal(statistics.total, 3)
  for (const { cutoff, numResults } of statistics.stats) {
    assert.equal(numResults, page.items.filter(({ probability }) => probability >= Number(cutoff)).length)
    const { total } = await get<{ total: number }>(`e/search/p/query/shoe/e/one/count?cutoff=${cutoff}`)
    assert.equal(total, numResults)
  }
  const second = await get<Entity>('e/search/p/query/shoe/e/one/resultitem?rank=2')
  assert.equal(second.id, page.items[1]?.tuple[0].id)
  const pages: unknown[] = []
  let cursor: string | null | undefined = '*'
  while (cursor) {
    const next: Page = await get<Page>(`e/search/p/query/shoe/e/three/results?count=1&cursor=${cursor}`)
    pages.push(...show(next))
    cursor = next.next
  }
  assert.deepEqual(pages, show(await get<Page>('e/search/p/query/shoe/e/three/results')))
})

test('a facet counts documents, or values', async () => {
  interface Options {
    options: { value: string; count: number; score: number }[]
  }
  const count = ({ options }: Options) => options.map(option => [option.value, option.count, option.score])
  assert.deepEqual(count(await get<Options>('e/search/p/query/shoe/e/one/options/shop')), [
    ['north', 2, 0.5],
    ['south', 2, 0.5],
  ])
  const collapsed = [
    ['north', 2, 0.5],
    ['south', 2, 0.5],
    ['west', 1, 0.25],
  ]
  assert.deepEqual(count(await get<Options>('e/all/e/one/options/products-in-shop')), collapsed)
  assert.deepEqual(count(await get<Options>('e/all/options/products-in-shop')), [
    ['north', 2, 0.4],
    ['south', 2, 0.4],
    ['west', 1, 0.2],
  ])
  const { total } = await get<{ total: number }>('e/all/e/one/e/products-in-shop/count')
  assert.equal(total, 3)
})

test('other replies have what an item stands for', async () => {
  const plain = await get<{ items: { collapsed: { others: Record<string, unknown>[] } }[] }>(
    'e/all/e/cheapest/e/three/resultpage?attributes=price&offset=2&count=1',
  )
  assert.deepEqual(plain.items[0]?.collapsed.others, [
    { id: 'https://offers.example/a', class: [], price: 30 },
  ])
  const homogeneous = await get<{ items: { tuple: object; highlights: object; collapsed: object }[] }>(
    'e/search/p/query/shoe/e/one/results?homogeneousArrays=true&highlight=true&count=1',
  )
  assert.deepEqual(Object.keys(homogeneous.items[0] ?? {}), [
    'rank',
    'probability',
    'tuple',
    'highlights',
    'collapsed',
  ])
  const csv = await (
    await send('e/all/e/cheapest/e/one/results?format=csv&attributes=price&offset=2&count=1')
  ).text()
  assert.deepEqual(csv.trim().split(/\r?\n/), [
    'rank,probability,id,class,price,collapsed.value,collapsed.count',
    '3,1,https://offers.example/b,,10,shoe,2',
  ])
  const xml = await (await send('e/all/e/one/results?format=xml')).text()
  assert.match(xml, /<collapsed count="2">shoe<\/collapsed>/)
})

test('a collapse follows the endpoints that rank, stands once, and has at most 1,000 documents', async () => {
  for (const path of [
    'e/all/e/one/e/three/results',
    'e/one/e/search/p/query/shoe/results',
    'e/all/e/one/e/cheap/count',
    'e/all/e/one/e/search/p/query/shoe/options/shop',
  ])
    assert.deepEqual(await failure(path), [400, 'bad-path'], path)
  assert.deepEqual(await failure('e/all/e/three/results?count=334'), [400, 'bad-option'])
  assert.equal((await send('e/all/e/three/results?count=333')).status, 200)
  assert.equal((await send('e/all/e/three/e/shop/results?count=1000')).status, 200)
  for (const endpoint of ['{ kind: collapse, field: name }', '{ kind: collapse, field: product, best: 11 }'])
    await assert.rejects(server.applyWorkspace(`${workspaceFile}      wrong: ${endpoint}\n`), endpoint)
})
