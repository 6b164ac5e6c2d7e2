import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type DateInterval, labelPeriod } from '@querent/contract/facet-groups'
import { zoneOffsets } from '@querent/contract/time-zone'
import fc from 'fast-check'
import type { GenerationSpec, PlanNode } from '#engines/engine'
import type { FacetGroups } from '#engines/facet'
import { chooseRuns } from '#test-runs'
import {
  type Bench,
  deadlineMs,
  filter,
  makePlan,
  matchAll,
  putDocument,
  withCode,
} from './engine.suite.plans.ts'

/** Tests facets that count groups of values. */
export function facetGroupsSuite({ engine, generationWith }: Bench): void {
  const count = async (
    generation: string,
    field: string,
    groups: FacetGroups,
    nodes: PlanNode[] = [matchAll],
  ) => {
    const facet = { field, offset: 0, count: 0, selected: [], groups }
    const reply = await engine().search(generation, { ...makePlan(nodes), count: 0, facet }, deadlineMs)
    const options = reply.facet?.options ?? []
    return Object.fromEntries(options.map(option => [option.value, option.count]))
  }

  it('counts each document once in each group of its values', () =>
    fc.assert(
      fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 20 }), async documents => {
        const generation = await generationWith({}, spec)
        await engine().write(
          generation,
          documents.map((attributes, index) => putDocument(`d${index}`, attributes)),
        )
        await engine().write(generation, [{ delete: 'd1' }])
        await engine().refresh(generation)
        const visible = documents.filter((_, index) => index !== 1)
        const expected = (keys: (attributes: Attributes) => (string | undefined)[], rest: string[] = []) => {
          const counts = new Map(rest.map(key => [key, 0]))
          for (const attributes of visible)
            for (const key of new Set(keys(attributes)))
              if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
          return Object.fromEntries(counts)
        }
        assert.deepEqual(
          await count(generation, 'price', { by: 'interval', size: 2.5 }),
          expected(({ price }) => price.map(value => String(Math.floor(value / 2.5)))),
        )
        const ranges = [{ before: 0 }, { from: 0, before: 5 }, { from: 5 }]
        assert.deepEqual(
          await count(generation, 'price', { by: 'ranges', ranges }),
          expected(
            ({ price }) => price.map(value => (value < 0 ? '0' : value < 5 ? '1' : '2')),
            ['0', '1', '2'],
          ),
        )
        const year = (text: string) => String(Date.UTC(Number(text.slice(0, 4)), 0, 1) / 1000)
        assert.deepEqual(
          await count(generation, 'added', { by: 'calendar', unit: 'year' }),
          expected(({ added }) => added.map(year)),
        )
        const day = (text: string) => String(Date.parse(text.slice(0, 10)) / 1000)
        assert.deepEqual(
          await count(generation, 'added', { by: 'calendar', unit: 'day' }),
          expected(({ added }) => added.map(day)),
        )
        assert.deepEqual(
          await count(generation, 'path', { by: 'hierarchy', separator: ' > ' }),
          expected(({ path }) => path.map(value => value.split(' > ')[0])),
        )
        assert.deepEqual(
          await count(generation, 'path', { by: 'hierarchy', separator: ' > ', parents: ['Books'] }),
          expected(({ path }) =>
            path.map(value => {
              const [first, second] = value.split(' > ')
              return first === 'Books' && second !== undefined ? `Books > ${second}` : undefined
            }),
          ),
        )
        await engine().drop(generation)
      }),
      { numRuns: chooseRuns(10, 30), endOnFailure: true },
    ))

  it('starts hours, weeks and months in UTC', async () => {
    const generation = await generationWith(
      {
        a: { added: '2024-05-12T23:30:00Z' },
        b: { added: '2024-05-13T00:30:00+02:00' },
        c: { added: '1969-12-31' },
      },
      spec,
    )
    const starts = async (unit: 'hour' | 'week' | 'month') =>
      Object.keys(await count(generation, 'added', { by: 'calendar', unit }))
        .map(seconds => new Date(1000 * Number(seconds)).toISOString().slice(0, 13))
        .toSorted()
    assert.deepEqual(await starts('hour'), ['1969-12-31T00', '2024-05-12T22', '2024-05-12T23'])
    assert.deepEqual(await starts('week'), ['1969-12-29T00', '2024-05-06T00'])
    assert.deepEqual(await starts('month'), ['1969-12-01T00', '2024-05-01T00'])
  })

  it('counts among the documents that the plan finds, and none for a field without values', async () => {
    const generation = await generationWith(
      { a: { price: 1, path: 'x' }, b: { price: 2, path: 'y' }, c: { path: 'x' } },
      spec,
    )
    const interval: FacetGroups = { by: 'interval', size: 1 }
    assert.deepEqual(await count(generation, 'price', interval, [filter('path', ['x'])]), { 1: 1 })
    assert.deepEqual(await count(generation, 'added', { by: 'calendar', unit: 'day' }), {})
    assert.deepEqual(await count(generation, 'added', { by: 'ranges', ranges: [{ from: '2024-01-01' }] }), {
      0: 0,
    })
  })

  it('finds values from a bound to before another', async () => {
    const generation = await generationWith(
      {
        a: { price: 1, added: '2024-01-01T00:00:00Z', path: 'Books' },
        b: { price: 2, added: '2024-12-31T23:59:59Z', path: 'Books > Crime' },
        c: { price: 3, added: '2025-01-01T00:00:00Z', path: 'Bookshelves' },
      },
      spec,
    )
    const find = async (node: PlanNode) =>
      (await engine().search(generation, makePlan([node]), deadlineMs)).hits
        .map(({ entity }) => JSON.parse(entity).id)
        .toSorted()
    const range = (field: string, from: string | number, before: string | number): PlanNode => ({
      kind: 'range',
      field,
      from,
      before,
    })
    assert.deepEqual(await find(range('price', 1, 3)), ['a', 'b'])
    assert.deepEqual(await find(range('added', '2024-01-01', '2025-01-01')), ['a', 'b'])
    assert.deepEqual(await find(range('path', 'Books > ', 'Books >!')), ['b'])
    assert.deepEqual(await find({ kind: 'range', field: 'price', before: 1 }), [])
  })

  it('lists the paths below several parents, each once', async () => {
    const generation = await generationWith(
      {
        a: { path: ['Books > Fiction > Crime', 'Books > Fiction > Poetry'] },
        b: { path: ['Books > Fiction > Crime', 'Music > Jazz'] },
        c: { path: ['Music', 'Films > War'] },
      },
      spec,
    )
    const below = (...parents: string[]) =>
      count(generation, 'path', { by: 'hierarchy', separator: ' > ', parents })
    assert.deepEqual(await below('Books', 'Music'), { 'Books > Fiction': 2, 'Music > Jazz': 1 })
    assert.deepEqual(await below('Books', 'Books > Fiction'), {
      'Books > Fiction': 2,
      'Books > Fiction > Crime': 2,
      'Books > Fiction > Poetry': 1,
    })
  })

  it('divides decimal intervals exactly: each value is between the bounds that filters use', () =>
    fc.assert(
      fc.asyncProperty(decimalPrices, async ({ millionths, values }) => {
        const size = millionths / 1e6
        const generation = await generationWith(
          Object.fromEntries(values.map((price, index) => [`d${index}`, { price }])),
          spec,
        )
        const counts = Object.entries(await count(generation, 'price', { by: 'interval', size }))
        assert.equal(
          counts.reduce((sum, [, documents]) => sum + documents, 0),
          values.length,
        )
        for (const [key, documents] of counts) {
          const bound = (number: number) => (number * millionths) / 1e6
          const node: PlanNode = {
            kind: 'range',
            field: 'price',
            from: bound(Number(key)),
            before: bound(Number(key) + 1),
          }
          const reply = await engine().search(generation, makePlan([node]), deadlineMs)
          assert.equal(reply.total, documents, `${key} of ${size}`)
        }
        await engine().drop(generation)
      }),
      { numRuns: chooseRuns(10, 40), endOnFailure: true },
    ))

  it('counts values of any size in intervals', async () => {
    const values = [0.3, 0.7, -0.3, 0.29999999999999993, 1e300, -1e308, 5e-324]
    const generation = await generationWith(
      Object.fromEntries(values.map((price, index) => [`d${index}`, { price }])),
      spec,
    )
    const tenths = await count(generation, 'price', { by: 'interval', size: 0.1 })
    assert.deepEqual(
      { 3: tenths[3], 7: tenths[7], '-3': tenths['-3'], 2: tenths[2], 0: tenths[0] },
      {
        3: 1,
        7: 1,
        '-3': 1,
        2: 1,
        0: 1,
      },
    )
    assert.equal(Object.keys(tenths).length, values.length)
    const millionths = await count(generation, 'price', { by: 'interval', size: 1e-6 })
    assert.equal(millionths['-Infinity'], 1)
  })

  it('begins intervals in a time zone, and counts repeated hours apart', async () => {
    const generation = await generationWith(
      {
        a: { added: '2024-10-26T22:00:00Z' },
        b: { added: '2024-10-27T00:30:00Z' },
        c: { added: '2024-10-27T01:30:00Z' },
        d: { added: '2024-10-27T22:59:59Z' },
        e: { added: '2024-10-27T23:00:00Z' },
        f: { added: '2024-12-31T23:00:00Z' },
        g: { added: '3024-06-30T22:00:00Z' },
      },
      spec,
    )
    const zone = zoneOffsets('Europe/Amsterdam')
    const labels = async (unit: DateInterval) =>
      Object.fromEntries(
        Object.entries(await count(generation, 'added', { by: 'calendar', unit, zone })).map(
          ([key, documents]) => [labelPeriod(Number(key), unit, zone), documents],
        ),
      )
    assert.deepEqual(await labels('day'), {
      '2024-10-27': 4,
      '2024-10-28': 1,
      '2025-01-01': 1,
      '3024-07-01': 1,
    })
    assert.deepEqual(await labels('year'), { 2024: 5, 2025: 1, 3024: 1 })
    assert.deepEqual(await labels('hour'), {
      '2024-10-27T00': 1,
      '2024-10-27T02+02:00': 1,
      '2024-10-27T02+01:00': 1,
      '2024-10-27T23': 1,
      '2024-10-28T00': 1,
      '2025-01-01T00': 1,
      '3024-07-01T00': 1,
    })
  })

  it('rejects groups of other types', async () => {
    const generation = await generationWith({ a: { price: 1 } }, spec)
    const cases: [string, FacetGroups][] = [
      ['price', { by: 'calendar', unit: 'day' }],
      ['price', { by: 'hierarchy', separator: '/' }],
      ['added', { by: 'interval', size: 1 }],
      ['path', { by: 'ranges', ranges: [{ from: 1 }] }],
    ]
    for (const [field, groups] of cases)
      await assert.rejects(count(generation, field, groups), withCode('unsupported'))
  })
}

