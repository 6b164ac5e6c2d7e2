/** Boosts → inputs of the script that multiplies scores (compile.ts). */
import { EngineError, type PlanNode } from '#engines/engine'
import { createFactor, type Factor, geoField, readKey } from './conditions.ts'
import { column, findField, type Schema } from './schema.ts'

/** The factor is computed from values of the document, so its score has 24 bits of precision. */
export const isComputed = ({ kind }: Factor): boolean =>
  kind === 'growth' || kind === 'age' || kind === 'proximity'

/** Undefined if no document can have a value that the rule boosts. */
export function boostFactor(
  schema: Schema,
  { field: name, rule }: Extract<PlanNode, { kind: 'boost' }>,
): Factor | undefined {
  if (rule.by === 'distance') {
    const { lat, lon, halfMeters } = rule
    return { kind: 'proximity', column: column.places(geoField(schema, name)), lat, lon, halfMeters }
  }
  const field = findField(schema, name)
  if (rule.by === 'value') {
    const keys = rule.values.flatMap(value => readKey(field, value) ?? [])
    return createFactor(
      field.column,
      keys.map(key => ({ key, score: rule.factor })),
      column.large(field),
    )
  }
  const type = rule.by === 'age' ? 'date' : 'number'
  if (field.type !== type)
    throw new EngineError(
      'unsupported',
      `the OpenSearch engine cannot boost by ${rule.by} of \`${name}\`, a ${field.type} field`,
    )
  return rule.by === 'age'
    ? { kind: 'age', column: field.column, nowMs: rule.nowMs, halfLifeMs: rule.halfLifeMs }
    : { kind: 'growth', column: field.column, log: rule.by === 'log' }
}
