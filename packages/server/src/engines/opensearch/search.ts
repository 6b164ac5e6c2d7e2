/** Answers a plan. After requests for statistics, one request returns the page, the total and the facet. */
import { createHash } from 'node:crypto'
import { EngineError, type Plan, type Reply, type SortKey } from '#engines/engine'
import type { CallLimits, Cluster } from './cluster.ts'
import { checkCollapseField, collapse } from './collapse.ts'
import { compile } from './compile.ts'
import { distanceSource, geoField } from './conditions.ts'
import { findCorrections } from './corrections.ts'
import { facetAggregations, readFacet } from './facet.ts'
import type { HedgedReads } from './hedged-read.ts'
import { highlightEntities } from './highlight.ts'
import type { Compiled } from './mix.ts'
import { createMultiSearch } from './multi-search.ts'
import type { OpenGeneration } from './open-generation.ts'
import { missingBoolean, readPosition, writePosition } from './position.ts'
import { column, findField, resultWindowMax, type Schema } from './schema.ts'
import type { SearchBody, SearchContext, SearchReply } from './search-context.ts'
import type { Clause } from './values.ts'
import { nextFloat, previousFloat, shortestDecimal } from './values.ts'

/** Thresholds of the ten statistics. */
const steps = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0]

/** The fields of a plan that this engine obeys. A new one is an error of types at the calls of `search` until it is here. */
type ObeyedField =
  | 'nodes'
  | 'restrictions'
  | 'order'
  | 'cutoff'
  | 'offset'
  | 'count'
  | 'statistics'
  | 'total'
  | 'scores'
  | 'facet'
  | 'collapse'
  | 'highlight'
  | 'suggest'
  | 'after'
type ObeyedPlan = Plan & Record<Exclude<keyof Plan, ObeyedField>, never>

export async function search(context: SearchContext, plan: ObeyedPlan): Promise<Reply> {
  if (plan.collapse) {
    checkCollapseField(findField(context.schema, plan.collapse.field))
    return collapse({ ...plan, collapse: plan.collapse }, otherPlan => search(context, otherPlan))
  }
  const { count, offset, cutoff, statistics, facet, suggest, after } = plan
  refuseFarPages(plan)
  const isScored = count > 0 || statistics || cutoff > 0
  const order = plan.order.flatMap(key => sortClauses(context.schema, key))
  if (facet) facetAggregations(context.schema, facet, statistics)
  const compiled = await compile(context, plan.nodes, isScored)
  const scores = createScoreReader(compiled)
  const queriedBest = needsBestScore(plan, compiled, isScored)
    ? await findBestScore(context, compiled)
    : undefined
  const bodies = makeBodies(context.schema, plan, { compiled, scores, queriedBest, isScored, order })
  const [reply, pageReply = reply] = await context.search(bodies)
  if (reply === undefined || pageReply === undefined)
    throw new EngineError('fault', 'OpenSearch gave no reply')
  const hits = pageReply.hits.hits.slice(0, count)
  const last = pageReply.hits.hits.length > count ? hits.at(-1) : undefined
  // Another node may have refreshed the index between the two searches.
  const total = Math.max(reply.hits.total?.value ?? 0, hits.length > 0 ? offset + hits.length : 0)
  const bestFloat = queriedBest ?? Math.fround(pageReply.hits.max_score ?? 0)
  const best = bestFloat > 0 ? scores.value(bestFloat) : total > 0 ? 1 : 0
  return {
    total,
    best,
    ...(after !== undefined && last && { next: writePosition(context.schema, plan.order, last) }),
    hits: await readHits(context, plan, hits, { compiled, scores, best }),
    ...(compiled.relaxed.length > 0 && { relaxed: compiled.relaxed }),
    ...(suggest && count > 0 && total === 0 && { corrections: await findCorrections(context, plan.nodes) }),
    ...(statistics && { statistics: readStatistics(reply, total) }),
    ...(facet && { facet: await readFacet(context, facet, statistics, bodies[0], reply) }),
  }
}

const refuseFarPages = (plan: Plan): void => {
  if (plan.offset + pageSize(plan) > resultWindowMax && plan.count > 0)
    throw new EngineError(
      'unsupported',
      `the OpenSearch engine has no results beyond the first ${resultWindowMax}`,
    )
}

/** One more hit shows whether another page follows. */
const pageSize = ({ count, after }: Plan): number => (after === undefined ? count : count + 1)

