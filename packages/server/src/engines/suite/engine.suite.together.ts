import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { EngineField, GenerationSpec, PlanNode } from '#engines/engine'
import { chooseRuns } from '#test-runs'
import { type Bench, deadlineMs, filter, makePlan, matchAll } from './engine.suite.plans.ts'

const element = { elements: true, list: 'offers' } as const
const fields: EngineField[] = [
  { name: 'offers.shop', type: 'keyword', ...element },
  { name: 'offers.price', type: 'number', ...element },
  { name: 'offers.since', type: 'date', ...element },
  { name: 'offers.new', type: 'boolean', ...element },
  { name: 'offers.place', type: 'geo', ...element },
  { name: 'stock.price', type: 'number', elements: true, list: 'stock' },
]
const spec: GenerationSpec = { fields }

interface Offer {
  shop: string[]
  price: number[]
  since: string[]
  new: boolean[]
  place: { lat: number; lon: number }[]
}

const shop = fc.constantFrom<string>('a', 'b', 'b/c', 'é', '')
const price = fc.constantFrom<number>(0, 1, 2.5, -3, 1e21)
const since = fc.constantFrom<string>('2024-01-01T00:00:00Z', '2024-01-01T23:00:00Z', '2025-06-01T00:00:00Z')
const place = fc.record({ lat: fc.constantFrom(0, 10, 20), lon: fc.constantFrom(0, 170) })
const offer: fc.Arbitrary<Offer> = fc.record({
  shop: fc.array(shop, { maxLength: 2 }),
  price: fc.array(price, { maxLength: 2 }),
  since: fc.array(since, { maxLength: 1 }),
  new: fc.array(fc.boolean(), { maxLength: 1 }),
  place: fc.array(place, { maxLength: 1 }),
})

/** A part, and whether an element satisfies it by a plain reading. */
interface Part {
  node: PlanNode
  accepts(element: Offer): boolean
}
const values = <T>(value: fc.Arbitrary<T>) => fc.array(value, { minLength: 1, maxLength: 2 })
const part: fc.Arbitrary<Part> = fc.oneof(
  values(shop).map(list => ({
    node: filter('offers.shop', list),
    accepts: (one: Offer) => one.shop.some(value => list.includes(value)),
  })),
  values(price).map(list => ({
    node: filter('offers.price', list),
    accepts: (one: Offer) => one.price.some(value => list.includes(value)),
  })),
  fc.boolean().map(truth => ({
    node: filter('offers.new', [truth]),
    accepts: (one: Offer) => one.new.includes(truth),
  })),
  fc.constant({
    node: filter('offers.since', ['2024-01-01']),
    accepts: (one: Offer) => one.since.some(value => value.startsWith('2024-01-01')),
  }),
  fc.tuple(price, price).map(([from, before]) => ({
    node: { kind: 'range' as const, field: 'offers.price', from, before },
    accepts: (one: Offer) => one.price.some(value => value >= from && value < before),
  })),
  since.map(to => ({
    node: { kind: 'range' as const, field: 'offers.since', to },
    accepts: (one: Offer) => one.since.some(value => Date.parse(value) <= Date.parse(to)),
  })),
  fc.tuple(shop, shop).map(([from, to]) => ({
    node: { kind: 'range' as const, field: 'offers.shop', from, to },
    accepts: (one: Offer) =>
      one.shop.some(
        value =>
          Buffer.compare(Buffer.from(value), Buffer.from(from)) >= 0 &&
          Buffer.compare(Buffer.from(value), Buffer.from(to)) <= 0,
      ),
  })),
  // The filter of a facet with groups.
  fc.tuple(shop, price).map(([text, number]) => ({
    node: {
      kind: 'any' as const,
      parts: [filter('offers.shop', [text]), { kind: 'range' as const, field: 'offers.price', from: number }],
      not: false,
    },
    accepts: (one: Offer) => one.shop.includes(text) || one.price.some(value => value >= number),
  })),
  fc.constantFrom(5, 15).map(north => ({
    node: {
      kind: 'area' as const,
      field: 'offers.place',
      area: { box: { south: -1, west: -1, north, east: 175 } },
    },
    accepts: (one: Offer) => one.place.some(({ lat }) => lat <= north),
  })),
  fc.constant<Part>({
    node: {
      kind: 'distance',
      field: 'offers.place',
      alternatives: [{ score: 1, circles: [{ lat: 10, lon: 0, meters: 1000 }] }],
    },
    accepts: (one: Offer) => one.place.some(({ lat, lon }) => lat === 10 && lon === 0),
  }),
)

/** As the server stores the values of elements. */
const toAttributes = (offers: readonly Offer[]) =>
  Object.fromEntries(
    (['shop', 'price', 'since', 'new', 'place'] as const).map(name => [
      `offers.${name}`,
      offers.map(one => one[name]),
    ]),
  )

/** Tests conditions on the same element of a list. */
export function togetherSuite({ engine, generationWith }: Bench): void {
  it('finds the documents of which one element satisfies all parts', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(offer, { maxLength: 4 }), { minLength: 1, maxLength: 30 }),
        fc.array(fc.array(part, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 12 }),
        async (documents, conditions) => {
          const attributes = documents.map((offers, index) => [`d${index}`, toAttributes(offers)])
          const generation = await generationWith(Object.fromEntries(attributes), spec)
          for (const parts of conditions) {
            const node: PlanNode = { kind: 'together', parts: parts.map(one => one.node) }
            const expected = documents.flatMap((offers, index) =>
              offers.some(one => parts.every(({ accepts }) => accepts(one))) ? [`d${index}`] : [],
            )
            for (const nodes of [[node], [matchAll, node, node]]) {
              const { hits, total } = await engine().search(generation, makePlan(nodes), deadlineMs)
              const ids = hits.map(({ entity }) => (JSON.parse(entity) as { id: string }).id)
              assert.deepEqual(ids.toSorted(), expected.toSorted())
              assert.equal(total, expected.length)
            }
          }
          await engine().drop(generation)
        },
      ),
      { numRuns: chooseRuns(10, 40), endOnFailure: true },
    ))

  it('filters and counts the values of all elements as those of the document', async () => {
    const generation = await generationWith(
      {
        a: {
          'offers.shop': [['x'], ['y', 'x'], []],
          'offers.price': [[1], [], [5]],
          'stock.price': [[7], [8]],
        },
        b: { 'offers.shop': [['y']], 'offers.price': [[2]] },
        c: {},
      },
      spec,
    )
    const count = async (...nodes: PlanNode[]) =>
      (await engine().search(generation, { ...makePlan(nodes), count: 0 }, deadlineMs)).total
    const range: PlanNode = { kind: 'range', field: 'offers.price', from: 5 }
    assert.equal(await count(filter('offers.shop', ['x']), range), 1)
    assert.equal(await count({ kind: 'together', parts: [filter('offers.shop', ['x']), range] }), 0)
    assert.equal(await count({ kind: 'together', parts: [filter('stock.price', [8])] }), 1)
    const restricted = { ...makePlan([matchAll]), restrictions: [filter('offers.shop', ['y'])] }
    const facet = { field: 'offers.shop', offset: 0, count: 10, selected: [] }
    const reply = await engine().search(generation, { ...restricted, facet }, deadlineMs)
    assert.deepEqual(reply.facet?.options, [
      { value: 'y', count: 2 },
      { value: 'x', count: 1 },
    ])
  })
}
