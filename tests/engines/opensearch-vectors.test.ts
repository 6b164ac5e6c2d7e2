/** Vectors in OpenSearch: refused by name without the k-NN plugin, and the vector suite on a stand-in for it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { startTestOpenSearch } from '#bench/peers/opensearch'
import type { Engine, GenerationSpec, PlanNode } from '#server/engines/engine'
import { openOpenSearchEngine } from '#server/engines/opensearch/opensearch'
import { versionsInMemory } from '#server/engines/opensearch/versions'
import { nearestSuite } from '#server/engines/suite/engine.suite.nearest'
import {
  createBench,
  deadlineMs,
  filter,
  makePlan,
  match,
  putDocument,
  withCode,
} from '#server/engines/suite/engine.suite.plans'
import { type KnnStandIn, startKnnStandIn } from '#tests/support/knn-stand-in'
import { startServer } from '#tests/support/started-server'

const node = await startTestOpenSearch()
after(() => node[Symbol.asyncDispose]())

const open = (url: string, shards = 1): Promise<Engine> =>
  openOpenSearchEngine(
    { nodes: [url], prefix: `test-${randomBytes(4).toString('hex')}-`, shards, replicas: 0 },
    versionsInMemory(),
  )

const spec: GenerationSpec = {
  fields: [
    { name: 'title', type: 'text', language: 'english', prefix: false },
    { name: 'tag', type: 'keyword' },
    { name: 'meaning', type: 'vector', dimensions: 2, metric: 'cosine' },
  ],
}
const nearest = (vector: number[], limit = 1000): PlanNode => ({
  kind: 'nearest',
  field: 'meaning',
  vector,
  limit,
  minimum: 0,
})
const text = { ...match('wing'), fields: [{ name: 'title', weight: 1 }] }

describe('OpenSearch without the k-NN plugin', () => {
  test('names the plugin; words find documents with vectors, and vectors are unsupported', async () => {
    const engine = await open(node.url)
    try {
      assert.match((await engine.missingForVectors?.()) ?? '', /opensearch-knn/)
      await engine.open('g', spec)
      await engine.write('g', [putDocument('a', { title: 'a wing', meaning: [1, 2] })])
      await engine.refresh('g')
      assert.equal((await engine.search('g', makePlan([text]), deadlineMs)).total, 1)
      for (const searched of [
        nearest([1, 2]),
        { kind: 'similar', id: 'a', fields: [{ name: 'meaning', weight: 1 }] } as const,
        { kind: 'mix', by: 'rank', parts: [{ weight: 1, node: nearest([1, 2]) }] } as const,
      ] satisfies PlanNode[] as PlanNode[])
        await assert.rejects(engine.search('g', makePlan([searched]), deadlineMs), withCode('unsupported'))
    } finally {
      await engine.close()
    }
  })

  test('a workspace file with a new vector field is refused, with its place', async () => {
    const server = await startServer([
      '--engine',
      node.url,
      '--engine-prefix',
      'vectors-',
      '--engine-replicas',
      '0',
    ])
    try {
      const file = (field: string) =>
        `workspace: shop\ncollections:\n  things:\n    fields:\n      title: { type: text }${field}\n`
      await server.applyWorkspace(file(''))
      await assert.rejects(
        server.run(['apply', '-'], { input: file('\n      meaning: { type: vector, dimensions: 2 }') }),
        /collections\.things\.fields\.meaning\.type.*opensearch-knn/,
      )
    } finally {
      await server.stop()
    }
  })
})

for (const shards of [1, 3])
  describe(`OpenSearch of ${shards} shards with a stand-in for the k-NN plugin`, () => {
    let standIn: KnnStandIn
    let engine: Engine
    before(async () => {
      standIn = await startKnnStandIn(node.url)
      engine = await open(standIn.url, shards)
    })
    after(async () => {
      await engine.close()
      await standIn[Symbol.asyncDispose]()
    })
    const bench = createBench(() => engine)
    test('has all that vectors need', async () => {
      assert.equal(await engine.missingForVectors?.(), undefined)
    })
    nearestSuite(bench)

    test('a row filter and the filters of the plan are inside the `knn` query, also in a mix', async () => {
      const generation = await bench.generationWith(
        {
          hidden: { title: 'wing', tag: 'secret', meaning: [1, 0] },
          seen: { title: 'wing', tag: 'open', meaning: [0.9, 0.1] },
          far: { title: 'stone', tag: 'open', meaning: [0, 1] },
        },
        spec,
      )
      const restrictions = [filter('tag', ['open'])]
      const mix: PlanNode = {
        kind: 'mix',
        by: 'rank',
        parts: [
          { weight: 1, node: text },
          { weight: 1, node: nearest([1, 0], 1) },
        ],
      }
      for (const [searched, expected] of [
        [nearest([1, 0], 1), ['seen']],
        [mix, ['seen']],
      ] as const) {
        standIn.filters.length = 0
        assert.deepEqual(await bench.ids(generation, { ...makePlan([searched]), restrictions }), expected)
        assert.ok(standIn.filters.length > 0)
        for (const one of standIn.filters) assert.match(JSON.stringify(one), /"open"/)
      }
      const filteredPlan = makePlan([mix, filter('tag', ['open'])])
      standIn.filters.length = 0
      assert.deepEqual(await bench.ids(generation, filteredPlan), ['seen'])
      for (const one of standIn.filters) assert.match(JSON.stringify(one), /"open"/)
    })

    test('accepts documents and queries that the plugin would reject', async () => {
      const generation = await bench.generationWith(
        { zero: { meaning: [0, 0] }, other: { meaning: [1, 2, 3] }, good: { meaning: [1, 1] } },
        spec,
      )
      assert.deepEqual(await bench.ids(generation, makePlan([nearest([1, 0])])), ['good'])
      assert.deepEqual(await bench.scores(generation, makePlan([nearest([0, 0])])), { good: 0.5 })
    })

    test('a plan with vectors can delete, and a copy keeps them', async () => {
      const generation = await bench.generationWith(
        { a: { meaning: [1, 0] }, b: { meaning: [0, 1] }, c: { meaning: [-1, 0] } },
        spec,
      )
      const copy = bench.newId()
      await engine.open(copy, spec)
      await engine.copy(generation, copy)
      await engine.refresh(copy)
      assert.deepEqual(await bench.ids(copy, makePlan([nearest([1, 0])])), ['a', 'b', 'c'])
      assert.equal(await engine.deleteMatching(copy, makePlan([nearest([1, 0], 2)])), 2)
      await engine.refresh(copy)
      assert.deepEqual(await bench.ids(copy, makePlan([nearest([1, 0])])), ['c'])
    })
  })
