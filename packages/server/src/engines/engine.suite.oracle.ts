import assert from 'node:assert/strict'
import fc from 'fast-check'
import type {
  Engine,
  EngineDocument,
  FacetOption,
  GenerationSpec,
  Hit,
  Plan,
  PlanNode,
  ScoredValues,
  Write,
} from './engine.ts'

/**
 * Generates documents, changes to them and plans, and compares the engine with a search in memory that a reader can check by eye: which
 * documents, in which order, with which scores, totals, statistics and facets; and that pages tile.
 */
export async function pagesTile(engine: Engine, newGeneration: () => string): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(batch, { minLength: 1, maxLength: 4 }),
      fc.array(plan, { minLength: 1, maxLength: 6 }),
      async (batches, plans) => {
        const generation = newGeneration()
        await engine.open(generation, spec)
        const shelf = new Map<string, Attributes>()
        for (const changes of batches) {
          await engine.write(
            generation,
            changes.map(([id, attributes]) => write(id, attributes)),
          )
          await engine.refresh(generation)
          for (const [id, attributes] of changes)
            attributes === null ? shelf.delete(id) : shelf.set(id, attributes)
        }
        assert.equal(engine.info(generation).documents, shelf.size)
        for (const wanted of plans) await compare(engine, generation, shelf, wanted)
        await engine.drop(generation)
      },
    ),
    { numRuns: 25 },
  )
}

type Attributes = { tag?: string[] | undefined; year?: number[] | undefined; good?: boolean | undefined }

const spec: GenerationSpec = {
  fields: [
    { name: 'tag', type: 'keyword' },
    { name: 'year', type: 'number' },
    { name: 'good', type: 'boolean' },
  ],
  synonyms: [],
}

const id = fc.constantFrom(
  'a',
  'b',
  'B',
  'é',
  'https://example.org/a%2Fb',
  '😀',
  '\uffee',
  ...Array.from({ length: 30 }, (_, at) => `d${at}`),
)
const tag = fc.constantFrom('x', 'y', 'z', 'a b', 'é')
const year = fc.constantFrom(0, 1, 1.5, -2, 2000, 1e21)
const attributes: fc.Arbitrary<Attributes> = fc.record(
  { tag: fc.array(tag, { maxLength: 3 }), year: fc.array(year, { maxLength: 2 }), good: fc.boolean() },
  { requiredKeys: [] },
)
const batch = fc.array(fc.tuple(id, fc.option(attributes, { freq: 5 })), { minLength: 1, maxLength: 40 })

