import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { PlanNode } from '#engines/engine'
import { type Bench, filter, lookup, match, near, phrase, planOf } from './engine.suite.plans.ts'

/** What `similar` and `mix` promise. Mixes of filters are compared with a search in memory by engine.suite.oracle.ts. */
export function mixSuite({ engine, generationWith, ids, scores }: Bench): void {
  const shelf = {
    a: { title: 'swept steel wing', text: 'a wing of steel', tag: 'x' },
    b: { title: 'steel wings', tag: 'x' },
    c: { title: 'bird', text: 'the wing of a bird', tag: 'y' },
    d: { title: 'stone', tag: 'y' },
    e: { tag: 'y' },
  }

  it('finds documents like one, the likest first, without it', async () => {
    const generation = await generationWith(shelf)
    assert.deepEqual(await ids(generation, planOf([similar('a')])), ['b', 'c'])
    assert.deepEqual(await ids(generation, planOf([similar('a'), filter('tag', ['y'])])), ['c'])
    assert.deepEqual(await ids(generation, planOf([similar('c', 'title')])), [])
    for (const id of ['d', 'e', 'gone']) assert.deepEqual(await ids(generation, planOf([similar(id)])), [])
  })

  it('adds the scores of the words that documents share', async () => {
    const generation = await generationWith(shelf)
    const like = await scores(generation, planOf([similar('b', 'title')]))
    const words = await scores(
      generation,
      planOf([{ ...match('steel wing'), fields: [{ name: 'title', weight: 1 }] }]),
    )
    assert.deepEqual(like, { a: words.a })
  })

  it('knows nothing of a document that restrictions keep out', async () => {
    const generation = await generationWith(shelf)
    const plan = { ...planOf([similar('a')]), restrictions: [filter('tag', ['y'])] }
    assert.deepEqual(await ids(generation, plan), [])
    assert.deepEqual(await ids(generation, { ...plan, nodes: [similar('c')] }), [])
    assert.deepEqual(await ids(generation, { ...plan, restrictions: [filter('tag', ['x', 'y'])] }), [
      'b',
      'c',
    ])
  })

  it('is like what was last made searchable', async () => {
    const generation = await generationWith(shelf)
    await engine().write(generation, [{ delete: 'b' }])
    await engine().refresh(generation)
    assert.deepEqual(await ids(generation, planOf([similar('b')])), [])
    assert.deepEqual(await ids(generation, planOf([similar('a')])), ['c'])
  })

  it('mixes by reciprocal rank; equal scores share a rank', async () => {
    const generation = await generationWith({
      a: { title: 'steel steel', text: 'wing' },
      b: { title: 'steel', text: 'wing wing' },
      c: { title: 'steel' },
      d: { text: 'wing bird' },
    })
    const node = mix('rank', [2, only('title', 'steel')], [1, only('text', 'wing')])
    const found = await scores(generation, planOf([node]))
    const expected = { a: 2 / 61 + 1 / 62, b: 2 / 62 + 1 / 61, c: 2 / 62, d: 1 / 63 }
    assert.deepEqual(Object.keys(found).toSorted(), ['a', 'b', 'c', 'd'])
    for (const [id, score] of Object.entries(expected)) near(found[id], score)
    assert.deepEqual(await ids(generation, planOf([node])), ['a', 'b', 'c', 'd'])
  })

  it('mixes by the share each part has of its best score', async () => {
    const generation = await generationWith(shelf)
    const [one, two] = [match('steel'), match('wing bird')]
    const [first, second] = [await scores(generation, planOf([one])), await scores(generation, planOf([two]))]
    const found = await scores(generation, planOf([mix('score', [0.7, one], [0.3, two])]))
    const share = (part: Record<string, number>, id: string) =>
      (part[id] ?? 0) / Math.max(...Object.values(part))
    assert.deepEqual(Object.keys(found).toSorted(), ['a', 'b', 'c'])
    for (const id of ['a', 'b', 'c']) near(found[id], 0.7 * share(first, id) + 0.3 * share(second, id))
  })

  it('ranks among what the rest of the plan lets through, whatever stands first', async () => {
    const generation = await generationWith(shelf)
    const node = mix('rank', [1, match('steel wing')], [1, similar('a')])
    const narrow = filter('tag', ['y'])
    for (const plan of [
      planOf([node, narrow]),
      planOf([narrow, node]),
      { ...planOf([node]), restrictions: [narrow] },
    ]) {
      const found = await engine().search(generation, plan, 10_000)
      assert.deepEqual([found.total, found.hits.length], [1, 1])
    }
    near((await scores(generation, planOf([node, narrow]))).c, 2 / 61)
    // What is like a hidden document would say what is in it.
    near((await scores(generation, { ...planOf([node]), restrictions: [narrow] })).c, 1 / 61)
  })

  it('adds to other scores, and may hold any node', async () => {
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
    const [plain, both] = [
      await scores(generation, planOf([word])),
      await scores(generation, planOf([node, word])),
    ]
    near(both.a, (plain.a ?? 0) + 2)
    near(both.c, (plain.c ?? 0) + 0.5)
    assert.equal((await engine().search(generation, planOf([node]), 10_000)).total, 3)
    assert.deepEqual(await ids(generation, planOf([mix('rank')])), [])
    assert.deepEqual(await ids(generation, planOf([mix('rank', [1, lookup('zzz')]), word])), [])
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

function only(name: string, text: string): PlanNode {
  return { ...match(text), fields: [{ name, weight: 1 }] }
}

function mix(by: 'rank' | 'score', ...parts: [number, PlanNode][]): PlanNode {
  return { kind: 'mix', by, parts: parts.map(([weight, node]) => ({ weight, node })) }
}
