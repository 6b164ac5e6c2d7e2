import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { GenerationSpec, Plan, PlanNode, Reply } from '#engines/engine'
import {
  all,
  type Bench,
  deadlineMs,
  filter,
  match,
  near,
  nothing,
  planOf,
  put,
} from './engine.suite.plans.ts'

/** What restrictions keep out shows in nothing: not in scores, nor in which words complete or correct another. */
export function restrictionsSuite({ engine, generationWith, ids, scores }: Bench): void {
  it('answer as a generation does that holds only what they let through', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(attributes, { maxLength: 15 }), { minLength: 1, maxLength: 3 }),
        fc.array(plan, { minLength: 1, maxLength: 8 }),
        fc.array(restriction, { minLength: 1, maxLength: 2 }),
        async (batches, plans, restrictions) => {
          const [whole, seen] = await Promise.all([generationWith({}, spec), generationWith({}, spec)])
          const isSeen = (one: Attributes) => restrictions.every(node => isLetThrough(one, node))
          for (const [number, batch] of batches.entries()) {
            const documents = batch.map((one, at) => ({ id: `d${number}-${at}`, one }))
            const fill = async (generation: string, shown: typeof documents) => {
              await engine().write(
                generation,
                shown.map(({ id, one }) => put(id, one)),
              )
              await engine().refresh(generation)
            }
            const shown = documents.filter(({ one }) => isSeen(one))
            await Promise.all([fill(whole, documents), fill(seen, shown)])
          }
          // Twice, for the engine may remember something of the restrictions.
          for (const wanted of [...plans, ...plans])
            alike(
              ...(await Promise.all([
                engine().search(whole, { ...wanted, restrictions }, deadlineMs),
                engine().search(seen, wanted, deadlineMs),
              ])),
            )
          await Promise.all([whole, seen].map(generation => engine().drop(generation)))
        },
      ),
      { numRuns: 30 },
    )
  })

  it('hide words that would push out the completions of what is seen', async () => {
    const hidden = Array.from({ length: 1_300 }, (_, at) => [
      `h${at}`,
      { title: `z${(at % 650).toString(36)}`, tag: 'hidden' },
    ])
    const generation = await generationWith(
      {
        a: { title: 'zorb', tag: 'seen' },
        b: { title: 'fjord', tag: 'seen' },
        ...Object.fromEntries(hidden),
      },
      spec,
    )
    const begun: PlanNode = { ...match(''), text: { ...nothing, unfinished: 'z' }, fields: typedFields }
    const wanted = { ...planOf([begun]), restrictions: [filter('tag', ['seen'])] }
    assert.deepEqual(await ids(generation, wanted), ['a'])
  })

  it('see changes at once', async () => {
    const generation = await generationWith({ a: { text: 'wing', tag: 'x' }, b: { text: 'wing', tag: 'y' } })
    const wanted = { ...planOf([match('wing')]), restrictions: [filter('tag', ['x'])] }
    const before = await scores(generation, wanted)
    assert.deepEqual(Object.keys(before), ['a'])
    await engine().write(generation, [put('c', { text: 'wing', tag: 'y' })])
    await engine().refresh(generation)
    assert.deepEqual(await scores(generation, wanted), before)
    await engine().write(generation, [put('b', { text: 'bird', tag: 'x' }), { delete: 'c' }])
    await engine().refresh(generation)
    const after = await scores(generation, wanted)
    assert.deepEqual(Object.keys(after), ['a'])
    assert.ok(
      (after.a ?? 0) > (before.a ?? 0),
      'a word that half of them have says more than one that all have',
    )
  })
}

const spec: GenerationSpec = {
  fields: [
    { name: 'title', type: 'text', language: 'english', prefix: true },
    { name: 'text', type: 'text', language: 'english', prefix: true },
    { name: 'tag', type: 'keyword' },
    { name: 'year', type: 'number' },
  ],
  synonyms: [
    ['merger', 'fusion', 'coming together'],
    { from: ['winged steel', 'fjord'], to: ['stale wing', 'zorb'] },
  ],
}
const typedFields = [
  { name: 'title', weight: 2 },
  { name: 'text', weight: 1 },
]

interface Attributes {
  title: string
  text: string
  tag: string
  year: number
}
const vocabulary =
  'merger merged fusion wing wings wang winged steel steal steels stale zorb zorv zorbs fjord the and coming together'
