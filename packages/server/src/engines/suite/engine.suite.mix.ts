import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { PlanNode } from '#engines/engine'
import { type Bench, filter, lookup, makePlan, match, near, phrase } from './engine.suite.plans.ts'
import { distributionShare } from './engine.suite.search-in-memory.ts'

/** Tests `similar` and `mix`. engine.suite.oracle.ts compares mixes of filters with a search in memory. */
export function mixSuite({ engine, generationWith, ids, scores }: Bench): void {
  const shelf = {
    a: { title: 'swept steel wing', text: 'a wing of steel', tag: 'x' },
    b: { title: 'steel wings', tag: 'x' },
    c: { title: 'bird', text: 'the wing of a bird', tag: 'y' },
    d: { title: 'stone', tag: 'y' },
    e: { tag: 'y' },
  }

  it('finds documents similar to one, the most similar first, without that one', async () => {
    const generation = await generationWith(shelf)
    assert.deepEqual(await ids(generation, makePlan([similar('a')])), ['b', 'c'])
    assert.deepEqual(await ids(generation, makePlan([similar('a'), filter('tag', ['y'])])), ['c'])
    assert.deepEqual(await ids(generation, makePlan([similar('c', 'title')])), [])
    for (const id of ['d', 'e', 'gone']) assert.deepEqual(await ids(generation, makePlan([similar(id)])), [])
  })

  it('adds the scores of shared words', async () => {
    const generation = await generationWith(shelf)
    const like = await scores(generation, makePlan([similar('b', 'title')]))
    const words = await scores(
      generation,
      makePlan([{ ...match('steel wing'), fields: [{ name: 'title', weight: 1 }] }]),
    )
    assert.deepEqual(like, { a: words.a })
  })

  it('finds nothing similar to a document that restrictions hide', async () => {
    const generation = await generationWith(shelf)
    const plan = { ...makePlan([similar('a')]), restrictions: [filter('tag', ['y'])] }
    assert.deepEqual(await ids(generation, plan), [])
    assert.deepEqual(await ids(generation, { ...plan, nodes: [similar('c')] }), [])
    assert.deepEqual(await ids(generation, { ...plan, restrictions: [filter('tag', ['x', 'y'])] }), [
      'b',
      'c',
    ])
  })

  it('compares with the searchable version of the document', async () => {
    const generation = await generationWith(shelf)
    await engine().write(generation, [{ delete: 'b' }])
    await engine().refresh(generation)
    assert.deepEqual(await ids(generation, makePlan([similar('b')])), [])
    assert.deepEqual(await ids(generation, makePlan([similar('a')])), ['c'])
  })

  it('mixes by reciprocal rank; equal scores share a rank', async () => {
    const generation = await generationWith({
      a: { title: 'steel steel', text: 'wing' },
      b: { title: 'steel', text: 'wing wing' },
      c: { title: 'steel' },
      d: { text: 'wing bird' },
    })
    const node = mix('rank', [2, matchField('title', 'steel')], [1, matchField('text', 'wing')])
    const mixScores = await scores(generation, makePlan([node]))
    const expected = { a: 2 / 11 + 1 / 12, b: 2 / 12 + 1 / 11, c: 2 / 12, d: 1 / 13 }
    assert.deepEqual(Object.keys(mixScores).toSorted(), ['a', 'b', 'c', 'd'])
    for (const [id, score] of Object.entries(expected)) near(mixScores[id], score)
    assert.deepEqual(await ids(generation, makePlan([node])), ['a', 'b', 'c', 'd'])
  })

  it('mixes by scores, by their distance from the mean of their part', async () => {
    const generation = await generationWith(shelf)
    const [one, two] = [match('steel'), match('wing bird')]
    const [first, second] = [
      await scores(generation, makePlan([one])),
      await scores(generation, makePlan([two])),
    ]
    const mixScores = await scores(generation, makePlan([mix('score', [0.7, one], [0.3, two])]))
    const share = (part: Record<string, number>, id: string) => {
      const score = part[id]
      return score === undefined ? 0 : distributionShare(Object.values(part))(score)
    }
    assert.deepEqual(Object.keys(mixScores).toSorted(), ['a', 'b', 'c'])
    for (const id of ['a', 'b', 'c']) near(mixScores[id], 0.7 * share(first, id) + 0.3 * share(second, id))
  })

  it('ranks only documents that satisfy the rest of the plan, for any order of nodes', async () => {
    const generation = await generationWith(shelf)
    const node = mix('rank', [1, match('steel wing')], [1, similar('a')])
    const narrow = filter('tag', ['y'])
    for (const plan of [
      makePlan([node, narrow]),
      makePlan([narrow, node]),
      { ...makePlan([node]), restrictions: [narrow] },
    ]) {
      const reply = await engine().search(generation, plan, 10_000)
      assert.deepEqual([reply.total, reply.hits.length], [1, 1])
    }
    near((await scores(generation, makePlan([node, narrow]))).c, 2 / 11)
    // Documents similar to a hidden one would reveal its content.
    near((await scores(generation, { ...makePlan([node]), restrictions: [narrow] })).c, 1 / 11)
  })

  it('adds to other scores, and accepts any node', async () => {
    const generation = await generationWith(shelf)
    const word = match('wing')
    const scored: PlanNode = {
      kind: 'lookup',
      alternatives: [
        { score: 1, values: ['a'] },
        { score: 0.5, values: ['c', 'd'] },
      ],
    }
    const node = mix('score', [1, scored], [1, phrase('swept steel')])
    const [plain, combined] = [
      await scores(generation, makePlan([word])),
      await scores(generation, makePlan([node, word])),
    ]
    const share = distributionShare([1, 0.5])
    near(combined.a, (plain.a ?? 0) + share(1) + 0.5)
    near(combined.c, (plain.c ?? 0) + share(0.5))
    assert.equal((await engine().search(generation, makePlan([node]), 10_000)).total, 3)
    assert.deepEqual(await ids(generation, makePlan([mix('rank')])), [])
    assert.deepEqual(await ids(generation, makePlan([mix('rank', [1, lookup('zzz')]), word])), [])
  })
}

const fields = [
  { name: 'title', weight: 1 },
  { name: 'text', weight: 1 },
]

function similar(id: string, ...names: string[]): PlanNode {
  return {
    kind: 'similar',
    id,
    fields: fields.filter(({ name }) => names.length === 0 || names.includes(name)),
  }
}

function matchField(name: string, text: string): PlanNode {
  return { ...match(text), fields: [{ name, weight: 1 }] }
}

function mix(by: 'rank' | 'score', ...parts: [number, PlanNode][]): PlanNode {
  return { kind: 'mix', by, parts: parts.map(([weight, node]) => ({ weight, node })) }
}
