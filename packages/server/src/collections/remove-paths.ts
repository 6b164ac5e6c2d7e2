/** Removes the values of hidden fields from attributes. Pure. */
import { isJsonObject, type JsonObject } from '@querent/contract/read-path'

/** Returns the attributes without the attributes and paths of these names, also inside objects and lists. */
export const removePaths = (attributes: JsonObject, paths: readonly string[]): Record<string, unknown> => {
  let remaining: unknown = attributes
  for (const path of paths) remaining = removePath(remaining, path)
  return isJsonObject(remaining) ? { ...remaining } : {}
}

/** Removes whatever a path may lead to, wherever its dots belong to names of attributes. */
const removePath = (value: unknown, path: string): unknown => {
  if (Array.isArray(value)) return value.map(item => removePath(item, path))
  if (!isJsonObject(value)) return value
  let changed: Record<string, unknown> | undefined
  if (Object.hasOwn(value, path)) {
    const { [path]: _, ...rest } = value
    changed = rest
  }
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot)
    const current = changed ?? value
    const inner = Object.hasOwn(current, name) ? current[name] : undefined
    const next = removePath(inner, path.slice(dot + 1))
    if (next !== inner) changed = { ...current, [name]: next }
  }
  return changed ?? value
}
