/** Puts the vectors of texts into a plan before it runs (query-service.md, nearest). */
import { EmbedderError } from '#embedding/embedders'
import { toNumbers } from '#embedding/entity-vectors'
import type { QueryVectors } from '#embedding/query-vectors'
import type { Plan, PlanNode } from '#engines/engine'
import { Problem } from '#errors'
import type { TextNearestNode } from './step.ts'

export interface ResolvedPlan {
  plan: Plan
  /** Names of the endpoints that a mix answers without, because their embedder failed. */
  degraded: string[]
}

/** Returns the nodes that need a vector. */
export const textNodes = ({ nodes }: Plan): TextNearestNode[] =>
  nodes.flatMap(node => (node.kind === 'mix' ? node.parts.map(part => part.node) : [node])).filter(isTextNode)

const isTextNode = (node: PlanNode): node is TextNearestNode => node.kind === 'nearest' && 'text' in node

/** The share of the remaining time that an embedder may take, so that a mix can still answer without it. */
const timeShare = 0.5

/**
 * Makes the vectors of a plan. Leaves the parts of a mix out whose embedder fails. Throws Problem `unavailable` if nothing else of the mix
 * is left, or outside of a mix.
 */
export const resolveTexts = async (
  plan: Plan,
  vectors: QueryVectors | undefined,
  remainingMs: number,
): Promise<ResolvedPlan> => {
  const degraded: string[] = []
  const resolve = async ({
    text: { embedder, dimensions, text },
    ...node
  }: TextNearestNode): Promise<PlanNode> => {
    if (!vectors) throw new EmbedderError('unavailable', `no embedder is named "${embedder}"`)
    const vector = await vectors.find(embedder, dimensions, text, Math.max(1, remainingMs * timeShare))
    return { ...node, vector: toNumbers(vector) }
  }
  const nodes = await Promise.all(
    plan.nodes.map(async (node): Promise<PlanNode> => {
      if (isTextNode(node)) return resolve(node).catch(error => failNearest(node.text.endpoint, error))
      if (node.kind !== 'mix' || !node.parts.some(part => isTextNode(part.node))) return node
      let failure: unknown
      const parts = await Promise.all(
        node.parts.map(async part => {
          if (!isTextNode(part.node)) return [part]
          try {
            return [{ ...part, node: await resolve(part.node) }]
          } catch (error) {
            if (!(error instanceof EmbedderError)) throw error
            failure = error
            degraded.push(part.node.text.endpoint)
            return []
          }
        }),
      )
      const workingParts = parts.flat()
      return workingParts.length > 0
        ? { ...node, parts: workingParts }
        : failNearest(degraded.join(', '), failure)
    }),
  )
  return { plan: { ...plan, nodes }, degraded: degraded.sort() }
}

/** The cause goes to the log only, because it may name hosts of the operator. */
const failNearest = (endpoint: string, cause: unknown): never => {
  if (!(cause instanceof EmbedderError)) throw cause
  throw new Problem(
    'unavailable',
    `"${endpoint}" cannot search by meaning now, because the embedder failed; try again shortly`,
    { cause, headers: { 'retry-after': '5' } },
  )
}
