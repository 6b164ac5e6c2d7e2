import assert from 'node:assert/strict'
import { it } from 'node:test'
import { makeRawNumber } from '@querent/contract/exact-json'
import type { GenerationSpec, Plan, PlanNode } from '#engines/engine'
import { type Bench, deadlineMs, filter, makePlan, matchAll } from './engine.suite.plans.ts'

const digits = {
  a: '9007199254740993',
  b: '9007199254740992',
  c: '-9007199254740993',
  d: '9223372036854775807',
  e: '9223372036854775806',
  f: '-9223372036854775808',
  g: '12',
  h: '9223372036854775808',
}

/** Tests that whole numbers from -2^63 to 2^63 - 1 compare by all their digits, which doubles lose. */
export function numbersSuite({ engine, generationWith, ids }: Bench): void {
  const spec: GenerationSpec = {
    fields: [
      { name: 'n', type: 'number' },
      { name: 'offers.n', type: 'number', elements: true, list: 'offers' },
    ],
  }
  const create = () =>
    generationWith(
      {
        ...Object.fromEntries(
          Object.entries(digits).map(([id, text]) => {
            const number = makeRawNumber(text)
            return [id, { n: number, 'offers.n': [[number]] }]
          }),
        ),
        i: {
          n: [makeRawNumber('9007199254740993'), 1],
          'offers.n': [[1], [makeRawNumber('9007199254740993')]],
        },
        j: {},
      },
      spec,
    )
  const search = async (generation: string, plan: Partial<Plan>) =>
    engine().search(generation, { ...makePlan([matchAll]), ...plan }, deadlineMs)

  it('tells them apart in filters and ranges, also on one element', async () => {
    const generation = await create()
    for (const field of ['n', 'offers.n']) {
      const find = async (node: PlanNode) => {
        const part = field === 'n' ? node : { kind: 'together' as const, parts: [node] }
        return (await ids(generation, { ...makePlan([part]), count: 20 })).toSorted().join('')
      }
      const range = (ends: object): PlanNode => ({ kind: 'range', field, ...ends })
      assert.equal(await find(filter(field, [digits.a])), 'ai')
      assert.equal(await find(filter(field, [digits.b])), 'b')
      assert.equal(await find(filter(field, [Number(digits.b)])), 'b')
      assert.equal(await find(filter(field, [digits.d])), 'd')
      assert.equal(await find(filter(field, [digits.h])), 'h')
      assert.equal(await find(filter(field, [digits.f, '12'])), 'fg')
      assert.equal(await find(range({ from: digits.a })), 'adehi')
      assert.equal(await find(range({ to: digits.c })), 'cf')
      assert.equal(await find(range({ from: digits.b, before: digits.a })), 'b')
      assert.equal(await find(range({ from: digits.e, to: digits.d })), 'de')
      assert.equal(await find(range({ from: 12, before: digits.d })), 'abegi')
      assert.equal(await find(range({ from: digits.d, before: 1e20 })), 'dh')
    }
  })

  it('sorts by them, in consecutive pages', async () => {
    const generation = await create()
    const readAll = async (direction: 'ascending' | 'descending') => {
      let order = ''
      for (let position: string | undefined = ''; position !== undefined; ) {
        const page: Plan = {
          ...makePlan([matchAll]),
          order: [{ by: 'field', field: 'n', order: direction }],
          count: 2,
          after: position,
        }
        const { hits, next } = await engine().search(generation, page, deadlineMs)
        order += hits.map(({ entity }) => JSON.parse(entity).id).join('')
        position = next
      }
      return order
    }
    assert.equal(await readAll('ascending'), 'fcigbaedhj')
    assert.equal(await readAll('descending'), 'hdeaibgcfj')
  })

  it('counts, sums up and groups them with all digits', async () => {
    const generation = await create()
    const facet = { field: 'n', offset: 0, count: 20, selected: [digits.a], summary: true }
    const reply = await search(generation, { count: 0, facet })
    const single = [digits.c, digits.f, '1', '12', digits.b, digits.e, digits.d, String(2 ** 63)]
    assert.deepEqual(
      reply.facet?.options.map(({ value, count }) => `${value} ${count}`),
      [`${digits.a} 2`, ...single.toSorted().map(value => `${value} 1`)],
    )
    assert.deepEqual(reply.facet?.selected, [{ value: digits.a, count: 2 }])
    assert.equal(JSON.stringify(reply.facet?.summary?.min), digits.f)
    const large = await search(generation, {
      nodes: [filter('n', [digits.a, digits.d])],
      count: 0,
      facet,
    })
    assert.equal(JSON.stringify(large.facet?.summary?.max), digits.d)
    assert.equal(large.facet?.summary?.count, 4)
    const groups = { by: 'ranges' as const, ranges: [{ before: digits.a }, { from: digits.a }] }
    const ranges = await search(generation, { count: 0, facet: { ...facet, selected: [], groups } })
    assert.deepEqual(
      ranges.facet?.options.map(({ count }) => count),
      [5, 5],
    )
  })

  it('collapses by them', async () => {
    const generation = await create()
    const { hits, total } = await search(generation, { collapse: { field: 'n', best: 1 }, count: 20 })
    assert.equal(total, 9)
    const values = hits.map(({ collapsed }) => `${JSON.stringify(collapsed?.value)} ${collapsed?.count}`)
    assert.ok(values.includes(`${digits.a} 2`), values.join())
    assert.ok(values.includes(`${digits.b} 1`), values.join())
  })

  it('boosts by them', async () => {
    const generation = await create()
    const boost: PlanNode = {
      kind: 'boost',
      field: 'n',
      rule: { by: 'value', values: [digits.d], factor: 2 },
    }
    const { hits } = await search(generation, { nodes: [matchAll, boost], count: 2 })
    assert.deepEqual(
      hits.map(({ entity }) => JSON.parse(entity).id),
      ['d', 'a'],
    )
  })
}
