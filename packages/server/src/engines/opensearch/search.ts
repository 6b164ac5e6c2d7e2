/** Answers a plan: what must be known first is asked first, then one request has the page, the total and the facet. */
import { createHash } from 'node:crypto'
import { EngineError, type Plan, type Reply, type SortKey } from '#engines/engine'
import { compile } from './compile.ts'
import { distanceSource, placesIn } from './conditions.ts'
import { facetAggregation, facetOf } from './facet.ts'
import { highlightsOf } from './highlight.ts'
import type { Compiled } from './mix.ts'
import { column, fieldOf, type Schema, windowMax } from './schema.ts'
import type { Ground, SearchBody, SearchReply } from './search-context.ts'
import type { Clause } from './values.ts'
import { nextFloat, previousFloat, shortest } from './values.ts'

const steps = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0]

export async function search(ground: Ground, plan: Plan): Promise<Reply> {
  const { count, offset, cutoff, statistics, facet, highlight } = plan
  if (offset + count > windowMax && count > 0)
    throw new EngineError('unsupported', `the OpenSearch engine has no results beyond the first ${windowMax}`)
  const isScored = count > 0 || statistics || cutoff > 0
  const order = plan.order.map(key => sortOf(ground.schema, key))
  if (facet) facetAggregation(ground.schema, facet, 0)
  const compiled = await compile(ground, plan.nodes, isScored)
  const scores = scoresOf(compiled)
  // The best of all must be known before shares of it can be asked about; that of pinned ones is that of the others.
  const isBestAsked = statistics || cutoff > 0 || (isScored && compiled.pinned.length > 0)
  const asked = isBestAsked ? await bestOf(ground, compiled) : undefined
  const threshold = cutoff > 0 && asked !== undefined && asked > 0 ? scores.least(asked, cutoff) : undefined
  const isTotalAsked = plan.total !== false || cutoff > 0
  const page = {
    query: isScored ? compiled.scored : compiled.found,
    from: count > 0 ? offset : 0,
    size: count,
    _source: ['entity'],
    ...(count > 0 && { sort: [...order, { id: 'asc' }], track_scores: true }),
    ...(threshold !== undefined && { min_score: threshold }),
  }
  const counting = {
    track_total_hits: isTotalAsked ? true : Math.max(1, offset + count),
    aggs: {
      ...(facet && { facet: facetAggregation(ground.schema, facet, 0) }),
      ...(statistics &&
        asked !== undefined &&
        asked > 0 && { statistics: { range: stepRanges(scores, asked) } }),
    },
  }
  // What is counted is looked at without scores, and the page without looking at all that is found.
  const isApart =
    compiled.prunes && count > 0 && plan.order[0]?.by === 'score' && !isBestAsked && (isTotalAsked || facet)
  const body: SearchBody = isApart
    ? { query: compiled.found, size: 0, ...counting }
    : { ...page, ...counting }
  const [reply, ofPage = reply] = await ground.ask(
    isApart ? [body, { ...page, track_total_hits: false }] : [body],
  )
  if (reply === undefined || ofPage === undefined) throw new EngineError('fault', 'OpenSearch gave no reply')
  const { hits } = ofPage.hits
  // Another node may have made changes searchable between the two.
  const total = Math.max(reply.hits.total?.value ?? 0, hits.length > 0 ? offset + hits.length : 0)
  const counted = asked ?? Math.fround(ofPage.hits.max_score ?? 0)
  const best = counted > 0 ? scores.value(counted) : total > 0 ? 1 : 0
  const entities = hits.map(hit => hit._source?.entity ?? '')
  const highlights = highlight && (await highlightsOf(ground, compiled.wanted, highlight, entities))
  return {
    total,
    best,
    hits: hits.map(({ _score }, at) => {
      const highlighted = highlights?.[at]
      return {
        entity: entities[at] ?? '',
        score: Math.min(best, scores.value(Math.fround(_score ?? 0))),
        ...(highlighted && { highlights: highlighted }),
      }
    }),
    ...(statistics && { statistics: statisticsOf(reply, total) }),
    ...(facet && { facet: await facetOf(ground, facet, statistics, body, reply) }),
  }
}

