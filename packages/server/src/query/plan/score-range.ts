/** The scores of tuple lists multiply over a stack, to more than a number holds; only how they compare shows in a result. */
import type { PlanNode } from '#engines/engine'

/** Products within these are left as they are: every engine holds them, multiplied by those of texts too. */
const least = 1e-20
const most = 1e20

/** Worst and best score of a tuple list; 1 for other nodes. */
const rangeOf = (node: PlanNode): { low: number; high: number } => {
  if (!('alternatives' in node) || node.alternatives.length === 0) return { low: 1, high: 1 }
  let low = Number.POSITIVE_INFINITY
  let high = 0
  for (const { score } of node.alternatives) {
    low = Math.min(low, score)
    high = Math.max(high, score)
  }
  return { low, high }
}

/** The same nodes, or where products could leave the range, with scores over the best one of their list: the best product is 1 at most. */
export const withinRange = (nodes: PlanNode[]): PlanNode[] => {
  let worst = 1
  let best = 1
  for (const node of nodes) {
    const { low, high } = rangeOf(node)
    worst *= low
    best *= high
  }
  return worst >= least && best <= most ? nodes : nodes.map(overBest)
}

const overBest = (node: PlanNode): PlanNode => {
  if (!('alternatives' in node)) return node
  const { high } = rangeOf(node)
  const alternatives = node.alternatives.map(each => ({ ...each, score: each.score / high }))
  // They are of the kind they were: of a union TypeScript does not see that.
  return { ...node, alternatives } as PlanNode
}
