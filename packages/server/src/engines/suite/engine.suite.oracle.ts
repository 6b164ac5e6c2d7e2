import assert from 'node:assert/strict'
import type { EndpointKind } from '@querent/contract/endpoint-traits'
import fc from 'fast-check'
import type {
  Engine,
  GenerationSpec,
  Hit,
  Plan,
  PlanNode,
  Reply,
  ScoredValues,
  SortKey,
  Write,
} from '#engines/engine'
import { chooseRuns } from '#test-runs'
import { makePlan } from './engine.suite.plans.ts'
import { type Attributes, type Shelf, searchInMemory, toEntity } from './engine.suite.search-in-memory.ts'

/**
 * Generates documents, changes and plans, and compares the engine with a search in memory: documents, order, scores, totals, statistics
 * and facets. Also asserts that consecutive pages give the same list.
 */
export async function matchesMemorySearch(
  engine: Engine,
  newGeneration: () => string,
  roundScore = (score: number) => score,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(batch, { minLength: 1, maxLength: 4 }),
      fc.array(plans, { minLength: 1, maxLength: 6 }),
      async (batches, planList) => {
        const generation = newGeneration()
        await engine.open(generation, spec)
        const documents = new Map<string, Attributes>()
        for (const changes of batches) {
          await engine.write(
            generation,
            changes.map(([id, attributes]) => write(id, attributes)),
          )
          await engine.refresh(generation)
          for (const [id, attributes] of changes)
            attributes === null ? documents.delete(id) : documents.set(id, attributes)
        }
        assert.equal(engine.info(generation).documents, documents.size)
        for (const one of planList)
          await compareTiled(engine, generation, { ...spec, documents }, one, roundScore)
        await engine.drop(generation)
      },
    ),
    { numRuns: chooseRuns(20, 80), endOnFailure: true },
  )
}

/** Two mixes whose sums for `a` and `b` differ by less than 24 bits: 1/20 + 1/12 and 1/15 + 1/15. */
export async function ordersEqualSumsById(
  engine: Engine,
  generation: string,
  roundScore: (score: number) => number,
): Promise<void> {
  await engine.open(generation, spec)
  const documents = new Map<string, Attributes>([...'abcdefghij'].map(letter => [letter, {}]))
  await engine.write(
    generation,
    [...documents].map(([key, attributes]) => write(key, attributes)),
  )
  await engine.refresh(generation)
  const rankBy = (groups: readonly string[]): PlanNode => {
    const alternatives = groups.map((ids, index) => ({ score: 2 ** -index, values: [...ids] }))
    return { kind: 'mix', by: 'rank', parts: [{ weight: 1, node: { kind: 'lookup', alternatives } }] }
  }
  const plan = makePlan([rankBy(['cdef', 'b', 'ghij', 'a']), rankBy(['c', 'a', 'de', 'b', 'fghij'])])
  await compare(engine, generation, { ...spec, documents }, plan, roundScore)
  const { hits } = await engine.search(generation, plan, 10_000)
  const ids = hits.map(({ entity }) => JSON.parse(entity).id as string).filter(id => 'ab'.includes(id))
  const areEqual = roundScore(1 + 2 ** -30) === 1
  assert.deepEqual(ids, areEqual ? ['a', 'b'] : ['b', 'a'])
}

export const spec: GenerationSpec = {
  fields: [
    { name: 'tag', type: 'keyword' },
    { name: 'year', type: 'number' },
    { name: 'good', type: 'boolean' },
    { name: 'added', type: 'date' },
    { name: 'title', type: 'text', language: 'none', prefix: false },
  ],
}

const id = fc.constantFrom(
  'a',
  'b',
  'B',
  'é',
  'https://example.org/a%2Fb',
  '😀',
  '\uffee',
  ...Array.from({ length: 30 }, (_, index) => `d${index}`),
)
const tag = fc.constantFrom('x', 'y', 'z', 'a b', 'é')
const year = fc.constantFrom(0, 1, 1.5, -2, 2000, 1e21)
const added = fc.constantFrom(
  '2024-02-29T00:00:00Z',
  '2024-02-29T23:59:59.5Z',
  '2024-03-01T01:00:00+02:00',
  '2024-03-01T00:00:00Z',
  '1969-12-31T23:59:59Z',
)
const day = fc.constantFrom('2024-02-29', '1969-12-31', '2024-03-01')
const attributes: fc.Arbitrary<Attributes> = fc.record(
  {
    tag: fc.array(tag, { maxLength: 3 }),
    year: fc.array(year, { maxLength: 2 }),
    good: fc.boolean(),
    added: fc.array(added, { maxLength: 2 }),
    title: fc.constantFrom('wing', 'Wing', 'Élan', 'a wing', 'zebra'),
  },
  { requiredKeys: [] },
)
/** Changes of documents of {@link spec}. */
export const batch = fc.array(fc.tuple(id, fc.option(attributes, { freq: 5 })), {
  minLength: 1,
  maxLength: 40,
})