/**
 * A fraction of the best score requires that score first, and a later page does not contain it. Pinned documents get the best score of the
 * others.
 */
const needsBestScore = (plan: Plan, { pinned }: Compiled, isScored: boolean): boolean => {
  const { cutoff, statistics, scores: readsScores = true, after } = plan
  const lacksBest = Boolean(after) || (isScored && pinned.length > 0)
  return statistics || cutoff > 0 || (readsScores && lacksBest)
}

interface PlannedSearch {
  compiled: Compiled
  scores: ReturnType<typeof createScoreReader>
  /** The best score, if it is needed before the page. */
  queriedBest: number | undefined
  isScored: boolean
  order: readonly Clause[]
}

/** Returns the searches of a plan: one for everything, or one that counts and one for the page. */
const makeBodies = (
  schema: Schema,
  plan: Plan,
  { compiled, scores, queriedBest, isScored, order }: PlannedSearch,
): [SearchBody, ...SearchBody[]] => {
  const { count, offset, cutoff, statistics, facet, after } = plan
  const size = pageSize(plan)
  const hasBest = queriedBest !== undefined && queriedBest > 0
  const needsTotal = plan.total !== false || cutoff > 0
  const page = {
    query: isScored ? compiled.scoredQuery : compiled.filterQuery,
    from: count > 0 ? offset : 0,
    size,
    ...(after && { search_after: readPosition(after) }),
    _source: ['entity'],
    ...(count > 0 && { sort: [...order, { id: 'asc' }], track_scores: true }),
    ...(cutoff > 0 && hasBest && { min_score: scores.minFloat(queriedBest, cutoff) }),
  }
  const counting = {
    track_total_hits: needsTotal ? true : Math.max(1, offset + size),
    aggs: {
      ...(facet && facetAggregations(schema, facet, statistics)),
      ...(statistics && hasBest && { statistics: { range: stepRanges(scores, queriedBest) } }),
    },
  }
  // Counting without scores, and scoring a page with pruning, is faster than doing both in one search.
  const isByScore = count > 0 && plan.order[0]?.by === 'score'
  const isSplit = compiled.mayPrune && isByScore && queriedBest === undefined && (needsTotal || facet)
  return isSplit
    ? [
        { query: compiled.filterQuery, size: 0, ...counting },
        { ...page, track_total_hits: false },
      ]
    : [{ ...page, ...counting }]
}

const readHits = async (
  context: SearchContext,
  { highlight }: Plan,
  hits: SearchReply['hits']['hits'],
  { compiled, scores, best }: Pick<PlannedSearch, 'compiled' | 'scores'> & { best: number },
): Promise<Reply['hits']> => {
  const entities = hits.map(hit => hit._source?.entity ?? '')
  const highlights = highlight && (await highlightEntities(context, compiled.queryWords, highlight, entities))
  return hits.map(({ _score }, index) => {
    const highlighted = highlights?.[index]
    return {
      entity: entities[index] ?? '',
      score: Math.min(best, scores.value(Math.fround(_score ?? 0))),
      ...(highlighted && { highlights: highlighted }),
    }
  })
}

interface ContextDependencies {
  cluster: Pick<Cluster, 'call'>
  reads: HedgedReads
  alias: string
  generation: Pick<OpenGeneration, 'schema' | 'version' | 'statistics'>
  /** Returns the limits of the next call. */
  limits: () => CallLimits
}

/** Creates the context of a search: compiles the restrictions of the plan, and finds their cached statistics. */
export async function createSearchContext(
  { cluster, reads, alias, generation, limits }: ContextDependencies,
  plan: Plan,
): Promise<SearchContext> {
  const { schema, version, statistics } = generation
  const unrestricted: SearchContext = {
    schema,
    search: createMultiSearch({ cluster, reads, alias, preference: shardPreference(plan), limits }),
    visible: [],
    statistics: statistics(version, []),
  }
  if (plan.restrictions.length === 0) return unrestricted
  const visible = [(await compile(unrestricted, plan.restrictions, false)).filterQuery]
  return { ...unrestricted, visible, statistics: statistics(version, visible) }
}

/** Selects the same shard copies for all pages of a plan, so that pages fit together. */
const shardPreference = ({ nodes, restrictions }: Plan): string =>
  createHash('sha256')
    .update(JSON.stringify([nodes, restrictions]))
    .digest('hex')
    .slice(0, 12)

