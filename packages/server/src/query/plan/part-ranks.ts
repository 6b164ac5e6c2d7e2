/**
 * Ranks of documents in the parts of a mix, for the option `parts` (query-service.md, Stacking). Engines return only what a mix makes of its
 * parts, so each part is searched again, for requests that ask.
 */
import type { Plan, PlanNode, Reply } from '#engines/engine'

/** The documents of a part that are ranked. */
export const partRanksMax = 1_000

/** By endpoint; null for a rank above {@link partRanksMax}. A part that does not find the document has no entry. */
export type PartRanks = Record<string, number | null>

/**
 * Returns the ranks of the hits. Returns undefined if the plan has no mix, or several, or something else that adds scores. Leaves out the
 * `degraded` parts. `run` runs a plan.
 */
export const findPartRanks = async (
  plan: Plan,
  { hits }: Reply,
  degraded: readonly string[],
  run: (plan: Plan) => Promise<Reply>,
): Promise<PartRanks[] | undefined> => {
  const [mix, otherMix] = plan.nodes.filter(node => node.kind === 'mix')
  const otherNodes = plan.nodes.filter(node => node.kind !== 'mix')
  if (mix === undefined || otherMix !== undefined || otherNodes.some(addsScore)) return undefined
  const ranks: PartRanks[] = hits.map(() => ({}))
  for (const { name = '', node, boosts = [] } of mix.parts) {
    if (degraded.includes(name)) continue
    const reply = await run({
      nodes: [withoutPlaces(node), ...boosts, ...otherNodes.flatMap(withoutScore)],
      restrictions: plan.restrictions,
      order: [{ by: 'score' }],
      cutoff: 0,
      offset: 0,
      count: partRanksMax,
      statistics: false,
    })
    const rankByEntity = readRanks(reply)
    for (const [index, { entity }] of hits.entries()) {
      const rank = rankByEntity.get(entity) ?? (reply.total > partRanksMax ? null : undefined)
      if (rank !== undefined && ranks[index]) ranks[index][name] = rank
    }
  }
  return ranks
}

/** Equal scores share a rank, as in a mix. */
const readRanks = ({ hits }: Reply): Map<string, number> => {
  let rank = 0
  return new Map(
    hits.map(({ entity, score }, index) => {
      if (score !== hits[index - 1]?.score) rank = index + 1
      return [entity, rank]
    }),
  )
}

const addsScore = ({ kind }: PlanNode): boolean => ['match', 'similar', 'nearest'].includes(kind)

/** In a mix, pinned and buried ids have no effect. */
const withoutPlaces = (node: PlanNode): PlanNode =>
  node.kind === 'match' ? { ...node, pinned: [], buried: [] } : node

/** Tuple lists and boosts multiply the score of the mix, not those of its parts. */
const withoutScore = (node: PlanNode): PlanNode[] => {
  if (node.kind === 'boost') return []
  return node.kind === 'filter' || node.kind === 'lookup' || node.kind === 'distance'
    ? [{ kind: 'any', parts: [node], not: false }]
    : [node]
}
