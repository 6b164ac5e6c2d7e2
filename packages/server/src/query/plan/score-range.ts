/** Keeps the products of tuple list scores in the range of a number. Results show only their proportions, so scaling is safe. */
import type { PlanNode } from '#engines/engine'

/** Products within these bounds need no scaling. Every engine can represent them, also multiplied by text scores. */
const productMin = 1e-20
const productMax = 1e20

/** Lowest and highest score of a tuple list; 1 for other nodes. */
const scoreRange = (node: PlanNode): { low: number; high: number } => {
  if (!('alternatives' in node) || node.alternatives.length === 0) return { low: 1, high: 1 }
  let low = Number.POSITIVE_INFINITY
  let high = 0
  for (const { score } of node.alternatives) {
    low = Math.min(low, score)
    high = Math.max(high, score)
  }
  return { low, high }
}

/** If products could leave the range, divides scores by the best one of their list. The best product is then at most 1. */
export const withinRange = (nodes: PlanNode[]): PlanNode[] => {
  let worst = 1
  let best = 1
  for (const node of nodes) {
    const { low, high } = scoreRange(node)
    worst *= low
    best *= high
  }
  return worst >= productMin && best <= productMax ? nodes : nodes.map(divideByBest)
}

const divideByBest = (node: PlanNode): PlanNode => {
  if (!('alternatives' in node)) return node
  const { high } = scoreRange(node)
  const alternatives = node.alternatives.map(alternative => ({
    ...alternative,
    score: alternative.score / high,
  }))
  // TypeScript doesn't see that the node keeps its kind.
  return { ...node, alternatives } as PlanNode
}