/** Returns a query for the documents of a plan, with its cutoff applied. */
export async function compileWithCutoff(context: SearchContext, { nodes, cutoff }: Plan): Promise<Clause> {
  const compiled = await compile(context, nodes, cutoff > 0)
  if (cutoff <= 0) return compiled.filterQuery
  const best = await findBestScore(context, compiled)
  const minFloat = best > 0 ? createScoreReader(compiled).minFloat(best, cutoff) : 0
  return {
    script_score: { query: compiled.scoredQuery, script: { source: 'return _score;' }, min_score: minFloat },
  }
}

async function findBestScore(
  context: SearchContext,
  { scoredQuery: scored, pinned }: Compiled,
): Promise<number> {
  const query: Clause =
    pinned.length === 0 ? scored : { bool: { must: [scored], must_not: [{ terms: { id: pinned } }] } }
  const [reply] = await context.search([{ query, size: 1, _source: false, track_total_hits: false }])
  const best = Math.fround(reply?.hits.max_score ?? 0)
  // If only pinned documents match, they get score 1.
  return best > 0 || pinned.length === 0 ? best : 1
}

/**
 * Reads scores, of which OpenSearch keeps 24 bits. A sum of text scores is used as it is. A product of numbers in the plan, such as 0.9,
 * becomes the shortest decimal with these 24 bits.
 */
function createScoreReader({ addsScores: adds }: Compiled) {
  const value = adds ? (float: number) => float : shortestDecimal
  return {
    value,
    /** Returns the lowest 24-bit score that is at least this share of the best. */
    minFloat(best: number, share: number): number {
      const reaches = (float: number) => value(float) / value(best) >= share
      let float = Math.fround(share * best)
      while (float > 0 && reaches(previousFloat(float))) float = previousFloat(float)
      while (!reaches(float)) float = nextFloat(float)
      return float
    },
  }
}

function stepRanges(scores: ReturnType<typeof createScoreReader>, best: number) {
  const ranges = steps.map((step, index) => ({
    key: String(index),
    ...(step > 0 && { from: (scores.minFloat(best, step) + previousFloat(scores.minFloat(best, step))) / 2 }),
  }))
  return { script: { source: 'return _score;' }, ranges: ranges.filter(({ from }) => from !== undefined) }
}

function readStatistics({ aggregations }: SearchReply, total: number): number[] {
  const buckets = (aggregations?.statistics as { buckets: { key: string; doc_count: number }[] } | undefined)
    ?.buckets
  const counts = new Map(buckets?.map(bucket => [bucket.key, bucket.doc_count]))
  return steps.map((_, index) => (index === steps.length - 1 ? total : (counts.get(String(index)) ?? 0)))
}

/** A number field has two: among equal doubles, whole numbers decide. */
function sortClauses(schema: Schema, key: SortKey): Clause[] {
  const field = key.by === 'field' ? findField(schema, key.field) : undefined
  if (field?.type !== 'number' || key.by !== 'field') return [sortClause(schema, key)]
  const [name, order] =
    key.order === 'ascending' ? [column.largeMin(field), 'asc'] : [column.largeMax(field), 'desc']
  return [sortClause(schema, key), { [name]: { order, missing: '_last' } }]
}

function sortClause(schema: Schema, key: SortKey): Clause {
  if (key.by === 'score') return { _score: 'desc' }
  const order = key.order === 'ascending' ? 'asc' : 'desc'
  if (key.by === 'distance') {
    const field = geoField(schema, key.field)
    const isNearest = order === 'asc'
    const missing = isNearest ? 1e300 : -1
    return {
      _script: {
        type: 'number',
        order,
        script: {
          source: `${distanceSource}
            double first = params.missing;
            for (String place : doc[params.places]) {
              double own = meters(params.lat, params.lon, place);
              if (first == params.missing || params.nearest == (own < first)) { first = own; }
            }
            return first;`,
          params: { places: column.places(field), lat: key.lat, lon: key.lon, missing, nearest: isNearest },
        },
      },
    }
  }
  const field = findField(schema, key.field)
  if (field.type === 'geo')
    throw new EngineError('unsupported', `the OpenSearch engine cannot sort by \`${key.field}\`, a geo field`)
  const missing = field.type === 'boolean' ? missingBoolean(key.order) : '_last'
  return { [column.sort(field)]: { order, mode: order === 'asc' ? 'min' : 'max', missing } }
}