/** Values for generated plans. */
export interface Sources {
  id: fc.Arbitrary<string>
  /** Values of the fields to filter by and to count. */
  fields: Record<string, fc.Arbitrary<string | number | boolean>>
  /** Fields with keywords, numbers or dates. */
  ranged: readonly string[]
  sorted: readonly string[]
  count: fc.Arbitrary<number>
}

/**
 * Kinds of endpoints that {@link arbitraryPlan} does not draw as simple nodes: the key of the plan that it draws instead, or the file with
 * examples, because the search in memory knows no words, vectors, places, collapsing or elements of lists.
 */
export const testedElsewhere = {
  mix: 'nodes',
  sort: 'order',
  facet: 'facet',
  facets: 'tests/query/facet-lists.test.ts',
  match: 'packages/server/src/engines/suite/engine.suite.words.ts',
  similar: 'packages/server/src/engines/suite/engine.suite.mix.ts',
  nearest: 'packages/server/src/engines/suite/engine.suite.nearest.ts',
  area: 'packages/server/src/engines/suite/engine.suite.area.ts',
  together: 'packages/server/src/engines/suite/engine.suite.together.ts',
  collapse: 'packages/server/src/engines/suite/engine.suite.collapse.ts',
} as const satisfies Partial<Record<EndpointKind, keyof Plan | `${string}.ts`>>

/** A new kind is one of them until it has a row above: the table in {@link arbitraryPlan} lacks it. */
type DrawnKind = Exclude<EndpointKind, keyof typeof testedElsewhere>

/** Generates plans whose scores are powers of two. */
export function arbitraryPlan({ id: ids, fields, ranged, sorted, count }: Sources): fc.Arbitrary<Plan> {
  const filters = Object.entries(fields).map(([field, value]) =>
    alternatives(value).map((values): PlanNode => ({ kind: 'filter', field, alternatives: values })),
  )
  const ends = fc.constantFrom<('from' | 'to')[]>(['from'], ['to'], ['from', 'to'])
  const ranges = ranged.flatMap(field => {
    const value = fields[field]
    if (value === undefined) return []
    return fc.tuple(value, value, ends).map(([from, to, givenEnds]): PlanNode => {
      const bounds = Object.entries({ from, to }).filter(([end]) => givenEnds.some(one => one === end))
      return { kind: 'range', field, ...Object.fromEntries(bounds) }
    })
  })
  const lookups = alternatives(ids).map((values): PlanNode => ({ kind: 'lookup', alternatives: values }))
  const presence = fc.record({
    kind: fc.constant('present' as const),
    field: fc.constantFrom(...Object.keys(fields)),
    not: fc.boolean(),
  })
  const makeUnions = (parts: fc.Arbitrary<PlanNode>): fc.Arbitrary<PlanNode> =>
    fc.record({
      kind: fc.constant('any' as const),
      parts: fc.array(parts, { maxLength: 3 }),
      not: fc.boolean(),
    })
  const narrowing = fc.oneof(lookups, ...filters, ...ranges)
  const unions = makeUnions(
    fc.oneof(narrowing, narrowing, makeUnions(fc.oneof(narrowing, makeUnions(narrowing)))),
  )
  const boosts = Object.entries(fields).map(([field, value]) =>
    fc
      .record({
        by: fc.constant('value' as const),
        values: fc.array(value, { minLength: 1, maxLength: 3 }),
        factor: fc.constantFrom(0.25, 0.5, 2, 4),
      })
      .map((rule): PlanNode => ({ kind: 'boost', field, rule })),
  )
  const nodesByKind: Readonly<Record<DrawnKind, fc.Arbitrary<PlanNode>[]>> = {
    all: [fc.constant<PlanNode>({ kind: 'all' })],
    lookup: [lookups],
    filter: [...filters, presence],
    range: ranges,
    any: [unions],
    boost: [fc.oneof(...boosts)],
  }
  const simple = fc.oneof(...Object.values(nodesByKind).flat())
  const mix: fc.Arbitrary<PlanNode> = fc.record({
    kind: fc.constant('mix' as const),
    by: fc.constantFrom('rank' as const, 'score' as const),
    parts: fc.array(fc.record({ weight: fc.constantFrom(0.3, 1, 2), node: simple }), {
      minLength: 1,
      maxLength: 3,
    }),
  })
  const node = fc.oneof({ weight: 4, arbitrary: simple }, { weight: 1, arbitrary: mix })
  const byField: fc.Arbitrary<SortKey> = fc.record({
    by: fc.constant('field' as const),
    field: fc.constantFrom(...sorted),
    order: fc.constantFrom('ascending' as const, 'descending' as const),
  })
  const key = fc.oneof(fc.constant<SortKey>({ by: 'score' }), byField)
  const facet = fc.constantFrom(...Object.entries(fields)).chain(([field, value]) =>
    fc.record({
      field: fc.constant(field),
      offset: fc.nat(2),
      count: fc.nat(4),
      selected: fc.array(value.map(String), { maxLength: 2 }),
      cutoff: fc.constantFrom(0, 0, 0.4, 1),
    }),
  )
  return fc.record(
    {
      nodes: fc.array(node, { minLength: 1, maxLength: 3 }),
      restrictions: fc.array(node, { maxLength: 1 }),
      order: fc.oneof(fc.constant<SortKey[]>([{ by: 'score' }]), fc.array(key, { maxLength: 3 })),
      cutoff: fc.constantFrom(0, 0, 0.3, 0.5, 1),
      offset: fc.nat(3),
      count,
      statistics: fc.boolean(),
      facet,
    },
    { requiredKeys: ['nodes', 'restrictions', 'order', 'cutoff', 'offset', 'count', 'statistics'] },
  )
}

