/** Conditions on the same element of a list: nested documents, one for each element. */
import { EngineError, type PlanNode } from '#engines/engine'
import type { Schema } from './schema.ts'
import type { Clause } from './values.ts'

/** `compile` makes the clause of a part. */
export const togetherClause = (
  schema: Schema,
  { parts }: Extract<PlanNode, { kind: 'together' }>,
  compile: (schema: Schema, node: PlanNode) => Clause,
): Clause => {
  const name = parts.flatMap(readFieldNames)[0]
  if (name === undefined) return { match_none: {} }
  const list = [...schema.lists.values()].find(({ fields }) => fields.some(field => field.name === name))
  if (!list)
    throw new EngineError(
      'unsupported',
      `the OpenSearch engine does not keep the elements of \`${name}\` together`,
    )
  const inner: Schema = { ...schema, fields: new Map(list.fields.map(field => [field.name, field])) }
  return { nested: { path: list.path, query: { bool: { filter: parts.map(part => compile(inner, part)) } } } }
}

const readFieldNames = (node: PlanNode): string[] => {
  if (node.kind === 'any') return node.parts.flatMap(readFieldNames)
  return 'field' in node ? [node.field] : []
}