/** The same page of a plan comes from the same copies of the index, whatever page it is. */
export const preferenceOf = ({ nodes, restrictions }: Plan): string =>
  createHash('sha256')
    .update(JSON.stringify([nodes, restrictions]))
    .digest('hex')
    .slice(0, 12)

/** What finds the documents of a plan, with its cutoff. */
export async function found(ground: Ground, { nodes, cutoff }: Plan): Promise<Clause> {
  const compiled = await compile(ground, nodes, cutoff > 0)
  if (cutoff <= 0) return compiled.found
  const best = await bestOf(ground, compiled)
  const least = best > 0 ? scoresOf(compiled).least(best, cutoff) : 0
  return { script_score: { query: compiled.scored, script: { source: 'return _score;' }, min_score: least } }
}

async function bestOf(ground: Ground, { scored, pinned }: Compiled): Promise<number> {
  const query: Clause =
    pinned.length === 0 ? scored : { bool: { must: [scored], must_not: [{ terms: { id: pinned } }] } }
  const [reply] = await ground.ask([{ query, size: 1, _source: false, track_total_hits: false }])
  const best = Math.fround(reply?.hits.max_score ?? 0)
  // Only pinned documents are found: they are as good as any.
  return best > 0 || pinned.length === 0 ? best : 1
}

/**
 * How scores are read. OpenSearch keeps 24 bits of them: where they are sums of texts that is all there is; where they are products of
 * what the plan says (0.9), the shortest number that is kept so.
 */
function scoresOf({ adds }: Compiled) {
  const value = adds ? (float: number) => float : shortest
  return {
    value,
    /** The least kept score that is at least such a share of the best. */
    least(best: number, share: number): number {
      const reaches = (float: number) => value(float) / value(best) >= share
      let float = Math.fround(share * best)
      while (float > 0 && reaches(previousFloat(float))) float = previousFloat(float)
      while (!reaches(float)) float = nextFloat(float)
      return float
    },
  }
}

function stepRanges(scores: ReturnType<typeof scoresOf>, best: number) {
  const ranges = steps.map((step, at) => ({
    key: String(at),
    ...(step > 0 && { from: (scores.least(best, step) + previousFloat(scores.least(best, step))) / 2 }),
  }))
  return { script: { source: 'return _score;' }, ranges: ranges.filter(({ from }) => from !== undefined) }
}

function statisticsOf({ aggregations }: SearchReply, total: number): number[] {
  const buckets = (aggregations?.statistics as { buckets: { key: string; doc_count: number }[] } | undefined)
    ?.buckets
  const counts = new Map(buckets?.map(bucket => [bucket.key, bucket.doc_count]))
  return steps.map((_, at) => (at === steps.length - 1 ? total : (counts.get(String(at)) ?? 0)))
}

function sortOf(schema: Schema, key: SortKey): Clause {
  if (key.by === 'score') return { _score: 'desc' }
  const order = key.order === 'ascending' ? 'asc' : 'desc'
  if (key.by === 'distance') {
    const field = placesIn(schema, key.field)
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
              double own = metres(params.lat, params.lon, place);
              if (first == params.missing || params.nearest == (own < first)) { first = own; }
            }
            return first;`,
          params: { places: column.places(field), lat: key.lat, lon: key.lon, missing, nearest: isNearest },
        },
      },
    }
  }
  const field = fieldOf(schema, key.field)
  if (field.type === 'geo')
    throw new EngineError('unsupported', `the OpenSearch engine cannot sort by \`${key.field}\`, a geo field`)
  return { [column.sort(field)]: { order, mode: order === 'asc' ? 'min' : 'max', missing: '_last' } }
}
