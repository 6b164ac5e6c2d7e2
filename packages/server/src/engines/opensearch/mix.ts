/**
 * Scores a mix: the documents that any of its parts matches, among those that satisfy the rest of the plan. By rank (reciprocal rank
 * fusion, Cormack et al. 2009) it sums weight / (10 + rank) over the parts; by score (distribution-based score fusion, Mazzeschi 2023),
 * weight × the share that the distribution of the part's scores gives to the score.
 *
 * OpenSearch does not know ranks while it scores. So this requests the first documents of each part, and then scores by their ids.
 */
import type { QueryWord } from './query-words.ts'
import { rankingRules } from './ranking-rules.ts'
import type { SearchContext } from './search-context.ts'
import type { Clause } from './values.ts'
import { shortestDecimal } from './values.ts'

export interface Compiled {
  /** Matches the documents without scoring them. */
  filterQuery: Clause
  /** Matches and scores the documents. */
  scoredQuery: Clause
  /** The words of the match nodes, for highlights. */
  queryWords: QueryWord[]
  /** The words that relaxed matches dropped, as typed. */
  relaxed: string[]
  pinned: string[]
  /** A text, a vector or a mix adds to scores, which then have 24 bits of precision. Otherwise they are products of numbers in the plan. */
  addsScores: boolean
  /** Only words and phrases affect scores, so Lucene can find the top documents without visiting all. */
  mayPrune: boolean
}

export interface Mix {
  by: 'rank' | 'score'
  parts: readonly {
    weight: number
    filterQuery: Clause
    /** Compiles the part for the documents of `frame`. */
    score: (frame: Clause) => Promise<Compiled>
  }[]
  filterQuery: Clause
  queryWords: Compiled['queryWords']
  relaxed: Compiled['relaxed']
}

const { rankOffset, distributionSize, lowestShare } = rankingRules
/** Number of documents per part with exact ranks; all further ones share the next rank. */
const rankedMax = 2_000

interface Ranked {
  clause: Clause
  weight: number
  total: number
  distribution: Distribution
  hits: { id: string; score: number; rank: number }[]
}

/** Mean and standard deviation. */
interface Distribution {
  mean: number
  deviation: number
}

/** `scores` are descending. */
function measureDistribution(scores: readonly number[]): Distribution {
  const best = scores.slice(0, distributionSize)
  const mean = best.reduce((sum, score) => sum + score, 0) / best.length
  const squares = best.reduce((sum, score) => sum + (score - mean) * (score - mean), 0)
  return { mean, deviation: Math.sqrt(squares / best.length) }
}

/** Maps three deviations below the mean to 0, three above it to 1, and better scores to more. */
function readShare({ mean, deviation }: Distribution, score: number): number {
  if (deviation === 0) return 0.5
  return Math.max((score - mean) / (6 * deviation) + 0.5, lowestShare)
}

const shareScript = `
  if (params.deviation == 0) return params.weight * 0.5;
  return params.weight * Math.max((_score - params.mean) / (6 * params.deviation) + 0.5, params.lowestShare);`

/** Returns a clause that matches and scores the documents of the mix. */
export async function scoreMix(context: SearchContext, mix: Mix, frame: Clause): Promise<Clause> {
  if (mix.parts.length === 0) return { match_none: {} }
  const compiled = await Promise.all(mix.parts.map(part => part.score(frame)))
  const replies = await context.search(
    compiled.map(({ scoredQuery }) => ({
      size: rankedMax,
      _source: false,
      docvalue_fields: ['id'],
      track_total_hits: true,
      track_scores: true,
      sort: [{ _score: 'desc' }, { id: 'asc' }],
      query: scoredQuery,
    })),
  )
  const parts = mix.parts.map(({ weight }, index): Ranked => {
    const { scoredQuery, addsScores } = compiled[index] ?? {
      scoredQuery: { match_none: {} },
      addsScores: true,
    }
    const filterQuery = replies[index]?.hits
    const hits = (filterQuery?.hits ?? []).map(hit => {
      const float = Math.fround(hit._score ?? 0)
      return { id: hit.fields?.id?.[0] ?? '', score: addsScores ? float : shortestDecimal(float) }
    })
    let rank = 0
    const ranked = hits.map((hit, place) => {
      if (place === 0 || hit.score !== hits[place - 1]?.score) rank = place + 1
      return { ...hit, rank }
    })
    return {
      clause: scoredQuery,
      weight,
      total: filterQuery?.total?.value ?? 0,
      distribution: measureDistribution(hits.map(({ score }) => score)),
      hits: ranked,
    }
  })
  const share = ({ weight, distribution }: Ranked, { score, rank }: Ranked['hits'][number]) =>
    weight * (mix.by === 'rank' ? 1 / (rankOffset + rank) : readShare(distribution, score))
  if (parts.every(({ total, hits }) => total === hits.length)) {
    const sums = new Map<string, number>()
    for (const part of parts)
      for (const hit of part.hits) sums.set(hit.id, (sums.get(hit.id) ?? 0) + share(part, hit))
    return scoreByIds(sums)
  }
  const should = parts.map(part => {
    if (mix.by === 'score')
      return {
        script_score: {
          query: part.clause,
          script: {
            source: shareScript,
            params: { weight: part.weight, ...part.distribution, lowestShare },
          },
        },
      }
    const rankedQuery = scoreByIds(new Map(part.hits.map(hit => [hit.id, share(part, hit)])))
    const boost = part.weight / (rankOffset + part.hits.length + 1)
    return { dis_max: { queries: [rankedQuery, { constant_score: { filter: part.clause, boost } }] } }
  })
  return { bool: { should } }
}

/** Returns a clause that matches these ids with their scores. */
export function scoreByIds(scores: ReadonlyMap<string, number>): Clause {
  if (scores.size === 0) return { match_none: {} }
  return {
    script_score: {
      query: { constant_score: { filter: { terms: { id: [...scores.keys()] } } } },
      script: {
        source: "return ((Number)params.scores[doc['id'].value]).doubleValue();",
        params: { scores: Object.fromEntries(scores) },
      },
    },
  }
}
