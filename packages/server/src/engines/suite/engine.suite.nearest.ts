import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { GenerationSpec, PlanNode, VectorMetric } from '#engines/engine'
import {
  type Bench,
  deadlineMs,
  filter,
  makePlan,
  match,
  matchAll,
  near,
  withCode,
} from './engine.suite.plans.ts'

const dimensions = 96

const vectorSpec = (metric: VectorMetric, size = dimensions): GenerationSpec => ({
  fields: [
    { name: 'title', type: 'text', language: 'english', prefix: true },
    { name: 'tag', type: 'keyword' },
    { name: 'meaning', type: 'vector', dimensions: size, metric },
  ],
})

const nearest = (vector: number[], limit = 1000, minimum = 0): PlanNode => ({
  kind: 'nearest',
  field: 'meaning',
  vector,
  limit,
  minimum,
})

/** Repeatable numbers between -0.5 and 0.5. */
const createRandom = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32 - 0.5
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, number, index) => sum + number * (b[index] ?? 0), 0)

/** The scores of {@link VectorMetric}, by its definition. */
const exactScore: Record<VectorMetric, (a: readonly number[], b: readonly number[]) => number> = {
  cosine: (a, b) => (1 + dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))) / 2,
  dot: (a, b) => {
    const product = dot(a, b)
    return product >= 0 ? 1 - 1 / (2 + 2 * product) : 1 / (2 - 2 * product)
  },
  euclidean: (a, b) => 1 / (1 + dot(a, a) + dot(b, b) - 2 * dot(a, b)),
}

/** Documents in clusters, as texts about a few subjects are. */
const makeVectors = (count: number, seed: number, size = dimensions): number[][] => {
  const random = createRandom(seed)
  const vector = () => Array.from({ length: size }, random)
  const centers = Array.from({ length: 20 }, vector)
  return Array.from({ length: count }, (_, index) => {
    const center = centers[index % centers.length] ?? []
    const length = 1 + (index % 7)
    return vector().map((number, position) => length * (number * 0.6 + (center[position] ?? 0)))
  })
}