const score = fc.constantFrom(0.25, 0.5, 1, 2)
const alternatives = <T extends string | number | boolean>(
  value: fc.Arbitrary<T>,
): fc.Arbitrary<ScoredValues[]> =>
  fc.array(fc.record({ score, values: fc.array(value, { minLength: 1, maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 3,
  })
const simpleNode: fc.Arbitrary<PlanNode> = fc.oneof(
  fc.constant<PlanNode>({ kind: 'all' }),
  alternatives(tag).map((values): PlanNode => ({ kind: 'filter', field: 'tag', alternatives: values })),
  alternatives(year).map((values): PlanNode => ({ kind: 'filter', field: 'year', alternatives: values })),
  alternatives(fc.boolean()).map(
    (values): PlanNode => ({ kind: 'filter', field: 'good', alternatives: values }),
  ),
  alternatives(id).map((values): PlanNode => ({ kind: 'lookup', alternatives: values })),
)
const mix: fc.Arbitrary<PlanNode> = fc.record({
  kind: fc.constant('mix' as const),
  by: fc.constantFrom('rank' as const, 'score' as const),
  parts: fc.array(fc.record({ weight: fc.constantFrom(0.3, 1, 2), node: simpleNode }), {
    minLength: 1,
    maxLength: 3,
  }),
})
const node = fc.oneof({ weight: 4, arbitrary: simpleNode }, { weight: 1, arbitrary: mix })
const plan: fc.Arbitrary<Plan> = fc.record({
  nodes: fc.array(node, { minLength: 1, maxLength: 3 }),
  restrictions: fc.array(node, { maxLength: 1 }),
  order: fc.constant([{ by: 'score' as const }]),
  cutoff: fc.constantFrom(0, 0, 0.3, 0.5, 1),
  offset: fc.constant(0),
  count: fc.constant(100),
  statistics: fc.boolean(),
  facet: fc.record({
    field: fc.constantFrom('tag', 'year', 'good'),
    offset: fc.nat(2),
    count: fc.nat(4),
    selected: fc.array(fc.oneof(tag, year.map(String)), { maxLength: 2 }),
    cutoff: fc.constantFrom(0, 0, 0.4, 1),
  }),
})

async function compare(engine: Engine, generation: string, shelf: Map<string, Attributes>, wanted: Plan) {
  const expected = searchInMemory(shelf, wanted)
  const whole = await engine.search(generation, wanted, 10_000)
  assert.deepEqual(whole, expected)
  const reversed = { ...wanted, nodes: wanted.nodes.toReversed() }
  assert.deepEqual(await engine.search(generation, reversed, 10_000), expected)
  const tiled: Hit[] = []
  for (let offset = 0; offset < expected.total + 3; offset += 3) {
    tiled.push(...(await engine.search(generation, { ...wanted, offset, count: 3 }, 10_000)).hits)
  }
  assert.deepEqual(tiled, expected.hits)
}

function searchInMemory(shelf: Map<string, Attributes>, wanted: Plan) {
  const satisfying = [...shelf].filter(([key, attributes]) =>
    [...wanted.nodes, ...wanted.restrictions].every(one => factorOf(key, attributes, one) > 0),
  )
  const scored = satisfying.map(([key, attributes]) => ({
    key,
    attributes,
    score: scoreOf(key, attributes, wanted, satisfying),
  }))
  const best = Math.max(0, ...scored.map(found => found.score))
  const found = scored
    .filter(one => one.score / best >= wanted.cutoff)
    .sort((left, right) => right.score - left.score || byBytes(left.key, right.key))
  return {
    total: found.length,
    best,
    ...(wanted.statistics && {
      statistics: steps(
        found.map(one => one.score),
        best,
      ),
    }),
    ...(wanted.facet && {
      facet: facetInMemory(
        found.map(one => one.attributes),
        wanted,
        wanted.facet,
      ),
    }),
    hits: found.map(one => ({ entity: document(one.key, one.attributes).entity, score: one.score })),
  }
}

/** Sum of the mixes times product of the scores. Powers of two, so that no order of multiplying rounds. */
function scoreOf(
  key: string,
  attributes: Attributes,
  wanted: Plan,
  satisfying: [string, Attributes][],
): number {
  const mixes = wanted.nodes.filter(one => one.kind === 'mix')
  const sum = mixes.reduce((soFar, one) => soFar + mixScoreOf(key, attributes, one, satisfying), 0)
  const factors = wanted.nodes.filter(one => one.kind !== 'mix')
  return factors.reduce((soFar, one) => soFar * factorOf(key, attributes, one), mixes.length === 0 ? 1 : sum)
}

function mixScoreOf(
  key: string,
  attributes: Attributes,
  { parts, by }: Extract<PlanNode, { kind: 'mix' }>,
  satisfying: [string, Attributes][],
): number {
  const shares = parts.map(({ weight, node: part }) => {
    const own = factorOf(key, attributes, part)
    if (own === 0) return 0
    const others = satisfying.map(([other, its]) => factorOf(other, its, part))
    const rank = 1 + others.filter(other => other > own).length
    return weight * (by === 'rank' ? 1 / (60 + rank) : own / Math.max(...others))
  })
  // Kept with 24 bits.
  return Math.fround(shares.reduce((soFar, share) => soFar + share, 0))
}

/** 0 where the node is not satisfied. */
function factorOf(key: string, attributes: Attributes, one: PlanNode): number {
  if (one.kind === 'mix') return one.parts.some(part => factorOf(key, attributes, part.node) > 0) ? 1 : 0
  if (one.kind !== 'filter' && one.kind !== 'lookup') return 1
  const values: unknown[] = one.kind === 'lookup' ? [key] : valuesOf(attributes, one.field)
  const matching = one.alternatives.filter(alternative =>
    alternative.values.some(value => values.includes(value)),
  )
  return Math.max(0, ...matching.map(alternative => alternative.score))
}

function facetInMemory(
  found: Attributes[],
  wanted: Plan,
  { field, offset, count, selected, cutoff = 0 }: NonNullable<Plan['facet']>,
) {
  const counts = new Map<string, number>()
  for (const attributes of found) {
    for (const value of new Set(valuesOf(attributes, field).map(String)))
      counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  const largest = Math.max(0, ...counts.values())
  const options: FacetOption[] = [...counts]
    .map(([value, times]) => ({ value, count: times }))
    .filter(option => option.count / largest >= cutoff)
  options.sort((left, right) => right.count - left.count || byBytes(left.value, right.value))
  return {
    options: options.slice(offset, offset + count),
    selected: selected.map(value => ({ value, count: counts.get(value) ?? 0 })),
    distinct: options.length,
    largest,
    ...(wanted.statistics && {
      statistics: steps(
        options.map(option => option.count),
        largest,
      ),
    }),
  }
}

function valuesOf(attributes: Attributes, field: string): (string | number | boolean)[] {
  return [attributes[field as keyof Attributes] ?? []].flat()
}

function steps(values: number[], largest: number): number[] {
  const cutoffs = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0]
  return cutoffs.map(cutoff => values.filter(value => value / largest >= cutoff).length)
}

function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

function document(key: string, attributes: Attributes): EngineDocument {
  return { id: key, entity: JSON.stringify({ id: key, class: [], attributes }) }
}

function write(key: string, attributes: Attributes | null): Write {
  return attributes === null ? { delete: key } : { put: document(key, attributes) }
}
