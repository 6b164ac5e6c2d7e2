/** The boosts of an endpoint that ranks: they apply whenever it does (query-service.md, boost). */
import type { Endpoint } from '@querent/contract/endpoints'
import type { BoostNode, PlanNode } from '#engines/engine'
import type { CollectionView } from './collection-view.ts'
import type { Step } from './step.ts'

/** Returns the names of the boosts of an endpoint. */
export const listDefaultBoosts = (endpoint: Endpoint): readonly string[] =>
  ('boosts' in endpoint && endpoint.boosts) || []

/** Boosts of a plan by name, so that each applies once. */
export type BoostsByName = Map<string, BoostNode>

export interface BoostContext {
  steps: ReadonlyMap<string, Step>
  collection: CollectionView
  nowMs: number
  /** Endpoints of the stack. A boost among them applies as in the stack only. */
  stacked: ReadonlySet<string>
}

const makeBoosts = ({ steps, collection, nowMs, stacked }: BoostContext, step: Step): BoostsByName =>
  new Map(
    (step.boosts ?? []).flatMap(name => {
      const node = stacked.has(name) ? undefined : steps.get(name)?.node([], collection, nowMs)
      return node?.kind === 'boost' ? [[name, node] as const] : []
    }),
  )

/**
 * Adds the boosts of a step to its node where they change only the last step of a ranking by words. Other boosts multiply the scores of the
 * part of a mix, or of the whole plan: those are added to `whole`.
 */
export const addDefaultBoosts = (
  context: BoostContext,
  step: Step,
  node: PlanNode,
  whole: BoostsByName,
): PlanNode => {
  const boosts = makeBoosts(context, step)
  const boosted = node.kind === 'mix' ? boostParts(context, node) : node
  if (boosts.size === 0) return boosted
  if (boosted.kind === 'match' && isRankedByWords(boosted))
    return { ...boosted, boosts: [...boosts.values()] }
  for (const [name, boost] of boosts) whole.set(name, boost)
  return boosted
}

const boostParts = (context: BoostContext, mix: PlanNode & { kind: 'mix' }): PlanNode => ({
  ...mix,
  parts: mix.parts.map(part => {
    const step = context.steps.get(part.name ?? '')
    if (step === undefined) return part
    const boosts: BoostsByName = new Map()
    const node = addDefaultBoosts(context, step, part.node, boosts)
    return { ...part, node, ...(boosts.size > 0 && { boosts: [...boosts.values()] }) }
  }),
})

/** A text without words ranks nothing. */
const isRankedByWords = ({ ranking, text }: PlanNode & { kind: 'match' }): boolean =>
  ranking === 'words' && text.words.length + text.phrases.length + (text.unfinished ? 1 : 0) > 0