const spec: GenerationSpec = {
  fields: [
    { name: 'price', type: 'number' },
    { name: 'added', type: 'date' },
    { name: 'path', type: 'keyword' },
  ],
}

const price = fc.constantFrom(-7.5, -0.1, 0, 0.1, 2.4999, 2.5, 4.9, 5, 1e6)
const added = fc.constantFrom(
  '1969-12-31T23:59:59Z',
  '1970-01-01T00:00:00Z',
  '2024-02-29T12:00:00Z',
  '2024-12-31T23:59:59Z',
)
const path = fc.constantFrom(
  'Books',
  'Books > Crime',
  'Books > Crime > Cozy',
  'Books > Poems',
  'Bookshelves',
  'é > 😀',
)
const document = fc.record({
  price: fc.array(price, { maxLength: 3 }),
  added: fc.array(added, { maxLength: 3 }),
  path: fc.array(path, { maxLength: 3 }),
})
interface Attributes {
  price: number[]
  added: string[]
  path: string[]
}

/** Intervals of millionths, and decimals at their bounds and next to them. */
const decimalPrices = fc
  .record({
    millionths: fc.oneof(
      fc.constantFrom(1, 10, 1_000, 10_000, 100_000, 200_000, 300_000, 700_000, 2_500_000),
      fc.integer({ min: 1, max: 10_000_000 }),
    ),
    places: fc.array(fc.tuple(fc.integer({ min: -2_000, max: 2_000 }), fc.constantFrom(0, 1, -1)), {
      minLength: 1,
      maxLength: 15,
    }),
  })
  .map(({ millionths, places }) => ({
    millionths,
    values: places.map(([place, millionth]) => Number(`${place * millionths + millionth}e-6`) + 0),
  }))
