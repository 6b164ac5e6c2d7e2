import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { GenerationSpec, PlanNode } from '#engines/engine'
import { type Bench, deadlineMs, filter, makePlan, matchAll, withCode } from './engine.suite.plans.ts'

/** Tests what facets and filters say about documents with a value and without, and the statistics of facets. */
export function presenceSuite({ engine, generationWith }: Bench, hasVectors: boolean): void {
  const spec: GenerationSpec = {
    ...fields,
    fields: hasVectors
      ? [...fields.fields, { name: 'meaning', type: 'vector', dimensions: 2, metric: 'euclidean' }]
      : fields.fields,
  }
  const find = async (generation: string, ...nodes: PlanNode[]) =>
    (await engine().search(generation, { ...makePlan(nodes), count: 20 }, deadlineMs)).hits
      .map(({ entity }) => JSON.parse(entity).id)
      .toSorted()

  it('finds the documents with a value of any type, and those without', async () => {
    const generation = await generationWith(
      {
        all: {
          title: 'A',
          tag: 't',
          price: 0,
          good: false,
          added: '2024-01-01',
          place: { lat: 0, lon: 0 },
          meaning: [0, 0],
        },
        several: {
          title: ['', 'B'],
          tag: ['', 'u'],
          price: [1, 2],
          good: [true],
          added: ['2024-01-01', '2025-01-01'],
          place: [{ lat: 1, lon: 1 }],
          meaning: [
            [1, 0],
            [0, 1],
          ],
        },
        empty: { title: '', tag: '', price: [], good: [], added: null, place: null, meaning: null },
        none: {},
        removed: { title: 'C' },
      },
      spec,
    )
    await engine().write(generation, [{ delete: 'removed' }])
    await engine().refresh(generation)
    for (const { name: field } of spec.fields) {
      const present: PlanNode = { kind: 'present', field, not: false }
      const missing: PlanNode = { kind: 'present', field, not: true }
      assert.deepEqual(await find(generation, present), ['all', 'several'], field)
      assert.deepEqual(await find(generation, missing), ['empty', 'none'], field)
      assert.deepEqual(await find(generation, missing, filter('tag', ['t'])), [])
      const anyNode: PlanNode = { kind: 'any', parts: [missing, filter('tag', ['u'])], not: false }
      assert.deepEqual(await find(generation, anyNode), ['empty', 'none', 'several'], field)
      const notAnyNode: PlanNode = { kind: 'any', parts: [missing, filter('tag', ['u'])], not: true }
      assert.deepEqual(await find(generation, notAnyNode), ['all'], field)
    }
  })

  it('counts documents without a value as an option, or beside the groups', async () => {
    const generation = await generationWith(
      {
        a: { tag: ['x', ''], price: 1 },
        b: { tag: 'x', price: 12 },
        c: { tag: '', price: 13 },
        d: { title: 'word' },
        e: { title: 'word' },
      },
      spec,
    )
    const count = async (facet: object, nodes: PlanNode[] = [matchAll]) => {
      const request = { offset: 0, count: 10, selected: [], missing: true, field: 'tag', ...facet }
      return (await engine().search(generation, { ...makePlan(nodes), count: 0, facet: request }, deadlineMs))
        .facet
    }
    assert.deepEqual(await count({ selected: ['', 'x'] }), {
      options: [
        { value: '', count: 3 },
        { value: 'x', count: 2 },
      ],
      selected: [
        { value: '', count: 3 },
        { value: 'x', count: 2 },
      ],
      distinct: 2,
      largest: 3,
      missing: 3,
    })
    assert.deepEqual((await count({ distinct: false, count: 1 }))?.options, [{ value: '', count: 3 }])
    assert.deepEqual((await count({ query: 'x' }))?.options, [{ value: 'x', count: 2 }])
    assert.deepEqual((await count({}, [filter('tag', ['x'])]))?.options, [{ value: 'x', count: 2 }])
    const tens = await count({ field: 'price', groups: { by: 'interval', size: 10 } })
    assert.equal(tens?.missing, 2)
    assert.deepEqual(
      tens?.options.toSorted((left, right) => Number(left.value) - Number(right.value)),
      [
        { value: '0', count: 1 },
        { value: '1', count: 2 },
      ],
    )
  })

  it('sums numbers exactly, and gives statistics of dates', async () => {
    const generation = await generationWith(
      {
        a: { tag: 'x', price: [0.1, 0.1], added: '2024-01-01T00:00:00Z' },
        b: { tag: 'x', price: 0.2, added: '2024-01-03T00:00:00.5Z' },
        c: { tag: 'y', price: [1e100, 1 / 3], added: '1960-01-01' },
        d: { tag: 'y', price: -1e100 },
        e: { tag: 'z' },
      },
      spec,
    )
    const summarize = async (field: string, ...values: string[]) => {
      const facet = { field, offset: 0, count: 1, selected: [], summary: true }
      const plan = { ...makePlan([filter('tag', values)]), count: 0, facet }
      return (await engine().search(generation, plan, deadlineMs)).facet?.summary
    }
    assert.deepEqual(await summarize('price', 'x'), { min: 0.1, max: 0.2, sum: 0.3, average: 0.15, count: 2 })
    assert.deepEqual(await summarize('price', 'x', 'y', 'z'), {
      min: -1e100,
      max: 1e100,
      sum: 0.3 + 1 / 3,
      average: (0.3 + 1 / 3) / 5,
      count: 5,
    })
    const emptySummary = { min: null, max: null, average: null, count: 0 }
    assert.deepEqual(await summarize('price', 'z'), { ...emptySummary, sum: 0 })
    assert.deepEqual(await summarize('added', 'z'), { ...emptySummary, sum: null })
    assert.deepEqual(await summarize('added', 'x', 'y'), {
      min: '1960-01-01T00:00:00Z',
      max: '2024-01-03T00:00:00.5Z',
      sum: null,
      average: '2002-09-01T16:00:00.166666Z',
      count: 3,
    })
    await assert.rejects(() => summarize('tag', 'x'), withCode('unsupported'))
  })
}

const fields: GenerationSpec = {
  fields: [
    { name: 'title', type: 'text', language: 'english', prefix: true },
    { name: 'tag', type: 'keyword' },
    { name: 'price', type: 'number' },
    { name: 'good', type: 'boolean' },
    { name: 'added', type: 'date' },
    { name: 'place', type: 'geo' },
  ],
}
