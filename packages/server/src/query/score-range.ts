/** The scores of tuple lists multiply over a stack, to more than a number holds; only how they compare shows in a result. */
import type { PlanNode } from '#engines/engine'

/** Products within these are left as they are: every engine holds them, multiplied by those of texts too. */
const least = 1e-20
const most = 1e20

const scoresOf = (node: PlanNode): number[] =>
  'alternatives' in node ? node.alternatives.map(({ score }) => score) : []

/** The same nodes, or where products could leave the range, with scores over the best one of their list: the best product is 1 at most. */
export const withinRange = (nodes: PlanNode[]): PlanNode[] => {
  let low = 1
  let high = 1
  for (const node of nodes) {
    const scores = scoresOf(node)
    if (scores.length === 0) continue
    low *= Math.min(...scores)
    high *= Math.max(...scores)
  }
  return low >= least && high <= most ? nodes : nodes.map(overBest)
}

const overBest = (node: PlanNode): PlanNode => {
  const best = Math.max(...scoresOf(node))
  switch (node.kind) {
    case 'filter':
    case 'lookup':
      return { ...node, alternatives: node.alternatives.map(each => ({ ...each, score: each.score / best })) }
    case 'distance':
      return { ...node, alternatives: node.alternatives.map(each => ({ ...each, score: each.score / best })) }
    default:
      return node
  }
}
