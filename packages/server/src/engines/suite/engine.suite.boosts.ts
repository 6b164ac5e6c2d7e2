/** Tests `any` and `boost` nodes. The oracle (engine.suite.oracle.ts) compares them with a search in memory as well. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  type BoostNode,
  type BoostRule,
  boostNumberMax,
  type GenerationSpec,
  type PlanNode,
} from '#engines/engine'
import {
  type Bench,
  deadlineMs,
  filter,
  library,
  makePlan,
  match,
  matchAll,
  near,
  withCode,
} from './engine.suite.plans.ts'

const dayMs = 24 * 60 * 60 * 1000
const nowMs = Date.parse('2026-01-31T00:00:00Z')

const boost = (field: string, rule: BoostRule): BoostNode => ({ kind: 'boost', field, rule })

/** Words are indexed as typed too, so that they may have typos. */
const typedSpec: GenerationSpec = {
  ...library,
  fields: library.fields.map(field => (field.type === 'text' ? { ...field, prefix: true } : field)),
}

export function boostsSuite({ engine, generationWith, ids, scores }: Bench): void {
  const assertScores = async (generation: string, nodes: PlanNode[], expected: Record<string, number>) => {
    const actual = await scores(generation, makePlan(nodes))
    assert.deepEqual(Object.keys(actual).sort(), Object.keys(expected).sort())
    for (const [id, score] of Object.entries(expected)) near(actual[id], score)
  }

  it('any keeps what one of its parts keeps, and with `not` the others', async () => {
    const generation = await generationWith({
      old: { year: 1900, tag: 'a' },
      recent: { year: 2020, tag: 'b' },
      both: { year: 2021, tag: 'a' },
      neither: { tag: 'c' },
    })
    const parts: PlanNode[] = [filter('tag', ['a']), { kind: 'range', field: 'year', from: 2000 }]
    const find = (not: boolean, rest: PlanNode[] = []) =>
      ids(generation, makePlan([{ kind: 'any', parts, not }, ...rest]))
    assert.deepEqual(await find(false), ['both', 'old', 'recent'])
    assert.deepEqual(await find(true), ['neither'])
    assert.deepEqual(await find(false, [filter('tag', ['b', 'c'])]), ['recent'])
    assert.deepEqual(await ids(generation, makePlan([{ kind: 'any', parts: [], not: false }])), [])
    const places: PlanNode = {
      kind: 'any',
      parts: [{ kind: 'distance', field: 'place', alternatives: [] }, filter('tag', ['c'])],
      not: false,
    }
    assert.deepEqual(await ids(generation, makePlan([places])), ['neither'])
  })

  it('any combines filters and ranges only', async () => {
    const generation = await generationWith({})
    await assert.rejects(
      engine().search(generation, makePlan([{ kind: 'any', parts: [match('x')], not: false }]), deadlineMs),
      withCode('unsupported'),
    )
  })

  it('boosts documents with a value, and adds nothing else', async () => {
    const generation = await generationWith({
      plain: { tag: 'x' },
      several: { tag: ['x', 'new'], good: true },
      without: {},
    })
    await assertScores(generation, [matchAll, boost('tag', { by: 'value', values: ['new'], factor: 3 })], {
      plain: 1,
      several: 3,
      without: 1,
    })
    await assertScores(generation, [boost('good', { by: 'value', values: [true], factor: 0.5 })], {
      plain: 1,
      several: 0.5,
      without: 1,
    })
  })

  it('boosts by a number, its logarithm, the age and the distance', async () => {
    const generation = await generationWith({
      a: { year: 9, added: '2026-01-31T00:00:00Z', place: { lat: 0, lon: 0 } },
      b: { year: [99, 3], added: ['2026-01-01T00:00:00Z', '2020-01-01T00:00:00Z'] },
      c: { year: -5, added: '2030-01-01T00:00:00Z', place: { lat: 0, lon: 1 } },
      d: { year: 1e300 },
      e: {},
    })
    await assertScores(generation, [boost('year', { by: 'log' })], {
      a: 2,
      b: 3,
      c: 1,
      d: 1 + Math.log10(1 + boostNumberMax),
      e: 1,
    })
    await assertScores(generation, [boost('year', { by: 'linear' })], {
      a: 10,
      b: 100,
      c: 1,
      d: 1 + boostNumberMax,
      e: 1,
    })
    await assertScores(generation, [boost('added', { by: 'age', nowMs, halfLifeMs: 30 * dayMs })], {
      a: 2,
      b: 1.5,
      c: 2,
      d: 1,
      e: 1,
    })
    const halfMeters = 111_195.08
    await assertScores(generation, [boost('place', { by: 'distance', lat: 0, lon: 0, halfMeters })], {
      a: 2,
      b: 1,
      c: 1.5,
      d: 1,
      e: 1,
    })
  })

  it('several boosts multiply, on top of the scores of words and of tuple lists', async () => {
    const generation = await generationWith({
      a: { title: 'wing', tag: 'x', year: 9 },
      b: { title: 'wing', tag: 'y', year: 0 },
    })
    const words = await scores(generation, makePlan([match('wing')]))
    const nodes: PlanNode[] = [
      match('wing'),
      boost('year', { by: 'log' }),
      boost('tag', { by: 'value', values: ['x'], factor: 4 }),
      {
        kind: 'filter',
        field: 'tag',
        alternatives: [
          { score: 0.5, values: ['x'] },
          { score: 2, values: ['y'] },
        ],
      },
    ]
    await assertScores(generation, nodes, { a: (words.a ?? 0) * 2 * 4 * 0.5, b: (words.b ?? 0) * 2 })
    // Restrictions never score.
    assert.deepEqual(
      await scores(generation, {
        ...makePlan([matchAll]),
        restrictions: [boost('year', { by: 'log' })],
      }),
      { a: 1, b: 1 },
    )
  })

  it('large boosts keep the order and stay below pinned documents', async () => {
    const generation = await generationWith({
      small: { title: 'wing', year: 1 },
      large: { title: 'wing', year: 1e12 },
      pinned: { title: 'tail' },
    })
    const pinned: PlanNode = { ...match('wing'), pinned: ['pinned'] }
    const linear = boost('year', { by: 'linear' })
    assert.deepEqual(await ids(generation, makePlan([pinned, linear, linear, linear])), [
      'pinned',
      'large',
      'small',
    ])
  })

  it('boosts of a match that ranks by words change its last step only', async () => {
    const generation = await generationWith(
      {
        large: { title: 'york city', year: 1e9 },
        small: { title: 'york mills', year: 10 },
        tiny: { title: 'york hall', year: 0 },
        exact: { title: 'york' },
        typo: { title: 'yorc city', year: 1e9 },
        both: { title: 'york and more words than the others have', tag: 'x' },
      },
      typedSpec,
    )
    const ranked = (text: string, boosts: BoostNode[]): PlanNode => ({
      ...match(text),
      ranking: 'words',
      exact: true,
      typos: { one: 4, two: 8 },
      boosts,
    })
    const find = (text: string, boosts: BoostNode[]) => ids(generation, makePlan([ranked(text, boosts)]))
    const [log, linear] = (['log', 'linear'] as const).map(by => boost('year', { by }))
    assert.ok(log && linear)
    for (const one of [[log], [linear], [linear, linear, linear]])
      assert.deepEqual(await find('york', one), ['exact', 'large', 'small', 'tiny', 'both', 'typo'])
    assert.deepEqual((await find('york words', [linear]))[0], 'both')
    const value = boost('tag', { by: 'value', values: ['x'], factor: 1000 })
    assert.deepEqual((await find('york', [value])).slice(0, 2), ['exact', 'both'])
    // So many words that scores alone decide.
    const long = 'york hall b c d e f g'
    assert.equal((await find(long, []))[0], 'tiny')
    assert.notEqual((await find(long, [linear]))[0], 'tiny')
    const firstOnly = { ...makePlan([ranked('york', [linear])]), count: 2, total: false }
    assert.deepEqual(await ids(generation, firstOnly), ['exact', 'large'])
  })

  it('the boosts of a part of a mix change the ranks in it', async () => {
    const generation = await generationWith({
      a: { title: 'wing', year: 0 },
      b: { title: 'wing wing', year: 99 },
      c: { title: 'wing', year: 999 },
    })
    const mix: PlanNode = {
      kind: 'mix',
      by: 'rank',
      parts: [{ weight: 1, node: match('wing'), boosts: [boost('year', { by: 'linear' })] }],
    }
    assert.deepEqual(await ids(generation, makePlan([mix])), ['c', 'b', 'a'])
  })

  it('rejects a boost of a field of another type', async () => {
    const generation = await generationWith({})
    for (const node of [
      boost('tag', { by: 'log' }),
      boost('year', { by: 'age', nowMs, halfLifeMs: dayMs }),
      boost('year', { by: 'distance', lat: 0, lon: 0, halfMeters: 1 }),
    ])
      await assert.rejects(engine().search(generation, makePlan([node]), deadlineMs), withCode('unsupported'))
  })
}