const word = fc.constantFrom(...vocabulary.split(' '))
const text = fc.array(word, { maxLength: 12 }).map(words => words.join(' '))
const tag = fc.constantFrom('x', 'y', 'z')
const year = fc.constantFrom(1990, 1991, 1992)
const attributes: fc.Arbitrary<Attributes> = fc.record({ title: text, text, tag, year })

const restriction: fc.Arbitrary<PlanNode> = fc.oneof(
  fc.uniqueArray(tag, { minLength: 1 }).map(values => filter('tag', values)),
  fc.record({ kind: fc.constant('range' as const), field: fc.constant('year'), from: year }),
)
const isLetThrough = (one: Attributes, node: PlanNode): boolean => {
  if (node.kind === 'range') return one.year >= Number(node.from)
  assert.ok(node.kind === 'filter')
  return node.alternatives.some(({ values }) => values.includes(one.tag))
}

const words = fc.array(word, { maxLength: 3 })
const synonymPhrase = fc.constantFrom('coming together', 'together coming together', 'wing winged steel')
const parsed = fc.record({
  words: fc.oneof(
    { weight: 3, arbitrary: words },
    synonymPhrase.map(phrase => phrase.split(' ')),
  ),
  phrases: fc.array(
    fc.tuple(word, word).map(pair => pair.join(' ')),
    { maxLength: 1 },
  ),
  excludedWords: fc.oneof({ weight: 4, arbitrary: fc.constant<string[]>([]) }, words),
  excludedPhrases: fc.constant<string[]>([]),
})
const begun = fc.constantFrom('w', 'wi', 'me', 'ste', 'z', 'zorv', 'th', 'co')
const matching: fc.Arbitrary<PlanNode> = fc.record({
  kind: fc.constant('match' as const),
  text: fc.oneof(
    parsed,
    fc.record({ parsed, unfinished: begun }).map(({ parsed: rest, unfinished }) => ({ ...rest, unfinished })),
  ),
  fields: fc.constant(typedFields),
  typos: fc.boolean(),
})
const similar: fc.Arbitrary<PlanNode> = fc.record({
  kind: fc.constant('similar' as const),
  id: fc.constantFrom('d0-0', 'd0-1', 'd0-2', 'd1-0', 'd1-1'),
  fields: fc.constant(typedFields),
})
const mix: fc.Arbitrary<PlanNode> = fc.record({
  kind: fc.constant('mix' as const),
  by: fc.constantFrom('rank' as const, 'score' as const),
  parts: fc.array(fc.record({ weight: fc.constantFrom(0.3, 1), node: fc.oneof(matching, similar) }), {
    minLength: 1,
    maxLength: 3,
  }),
})
const narrowing: fc.Arbitrary<PlanNode> = tag.map(value => ({
  kind: 'filter',
  field: 'tag',
  alternatives: [
    { score: 1, values: [value] },
    { score: 0.5, values: ['x'] },
  ],
}))
const plan: fc.Arbitrary<Plan> = fc.record({
  nodes: fc.oneof(
    fc.oneof(matching, similar, mix, fc.constant(all)).map(node => [node]),
    fc.tuple(fc.oneof(matching, mix), fc.oneof(matching, similar, narrowing)),
  ),
  restrictions: fc.constant([]),
  order: fc.constant([{ by: 'score' as const }]),
  cutoff: fc.constantFrom(0, 0, 0.5),
  offset: fc.constant(0),
  count: fc.constant(50),
  statistics: fc.boolean(),
  total: fc.boolean(),
  facet: fc.constant({ field: 'tag', offset: 0, count: 5, selected: ['x'] }),
  highlight: fc.constant({ fields: ['title', 'text'], snippets: 2, chars: 40 }),
})

function alike(own: Reply, other: Reply): void {
  const { hits, best, ...rest } = own
  const { hits: otherHits, best: otherBest, ...otherRest } = other
  assert.deepEqual(rest, otherRest)
  assert.deepEqual(
    hits.map(({ entity, highlights }) => ({ entity, highlights })),
    otherHits.map(({ entity, highlights }) => ({ entity, highlights })),
  )
  near(best, otherBest)
  for (const [at, { score }] of hits.entries()) near(score, otherHits[at]?.score ?? -1)
}