function alternatives<T extends string | number | boolean>(
  value: fc.Arbitrary<T>,
): fc.Arbitrary<ScoredValues[]> {
  const score = fc.constantFrom(0.25, 0.5, 1, 2)
  const values = fc.array(value, { minLength: 1, maxLength: 3 })
  return fc.array(fc.record({ score, values }), { minLength: 1, maxLength: 3 })
}

/** Plans on documents of {@link spec}. */
export const plans = arbitraryPlan({
  id,
  fields: { tag, year, good: fc.boolean(), added: fc.oneof(added, day) },
  ranged: ['tag', 'year', 'added'],
  sorted: ['tag', 'year', 'good', 'added', 'title'],
  count: fc.constant(100),
})

/** Asserts that the engine answers like the search in memory, for any order of nodes. Scores are compared after rounding. */
export async function compare(
  engine: Engine,
  generation: string,
  shelf: Shelf,
  plan: Plan,
  roundScore = (score: number) => score,
): Promise<void> {
  const expected = comparable(plan, searchInMemory(shelf, plan, roundScore), roundScore)
  for (const nodes of [plan.nodes, plan.nodes.toReversed()]) {
    const reply = await engine.search(generation, { ...plan, nodes }, 10_000)
    assert.deepEqual(comparable(plan, reply, roundScore), expected)
  }
}

/** Omits the best score if it is unspecified (see `Reply`). */
function comparable(
  { count, statistics, cutoff }: Plan,
  { best, hits, ...rest }: Reply,
  roundScore: (score: number) => number,
): Partial<Reply> {
  const roundedHits = hits.map(hit => ({ ...hit, score: roundScore(hit.score) }))
  const compared = { ...rest, hits: roundedHits }
  return count > 0 || statistics || cutoff > 0 ? { best: roundScore(best), ...compared } : compared
}

async function compareTiled(
  engine: Engine,
  generation: string,
  shelf: Shelf,
  plan: Plan,
  roundScore: (score: number) => number,
): Promise<void> {
  await compare(engine, generation, shelf, plan, roundScore)
  const { total, hits } = searchInMemory(shelf, { ...plan, offset: 0 }, roundScore)
  const tiled: Hit[] = []
  for (let offset = 0; offset < total + 3; offset += 3)
    tiled.push(...(await engine.search(generation, { ...plan, offset, count: 3 }, 10_000)).hits)
  const roundHits = (hitList: Hit[]) =>
    hitList.map(({ entity, score }) => ({ entity, score: roundScore(score) }))
  assert.deepEqual(roundHits(tiled), roundHits(hits))
}

export function write(key: string, attributes: Attributes | null): Write {
  return attributes === null ? { delete: key } : { put: { id: key, entity: toEntity(key, attributes) } }
}
