/** Highlights in a plan (query-service.md, Paths: `highlight`). */
import type { HighlightRequest, PlanNode } from '#engines/engine'

const snippets = 3
const chars = 160

const matchedFields = (node: PlanNode): string[] => {
  if (node.kind === 'match') return node.fields.map(({ name }) => name)
  return node.kind === 'mix' ? node.parts.flatMap(part => matchedFields(part.node)) : []
}

/** Requests snippets of every field that the stack's free text searches. */
export const makeHighlightRequest = (nodes: readonly PlanNode[]): HighlightRequest => ({
  fields: [...new Set(nodes.flatMap(matchedFields))],
  snippets,
  chars,
})
