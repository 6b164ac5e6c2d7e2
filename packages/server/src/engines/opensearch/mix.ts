/**
 * A mix: documents that any of its parts finds, among those that satisfy all else that the plan asks for. By rank (reciprocal rank
 * fusion, Cormack and others 2009): the sum over the parts of weight / (60 + rank); by score: of weight × score / best score of the part.
 *
 * OpenSearch has no ranks while it scores. So the first of each part are asked for, and scored by what was learnt of them.
 */
import type { Ground } from './search-context.ts'
import type { Clause } from './values.ts'
import { shortest } from './values.ts'
import type { Wanted } from './words.ts'

export interface Compiled {
  /** Finds, without scores. */
  found: Clause
  /** Finds and scores. */
  scored: Clause
  /** What the match nodes looked for, for highlights. */
  wanted: Wanted[]
  pinned: string[]
  /** A text or a mix adds to scores: they are of 24 bits. Else they are products of what the plan says. */
  adds: boolean
  /** Words and phrases alone decide on scores: the first documents are known without looking at all. */
  prunes: boolean
}

export interface Mix {
  by: 'rank' | 'score'
  parts: readonly {
    weight: number
    found: Clause
    /** The part among the documents of `frame`. */
    score: (frame: Clause) => Promise<Compiled>
  }[]
  found: Clause
  wanted: Compiled['wanted']
}

/** The usual constant of reciprocal rank fusion. */
const rankOffset = 60
/** Of each part so many have exact ranks; all that come after share the next one. */
const rankedMax = 2_000

interface Ranked {
  clause: Clause
  weight: number
  total: number
  best: number
  hits: { id: string; score: number; rank: number }[]
}

/** The clause that scores what the mix finds. */
export async function mixed(ground: Ground, mix: Mix, frame: Clause): Promise<Clause> {
  if (mix.parts.length === 0) return { match_none: {} }
  const compiled = await Promise.all(mix.parts.map(part => part.score(frame)))
  const replies = await ground.ask(
    compiled.map(({ scored }) => ({
      size: rankedMax,
      _source: false,
      docvalue_fields: ['id'],
      track_total_hits: true,
      track_scores: true,
      sort: [{ _score: 'desc' }, { id: 'asc' }],
      query: scored,
    })),
  )
  const parts = mix.parts.map(({ weight }, at): Ranked => {
    const { scored, adds } = compiled[at] ?? { scored: { match_none: {} }, adds: true }
    const found = replies[at]?.hits
    const hits = (found?.hits ?? []).map(hit => {
      const float = Math.fround(hit._score ?? 0)
      return { id: hit.fields?.id?.[0] ?? '', score: adds ? float : shortest(float) }
    })
    let rank = 0
    const ranked = hits.map((hit, place) => {
      if (place === 0 || hit.score !== hits[place - 1]?.score) rank = place + 1
      return { ...hit, rank }
    })
    return {
      clause: scored,
      weight,
      total: found?.total?.value ?? 0,
      best: hits[0]?.score ?? 1,
      hits: ranked,
    }
  })
  const share = ({ weight, best }: Ranked, { score, rank }: Ranked['hits'][number]) =>
    weight * (mix.by === 'rank' ? 1 / (rankOffset + rank) : score / best)
  if (parts.every(({ total, hits }) => total === hits.length)) {
    const sums = new Map<string, number>()
    for (const part of parts)
      for (const hit of part.hits) sums.set(hit.id, (sums.get(hit.id) ?? 0) + share(part, hit))
    return learnt(sums)
  }
  const should = parts.map(part => {
    if (mix.by === 'score')
      return {
        script_score: {
          query: part.clause,
          script: {
            source: 'return params.weight * (_score / params.best);',
            params: { weight: part.weight, best: part.best },
          },
        },
      }
    const known = learnt(new Map(part.hits.map(hit => [hit.id, share(part, hit)])))
    const boost = part.weight / (rankOffset + part.hits.length + 1)
    return { dis_max: { queries: [known, { constant_score: { filter: part.clause, boost } }] } }
  })
  return { bool: { should } }
}

/** Documents with these scores. */
function learnt(scores: ReadonlyMap<string, number>): Clause {
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