/** Tests vectors, compared with scoring every document. */
export function nearestSuite({ engine, generationWith, ids, scores }: Bench): void {
  for (const metric of ['cosine', 'dot', 'euclidean'] as const)
    it(`finds the nearest vectors by ${metric}, and scores them by its definition`, async () => {
      const vectors = makeVectors(400, 7)
      const documents = Object.fromEntries(vectors.map((meaning, index) => [`d${index}`, { meaning }]))
      const generation = await generationWith(documents, vectorSpec(metric))
      for (const query of makeVectors(5, 11)) {
        const exact = vectors.map((vector, index) => ({
          id: `d${index}`,
          score: exactScore[metric](query, vector),
        }))
        exact.sort((a, b) => b.score - a.score)
        const hits = await scores(generation, { ...makePlan([nearest(query, 50)]), count: 50 })
        assert.equal(Object.keys(hits).length, 50)
        const best = exact[0]?.score ?? 0
        for (const [id, score] of Object.entries(hits)) {
          const expected = exact.find(hit => hit.id === id)?.score ?? 0
          assert.ok(Math.abs(score - expected) < 0.02 * best, `${id}: ${score}, exact ${expected}`)
        }
        const top = exact.slice(0, 10).filter(({ id }) => id in hits)
        assert.equal(top.length, 10)
      }
    })

  for (const metric of ['cosine', 'dot', 'euclidean'] as const)
    it(`scores vectors of fewer than 64 dimensions exactly by ${metric}`, async () => {
      for (const size of [1, 3, 63]) {
        const vectors = makeVectors(40, 19, size)
        const documents = Object.fromEntries(vectors.map((meaning, index) => [`d${index}`, { meaning }]))
        const generation = await generationWith(documents, vectorSpec(metric, size))
        for (const query of [...makeVectors(2, 23, size), ...vectors.slice(0, 2)]) {
          const hits = await scores(generation, { ...makePlan([nearest(query)]), count: 40 })
          for (const [index, vector] of vectors.entries()) {
            const error = (hits[`d${index}`] ?? 0) - exactScore[metric](query, vector)
            assert.ok(Math.abs(error) < 1e-5, `d${index}, ${size} dimensions: ${error}`)
          }
        }
      }
    })

  it('orders documents with equal products by id', async () => {
    const documents = Object.fromEntries(
      [0.7, 0.1, 0.9, 0.3].map((number, index) => [`d${index}`, { meaning: [1, number, 0] }]),
    )
    const generation = await generationWith(documents, vectorSpec('dot', 3))
    assert.deepEqual(await ids(generation, makePlan([nearest([1, 0, 0])])), ['d0', 'd1', 'd2', 'd3'])
  })

  it('keeps at most `limit` documents with at least `minimum`; totals and statistics count those', async () => {
    const generation = await generationWith(
      Object.fromEntries(makeVectors(100, 3).map((meaning, index) => [`d${index}`, { meaning }])),
      vectorSpec('cosine'),
    )
    const [query = []] = makeVectors(1, 5)
    const search = (node: PlanNode) =>
      engine().search(generation, { ...makePlan([node]), statistics: true, total: true }, deadlineMs)
    const limited = await search(nearest(query, 30))
    assert.equal(limited.total, 30)
    assert.equal(limited.statistics?.at(-1), 30)
    const lowest = limited.hits.at(9)?.score ?? 0
    const good = await search(nearest(query, 30, lowest))
    assert.equal(good.total, 10)
    assert.equal((await search(nearest(query, 30, 1))).total, 0)
  })

  it('applies filters, restrictions and texts before it chooses', async () => {
    const vectors = makeVectors(300, 13)
    const documents = Object.fromEntries(
      vectors.map((meaning, index) => [
        `d${index}`,
        { meaning, tag: `t${index % 10}`, title: index % 30 === 0 ? 'wing' : 'bird' },
      ]),
    )
    const generation = await generationWith(documents, vectorSpec('cosine'))
    const [query = []] = makeVectors(1, 17)
    const tagged = await ids(generation, makePlan([nearest(query, 5), filter('tag', ['t3'])]))
    assert.equal(tagged.length, 5)
    assert.ok(tagged.every(id => Number(id.slice(1)) % 10 === 3))
    const restricted = { ...makePlan([nearest(query, 5)]), restrictions: [filter('tag', ['t3'])] }
    assert.deepEqual(await ids(generation, restricted), tagged)
    const text = { ...match('wing'), fields: [{ name: 'title', weight: 1 }] }
    const worded = await ids(generation, makePlan([nearest(query, 5), text]))
    assert.equal(worded.length, 5)
    assert.ok(worded.every(id => Number(id.slice(1)) % 30 === 0))
  })

  it('adds its score to that of a text', async () => {
    const [first = [], second = []] = makeVectors(2, 19)
    const generation = await generationWith(
      { a: { title: 'wing', meaning: first }, b: { title: 'wing', meaning: second }, c: { title: 'wing' } },
      vectorSpec('cosine'),
    )
    const text = await scores(
      generation,
      makePlan([match('wing')].map(node => ({ ...node, fields: [{ name: 'title', weight: 1 }] }))),
    )
    const vector = await scores(generation, makePlan([nearest(first)]))
    const sum = await scores(
      generation,
      makePlan([{ ...match('wing'), fields: [{ name: 'title', weight: 1 }] }, nearest(first)]),
    )
    assert.deepEqual(Object.keys(sum).toSorted(), ['a', 'b'])
    near(sum.a, (text.a ?? 0) + (vector.a ?? 0))
    near(sum.b, (text.b ?? 0) + (vector.b ?? 0))
  })

  it('mixes with texts by rank: a hybrid search', async () => {
    const [first = [], second = [], third = []] = makeVectors(3, 23)
    const generation = await generationWith(
      {
        both: { title: 'steel wing', meaning: first },
        vector: { title: 'bird', meaning: second },
        text: { title: 'wing', meaning: third },
        none: { title: 'stone' },
      },
      vectorSpec('cosine'),
    )
    const parts = [
      { weight: 1, node: { ...match('wing'), fields: [{ name: 'title', weight: 1 }] } },
      { weight: 1, node: nearest(first, 2) },
    ]
    for (const total of [true, false]) {
      const hits = await ids(generation, {
        ...makePlan([{ kind: 'mix', parts, by: 'rank' }]),
        count: 2,
        total,
      })
      assert.equal(hits[0], 'both')
    }
    const mixed = await ids(generation, makePlan([{ kind: 'mix', parts, by: 'rank' }]))
    assert.equal(mixed.includes('none'), false)
  })

  it('scores a document with several vectors by the nearest of them', async () => {
    const [first = [], second = [], other = []] = makeVectors(3, 29)
    const generation = await generationWith(
      { one: { meaning: other }, several: { meaning: [second, first] }, none: { title: 'x' } },
      vectorSpec('cosine'),
    )
    const hits = await scores(generation, makePlan([nearest(first)]))
    assert.deepEqual(Object.keys(hits).toSorted(), ['one', 'several'])
    assert.ok((hits.several ?? 0) > 0.999)
  })

  it('forgets deleted and replaced vectors', async () => {
    const [first = [], second = []] = makeVectors(2, 31)
    const generation = await generationWith(
      { a: { meaning: first }, b: { meaning: first }, c: { meaning: second } },
      vectorSpec('cosine'),
    )
    const entity = JSON.stringify({ id: 'b', class: [], attributes: { meaning: second } })
    await engine().write(generation, [{ delete: 'a' }, { put: { id: 'b', entity } }])
    await engine().refresh(generation)
    const hits = await scores(generation, makePlan([nearest(first)]))
    assert.deepEqual(Object.keys(hits).toSorted(), ['b', 'c'])
    near(hits.b, hits.c ?? 0)
    assert.ok((hits.b ?? 1) < 0.999)
  })

  it('finds documents that are similar by their vectors, except that one, and only if it is visible', async () => {
    const [first = [], second = [], third = []] = makeVectors(3, 37)
    const nearFirst = first.map((number, index) => number + 0.05 * (second[index] ?? 0))
    const generation = await generationWith(
      {
        a: { meaning: first, tag: 'x' },
        b: { meaning: nearFirst, tag: 'x' },
        c: { meaning: third, tag: 'y' },
        d: { tag: 'y' },
      },
      vectorSpec('cosine'),
    )
    const similar: PlanNode = { kind: 'similar', id: 'a', fields: [{ name: 'meaning', weight: 1 }] }
    assert.deepEqual(await ids(generation, makePlan([similar])), ['b', 'c'])
    assert.deepEqual(await ids(generation, makePlan([similar, filter('tag', ['y'])])), ['c'])
    const hidden = { ...makePlan([similar]), restrictions: [filter('tag', ['y'])] }
    assert.deepEqual(await ids(generation, hidden), [])
    for (const id of ['d', 'gone'])
      assert.deepEqual(await ids(generation, makePlan([{ ...similar, id }])), [])
  })

  it('finds nothing among documents without vectors, and counts facets of what it finds', async () => {
    const [query = []] = makeVectors(1, 41)
    const empty = await generationWith({ a: { title: 'x' } }, vectorSpec('cosine'))
    assert.deepEqual(await ids(empty, makePlan([nearest(query)])), [])
    const vectors = makeVectors(40, 43)
    const generation = await generationWith(
      Object.fromEntries(vectors.map((meaning, index) => [`d${index}`, { meaning, tag: `t${index % 2}` }])),
      vectorSpec('cosine'),
    )
    const { facet } = await engine().search(
      generation,
      {
        ...makePlan([nearest(query, 10)]),
        count: 0,
        facet: { field: 'tag', offset: 0, count: 10, selected: [] },
      },
      deadlineMs,
    )
    assert.equal(
      facet?.options.reduce((sum, { count }) => sum + count, 0),
      10,
    )
    assert.equal((await engine().search(generation, makePlan([matchAll]), deadlineMs)).total, 40)
  })

  it('rejects a vector with other dimensions', async () => {
    const generation = await generationWith({ a: {} }, vectorSpec('cosine'))
    await assert.rejects(
      engine().search(generation, makePlan([nearest([1, 2])]), deadlineMs),
      withCode('unsupported'),
    )
  })
}
