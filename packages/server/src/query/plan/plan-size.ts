/** Bounds what the endpoints of one query search together, because a stack may repeat an endpoint that searches 1,000 fields. */
import type { PlanNode } from '#engines/engine'
import { Problem } from '#errors'

/** Fields and values in all nodes of a plan. The largest endpoint, a mix of 20 parts with 1,000 fields, has 20,000. */
export const planPartsMax = 25_000

const countValues = (alternatives: readonly { values: readonly unknown[] }[]): number =>
  alternatives.reduce((sum, { values }) => sum + values.length, 0)

const countParts = (node: PlanNode): number => {
  switch (node.kind) {
    case 'match':
      return (
        node.fields.length + (node.pinned?.length ?? 0) + (node.buried?.length ?? 0) + sumParts(node.boosts)
      )
    case 'similar':
      return node.fields.length
    case 'filter':
    case 'lookup':
      return countValues(node.alternatives)
    case 'boost':
      return node.rule.by === 'value' ? node.rule.values.length : 1
    case 'area':
      return 'polygon' in node.area ? node.area.polygon.corners.length : 1
    case 'mix':
      return node.parts.reduce((sum, part) => sum + countParts(part.node) + sumParts(part.boosts), 0)
    case 'any':
    case 'together':
      return node.parts.reduce((sum, part) => sum + countParts(part), 0)
    default:
      return 1
  }
}

const sumParts = (nodes: readonly PlanNode[] = []): number =>
  nodes.reduce((sum, node) => sum + countParts(node), 0)

/** Returns a function that counts the next node of a plan. It throws Problem `bad-path` beyond {@link planPartsMax}. */
export const createPartCounter = (): ((node: PlanNode) => void) => {
  let total = 0
  return node => {
    total += countParts(node)
    if (total > planPartsMax)
      throw new Problem(
        'bad-path',
        `the endpoints of this query search more than ${planPartsMax} fields and values together: use fewer endpoints`,
      )
  }
}
