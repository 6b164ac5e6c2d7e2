import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { GenerationSpec, Plan, PlanNode, Reply } from '#engines/engine'
import { chooseRuns } from '#test-runs'
import {
  type Bench,
  deadlineMs,
  filter,
  makePlan,
  match,
  matchAll,
  near,
  putDocument,
  typos,
  unfinished,
  withSynonyms,
} from './engine.suite.plans.ts'

/** Tests that hidden documents never show, neither in scores nor in completions and corrections. */
export function restrictionsSuite({ engine, generationWith, ids, scores }: Bench): void {
  it('give the same replies as a generation with the visible documents only', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(attributes, { maxLength: 15 }), { minLength: 1, maxLength: 3 }),
        fc.array(plan, { minLength: 1, maxLength: 8 }),
        fc.array(restriction, { minLength: 1, maxLength: 2 }),
        async (batches, plans, restrictions) => {
          const [restricted, visibleOnly] = await Promise.all([
            generationWith({}, spec),
            generationWith({}, spec),
          ])
          const isVisible = (one: Attributes) => restrictions.every(node => satisfies(one, node))
          for (const [number, batch] of batches.entries()) {
            const documents = batch.map((one, index) => ({ id: `d${number}-${index}`, one }))
            const fill = async (generation: string, rows: typeof documents) => {
              await engine().write(
                generation,
                rows.map(({ id, one }) => putDocument(id, one)),
              )
              await engine().refresh(generation)
            }
            const visibleDocuments = documents.filter(({ one }) => isVisible(one))
            await Promise.all([fill(restricted, documents), fill(visibleOnly, visibleDocuments)])
          }
          // Twice, because the engine may cache something of the restrictions.
          for (const plan of [...plans, ...plans])
            assertSameReply(
              ...(await Promise.all([
                engine().search(restricted, { ...plan, restrictions }, deadlineMs),
                engine().search(visibleOnly, plan, deadlineMs),
              ])),
            )
          await Promise.all([restricted, visibleOnly].map(generation => engine().drop(generation)))
        },
      ),
      { numRuns: chooseRuns(15, 60), endOnFailure: true },
    )
  })

  it('hide words that would displace completions in visible documents', async () => {
    const hidden = Array.from({ length: 1_300 }, (_, index) => [
      `h${index}`,
      { title: `z${(index % 650).toString(36)}`, tag: 'hidden' },
    ])
    const generation = await generationWith(
      {
        a: { title: 'zorb', tag: 'seen' },
        b: { title: 'fjord', tag: 'seen' },
        ...Object.fromEntries(hidden),
      },
      spec,
    )
    const prefix: PlanNode = { ...unfinished('z'), fields: typedFields }
    const plan = { ...makePlan([prefix]), restrictions: [filter('tag', ['seen'])] }
    assert.deepEqual(await ids(generation, plan), ['a'])
  })

  it('hide joined words that would displace completions in visible documents', async () => {
    const hidden = Array.from({ length: 100 }, (_, index) => [
      `h${index}`,
      { title: `spider-${index + 100}`, tag: 'hidden' },
    ])
    const generation = await generationWith(
      { a: { title: 'Spider-Man', tag: 'seen' }, ...Object.fromEntries(hidden) },
      spec,
    )
    const prefix: PlanNode = { ...unfinished('spiderm'), fields: typedFields }
    const every: PlanNode = { ...unfinished('spid'), fields: typedFields }
    for (const node of [prefix, every]) {
      const plan = { ...makePlan([node]), restrictions: [filter('tag', ['seen'])] }
      assert.deepEqual(await ids(generation, plan), ['a'])
    }
  })

  it('show changes at once', async () => {
    const generation = await generationWith({ a: { text: 'wing', tag: 'x' }, b: { text: 'wing', tag: 'y' } })
    const plan = { ...makePlan([match('wing')]), restrictions: [filter('tag', ['x'])] }
    const scoresBefore = await scores(generation, plan)
    assert.deepEqual(Object.keys(scoresBefore), ['a'])
    await engine().write(generation, [putDocument('c', { text: 'wing', tag: 'y' })])
    await engine().refresh(generation)
    assert.deepEqual(await scores(generation, plan), scoresBefore)
    await engine().write(generation, [putDocument('b', { text: 'bird', tag: 'x' }), { delete: 'c' }])
    await engine().refresh(generation)
    const scoresAfter = await scores(generation, plan)
    assert.deepEqual(Object.keys(scoresAfter), ['a'])
    assert.ok(
      (scoresAfter.a ?? 0) > (scoresBefore.a ?? 0),
      'a word in half of the documents scores higher than one in all of them',
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
}
const addSynonyms = withSynonyms([
  ['merger', 'fusion', 'coming together'],
  { from: ['winged steel', 'fjord'], to: ['stale wing', 'zorb'] },
])
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
const satisfies = (one: Attributes, node: PlanNode): boolean => {
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
const prefix = fc.constantFrom('w', 'wi', 'me', 'ste', 'z', 'zorv', 'th', 'co')
const matching: fc.Arbitrary<PlanNode> = fc
  .record({
    parsed,
    last: fc.option(prefix, { nil: undefined }),
    hasTypos: fc.boolean(),
    exact: fc.boolean(),
    matching: fc.constantFrom('any' as const, 'all' as const, 'relaxed' as const),
  })
  .map(({ parsed: rest, last, hasTypos, ...options }) => ({
    kind: 'match' as const,
    text: { ...rest, ...(last !== undefined && { unfinished: last }) },
    fields: typedFields,
    ...(hasTypos && { typos }),
    ...((hasTypos || last !== undefined) && { ranking: 'words' as const }),
    ...options,
  }))
  .map(node => addSynonyms<PlanNode>(node))
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
    fc.oneof(matching, similar, mix, fc.constant(matchAll)).map(node => [node]),
    fc.tuple(fc.oneof(matching, mix), fc.oneof(matching, similar, narrowing)),
  ),
  restrictions: fc.constant([]),
  order: fc.constant([{ by: 'score' as const }]),
  cutoff: fc.constantFrom(0, 0, 0.5),
  offset: fc.constant(0),
  count: fc.constant(50),
  statistics: fc.boolean(),
  total: fc.boolean(),
  facet: fc.constantFrom(
    { field: 'tag', offset: 0, count: 5, selected: ['x'] },
    { field: 'year', offset: 0, count: 0, selected: [], groups: { by: 'interval' as const, size: 1 } },
    { field: 'tag', offset: 0, count: 0, selected: [], groups: { by: 'hierarchy' as const, separator: '/' } },
  ),
  suggest: fc.boolean(),
  highlight: fc.constant({ fields: ['title', 'text'], snippets: 2, chars: 40 }),
})

function assertSameReply(actual: Reply, expected: Reply): void {
  const { hits, best, ...rest } = actual
  const { hits: otherHits, best: otherBest, ...otherRest } = expected
  assert.deepEqual(rest, otherRest)
  assert.deepEqual(
    hits.map(({ entity, highlights }) => ({ entity, highlights })),
    otherHits.map(({ entity, highlights }) => ({ entity, highlights })),
  )
  near(best, otherBest)
  for (const [index, { score }] of hits.entries()) near(score, otherHits[index]?.score ?? -1)
}
