/** Conditions on the same element of a list of objects over HTTP (docs/describe-your-search.md, together). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type StartedServer, startServer } from '#tests/support/started-server'

const workspaceFile = `
workspace: goods
collections:
  goods:
    id: { field: id, uri: "https://goods.example/{id}" }
    fields:
      name: { type: text }
      offers:
        type: object
        together: true
        fields:
          shop: { type: keyword, title: Shop }
          price: { type: number, decimal: "," }
          at.place: { type: geo }
          note: { type: text }
      maker: { type: object, fields: { country: { type: keyword } } }
apis:
  shop:
    access: public
    endpoints:
      all: { kind: all, collection: goods }
      search: { kind: match, collection: goods, fields: [offers.note] }
      shop: { kind: filter, field: offers.shop, parameter: shop }
      price: { kind: range, field: offers.price }
      shops: { kind: facet, field: offers.shop, separator: / }
      tens: { kind: facet, field: offers.price, interval: 10, parameter: tens }
      near: { kind: area, field: offers.at.place }
      country: { kind: facet, field: maker.country }
      cheapest: { kind: sort, field: offers.price }
      offer: { kind: together, field: offers, of: [shop, price] }
      grouped: { kind: together, field: offers, of: ["shops:FILTER", "tens:FILTER", near] }
`
const goods = [
  {
    id: 'a',
    offers: [
      { shop: 'north/a', price: '1.050,5', at: { place: { lat: 1, lon: 1 } }, note: 'used chairs' },
      { shop: ['south'], price: 5, at: { place: '50,50' } },
    ],
    maker: { country: 'nl' },
  },
  {
    id: 'b',
    offers: { shop: 'north/b', price: [5, 20], at: [{ place: '1,1' }] },
    maker: [{ country: 'be' }],
  },
  { id: 'c', offers: [{ shop: 'south' }, { price: 15 }, null] },
  { id: 'd', offers: [] },
  { id: 'e' },
]

let server: StartedServer
before(async () => {
  server = await startServer()
  await server.applyWorkspace(workspaceFile)
  await server.importDocuments('goods', 'goods', goods)
})
after(() => server.stop())

const send = (path: string) => fetch(`${server.baseUrl}/4/goods/api/shop/${path}`)
const get = async <T>(path: string): Promise<T> => {
  const reply = await send(path)
  assert.equal(reply.status, 200, path)
  return (await reply.json()) as T
}
const ids = async (path: string) => {
  const { items } = await get<{ items: { tuple: [{ id: string }] }[] }>(`${path}/results`)
  return items.map(({ tuple: [{ id }] }) => id.replace('https://goods.example/', '')).join('')
}

test('one element must satisfy all parts, and filters after each other need not', async () => {
  assert.equal(await ids('e/all/e/shop/p/shop/south/e/price/p/from/10'), 'ac')
  assert.equal(await ids('e/all/e/offer/p/shop/south/p/from/10'), '')
  assert.equal(await ids('e/all/e/offer/p/shop/south/p/to/10'), 'a')
  assert.equal(await ids('e/all/e/offer/p/shop/north%2Fb/p/from/10'), 'b')
  assert.equal(await ids('e/all/e/offer/p/shop/north%2Fa/p/from/1050.5'), 'a')
  // A range without ends is no condition.
  assert.equal(await ids('e/all/e/offer/p/shop/south'), 'ac')
  assert.equal(await ids('c/shop/south/e/offer/p/to/10'), 'a')
})

test('filters of facets with groups and areas are parts too', async () => {
  const path = (shop: string, tens: string, box: string) =>
    `e/all/e/grouped/p/value/${shop}/p/tens/${tens}/p/box/${box}`
  assert.equal(await ids(path('north', '0..10', '0,0,2,2')), 'b')
  assert.equal(await ids(path('north', '1050..1060', '0,0,2,2')), 'a')
  assert.equal(await ids(path('north', '0..10', '40,40,60,60')), '')
  assert.equal(await ids(path('south', '0..10', '40,40,60,60')), 'a')
})

test('the fields inside an object are fields of the collection', async () => {
  const { options, title } = await get<{ title: string; options: { value: string; count: number }[] }>(
    'e/all/options/shops',
  )
  assert.equal(title, 'Shop')
  assert.deepEqual(
    options.map(({ value, count }) => [value, count]),
    [
      ['north', 2],
      ['south', 2],
    ],
  )
  assert.equal(await ids('e/all/e/cheapest'), 'abcde')
  assert.equal(await ids('e/search/p/query/chairs'), 'a')
  assert.equal(await ids('e/all/e/country:FILTER/p/value/be'), 'b')
  const [first] = (await get<{ items: { tuple: [{ attributes: object }] }[] }>('e/all/results')).items
  assert.deepEqual(first?.tuple[0].attributes, { offers: goods[0]?.offers, maker: goods[0]?.maker })
})

test('a document with too many elements, or with a wrong value in one, is rejected', async () => {
  const list = (count: number) => Array.from({ length: count }, (_, price) => ({ price }))
  const importError = async (document: object) => {
    const error = await server.importDocuments('goods', 'goods', [document]).then(
      () => undefined,
      (cause: unknown) => cause,
    )
    return error instanceof Error ? error.message : undefined
  }
  assert.equal(await importError({ id: 'full', offers: list(1000) }), undefined)
  assert.equal(await ids('e/all/e/offer/p/shop/1(x)/p/from/999'), '')
  assert.match((await importError({ id: 'f', offers: list(1001) })) ?? '', /1000/)
  assert.match(
    (await importError({ id: 'g', offers: [{ price: 1 }, { price: 'much' }] })) ?? '',
    /offers\.price/,
  )
})

test('apply rejects parts that are no conditions on one element', async () => {
  for (const endpoint of [
    '{ kind: together, field: maker, of: [shop] }',
    '{ kind: together, field: offers, of: [all] }',
    '{ kind: together, field: offers, of: ["country:FILTER"] }',
    '{ kind: together, field: offers, of: [unknown] }',
    '{ kind: together, field: offers, of: [offer] }',
  ])
    await assert.rejects(server.applyWorkspace(`${workspaceFile}      wrong: ${endpoint}\n`), endpoint)
})

test('a list whose elements are kept together from now on is read again', async () => {
  const separate = workspaceFile
    .replace('together: true\n', 'title: Offers\n')
    .replace(/ {6}(offer|grouped): .*\n/g, '')
  await server.applyWorkspace(separate)
  assert.equal(await ids('e/all/e/shop/p/shop/south/e/price/p/from/10'), 'ac')
  await server.applyWorkspace(workspaceFile)
  assert.equal(await ids('e/all/e/offer/p/shop/south/p/to/10'), 'a')
})
