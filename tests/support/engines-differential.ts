/**
 * Runs the same documents and plans on two engines. Totals, facets, filters, sorts and statistics of plans without text are equal. Pages by
 * text score have the same documents, except for the differences in docs/scale.md.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { Engine, GenerationSpec, Plan, PlanNode, Reply } from '#server/engines/engine'
import { arbitraryPlan } from '#server/engines/suite/engine.suite.oracle'
import {
  deadlineMs,
  emptyText,
  makePlan,
  match,
  putDocument,
  typos,
  withSynonyms,
} from '#server/engines/suite/engine.suite.plans'

const documents = 600
const plansTried = 150
const seed = 20_261_121

export function testAgreement(embedded: () => Engine, makeOther: () => Engine): void {
  const generation = 'differential'
  let isFilled = false
  const fill = async () => {
    if (isFilled) return
    isFilled = true
    const writes = fc
      .sample(attributes, { numRuns: documents, seed })
      .map((one, index) => putDocument(`https://example.org/d${index}`, one))
    for (const engine of [embedded(), makeOther()]) {
      await engine.open(generation, spec)
      await engine.write(generation, writes)
      await engine.refresh(generation)
    }
  }
  const searchBoth = async (plan: Plan): Promise<[Reply, Reply]> => {
    await fill()
    const [one, two] = await Promise.all(
      [embedded(), makeOther()].map(engine => engine.search(generation, plan, deadlineMs)),
    )
    assert.ok(one && two)
    return [one, two]
  }

  it(`answers ${plansTried} plans without text to the letter as the embedded engine does`, async () => {
    for (const plan of fc.sample(arbitraryPlan(sources), { numRuns: plansTried, seed })) {
      const [one, two] = await searchBoth(plan)
      const withoutScores = ({ hits, best: _, ...rest }: Reply) => ({
        ...rest,
        entities: hits.map(({ entity }) => entity),
      })
      assert.deepEqual(withoutScores(two), withoutScores(one), JSON.stringify(plan))
      for (const [index, { score }] of two.hits.entries()) {
        const expected = one.hits[index]?.score ?? Number.NaN
        assert.ok(Math.abs(score - expected) <= 1e-6 * expected, `${score} for ${expected}`)
      }
    }
  })

  it(`finds, counts and sorts ${plansTried} texts as the embedded engine does`, async () => {
    for (const plan of fc.sample(texts, { numRuns: plansTried, seed })) {
      const sorted: Plan = { ...plan, order: [{ by: 'field', field: 'year', order: 'descending' }] }
      const [one, two] = await searchBoth({
        ...sorted,
        facet: { field: 'tag', offset: 0, count: 10, selected: ['x'] },
      })
      const comparable = ({ hits, total, facet, relaxed = [] }: Reply) => ({
        total,
        relaxed,
        facet,
        entities: hits.map(hit => hit.entity),
      })
      assert.deepEqual(comparable(two), comparable(one), JSON.stringify(plan))
    }
  })

  it('adds up texts that say the same, however often', async () => {
    const repeated = { ...match('zorb'), fields: [{ name: 'title', weight: 1 }] }
    for (const nodes of [
      [repeated, repeated],
      [repeated, repeated, repeated],
      [repeated, { ...match('zorb'), fields: [{ name: 'title', weight: 0.5 }] }],
    ]) {
      const [one, two] = await searchBoth(makePlan(nodes))
      assert.ok(one.total > 0)
      assert.equal(two.total, one.total)
      assert.ok(Math.abs(two.best - one.best) <= 1e-4 * one.best, `${two.best} for ${one.best}`)
    }
  })

  it('scores a word that texts write apart as the embedded engine does', async () => {
    const [one, two] = await searchBoth({ ...makePlan([match('stateoftheart')]), count: 100 })
    assert.ok(one.hits.length > 10)
    const scoreByEntity = new Map(one.hits.map(({ entity, score }) => [entity, score]))
    for (const { entity, score } of two.hits) {
      // The last ones of the page may have equal scores.
      const expected = scoreByEntity.get(entity) ?? score
      assert.ok(Math.abs(score - expected) <= 1e-4 * expected, `${score} for ${expected}`)
    }
  })

  it('ranks words and phrases as the embedded engine does, corrections nearly so', async t => {
    const overlaps: Record<string, number[]> = { words: [], corrected: [] }
    for (const plan of fc.sample(texts, { numRuns: plansTried, seed })) {
      const [one, two] = await searchBoth({ ...plan, count: 10 })
      if (one.hits.length === 0) continue
      const isCorrected = plan.nodes.some(node => node.kind === 'match' && node.ranking === 'words')
      const firsts = new Set(one.hits.map(({ entity }) => entity))
      const shared = two.hits.filter(({ entity }) => firsts.has(entity)).length
      overlaps[isCorrected ? 'corrected' : 'words']?.push(shared / one.hits.length)
      if (isCorrected) continue
      for (const [index, { score }] of two.hits.entries()) {
        const expected = one.hits[index]?.score ?? Number.NaN
        assert.ok(
          Math.abs(score - expected) <= 1e-4 * expected,
          `${score} for ${expected}: ${JSON.stringify(plan)}`,
        )
      }
    }
    const mean = (shares: number[] = []) => shares.reduce((sum, share) => sum + share, 0) / shares.length
    const [words, corrected] = [mean(overlaps.words), mean(overlaps.corrected)]
    t.diagnostic(
      `of the first ten, shared: ${words.toFixed(3)} of ${overlaps.words?.length} texts, ${corrected.toFixed(3)} of ${overlaps.corrected?.length} with completions or corrections`,
    )
    // Documents whose scores differ only by rounding may have either order.
    assert.ok(words >= 0.98)
    assert.ok(corrected >= 0.95)
  })
}

const spec: GenerationSpec = {
  fields: [
    { name: 'title', type: 'text', language: 'english', prefix: true },
    { name: 'text', type: 'text', language: 'english', prefix: true },
    { name: 'tag', type: 'keyword' },
    { name: 'year', type: 'number' },
    { name: 'added', type: 'date' },
    { name: 'good', type: 'boolean' },
  ],
}
const addSynonyms = withSynonyms([
  ['merger', 'fusion', 'coming together'],
  ['state of the art', 'stale river', 'bank'],
  ['river bank', 'the fjord'],
  { from: ['winged steel', 'running'], to: ['dictionary of 1984', 'zorb'] },
])

const vocabulary =
  'merger merged fusion wing wings winged steel steal stale zorb fjord the and of coming together café Über naïve running runs state-of-the-art dictionary dictator 1984 bank river'
const word = fc.constantFrom(...vocabulary.split(' '))
const text = (maximum: number) => fc.array(word, { maxLength: maximum }).map(words => words.join(' '))
const tag = fc.constantFrom('x', 'y', 'z', 'a b', 'é', '😀')
const year = fc.constantFrom(0, 1.5, -2, 1990, 2000, 1e21)
const added = fc.constantFrom('2024-02-29T00:00:00Z', '2024-02-29T23:59:59.5Z', '1969-12-31T23:59:59Z')
const attributes = fc.record(
  {
    title: text(5),
    text: text(60),
    tag: fc.array(tag, { maxLength: 3 }),
    year: fc.array(year, { maxLength: 2 }),
    added,
    good: fc.boolean(),
  },
  { requiredKeys: ['title'] },
)

const sources = {
  id: fc.nat(documents + 10).map(index => `https://example.org/d${index}`),
  fields: { tag, year, added, good: fc.boolean() },
  ranged: ['tag', 'year', 'added'],
  sorted: ['tag', 'year', 'added', 'good', 'title'],
  count: fc.constant(50),
}

const words = fc.array(word, { maxLength: 3 })
/** Texts with members of several words, some of which overlap. */
const wordsWithSynonyms = fc
  .tuple(
    words,
    fc.constantFrom('coming together', 'state of the art', 'river bank', 'stale river bank', 'winged steel'),
    words,
  )
  .map(([before, member, after]) => [...before, ...member.split(' '), ...after])
const matchNodes: fc.Arbitrary<PlanNode> = fc
  .record({
    words: fc.oneof({ weight: 2, arbitrary: words }, wordsWithSynonyms),
    phrases: fc.array(
      fc.array(word, { minLength: 2, maxLength: 4 }).map(phrase => phrase.join(' ')),
      { maxLength: 1 },
    ),
    excludedWords: fc.oneof({ weight: 3, arbitrary: fc.constant<string[]>([]) }, fc.tuple(word)),
    unfinished: fc.option(fc.constantFrom('w', 'ste', 'dict', 'zo', 'ru'), { freq: 1, nil: undefined }),
    hasTypos: fc.constantFrom(false, false, true),
    matching: fc.constantFrom('any' as const, 'any' as const, 'all' as const, 'relaxed' as const),
  })
  .map(({ hasTypos, unfinished, matching, ...parsed }) => ({
    ...match(''),
    text: { ...emptyText, ...parsed, ...(unfinished !== undefined && { unfinished }) },
    ...(hasTypos && { typos }),
    ...((hasTypos || unfinished !== undefined) && { ranking: 'words' as const }),
    matching,
  }))
  .map(addSynonyms)
const texts: fc.Arbitrary<Plan> = matchNodes.map(node => makePlan([node]))
