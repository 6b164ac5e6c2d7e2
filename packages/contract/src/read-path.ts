/** Reads values of documents by the paths of nested objects. */
import { readRawNumber } from './exact-json.ts'

export type JsonObject = Readonly<Record<string, unknown>>

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && readRawNumber(value) === undefined

/**
 * Returns the values at a path: of the attribute with this whole name, or else of nested objects, through lists. A list without values at the
 * path gives undefined, like an absent attribute. Subtracts the items of lists on the way from `budget.items`, and returns undefined once it is
 * used up.
 */
export const readPath = (
  document: JsonObject,
  path: string,
  budget = { items: Number.POSITIVE_INFINITY },
): unknown => {
  if (Object.hasOwn(document, path)) return document[path]
  return path.includes('.') ? walk(document, path.split('.'), budget) : undefined
}

const walk = (value: unknown, steps: readonly string[], budget: { items: number }): unknown => {
  const [step, ...others] = steps
  if (step === undefined) return value
  if (Array.isArray(value)) {
    budget.items -= value.length
    if (budget.items < 0) return undefined
    const values = value.flatMap(item => {
      const inner = walk(item, steps, budget)
      return inner === undefined || inner === null ? [] : inner
    })
    return values.length === 0 ? undefined : values
  }
  return isJsonObject(value) && Object.hasOwn(value, step) ? walk(value[step], others, budget) : undefined
}
