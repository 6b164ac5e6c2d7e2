/** JSON Merge Patch (RFC 7396, section 2). */
import { isJsonObject } from './document-id.ts'

type Members = Readonly<Record<string, unknown>>

/** Merges the members of a patch into those of a document: `null` removes a member, objects merge, everything else replaces. Changes neither. */
export const mergePatch = (target: Members, patch: Members): Record<string, unknown> => {
  // A Map keeps the order of the target, and `__proto__` is an ordinary name in it.
  const merged = new Map(Object.entries(target))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else if (isJsonObject(value)) {
      const previous = merged.get(name)
      merged.set(name, mergePatch(isJsonObject(previous) ? previous : {}, value))
    } else merged.set(name, value)
  }
  return Object.fromEntries(merged)
}
