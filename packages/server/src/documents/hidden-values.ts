/** Keeps the stored values of fields that a writer does not see (authorization-server.md, "A limited user"). Pure. */
import { isDeepStrictEqual } from 'node:util'
import { removePaths } from '#collections/remove-paths'
import { isJsonObject } from './document-id.ts'

type Attributes = Readonly<Record<string, unknown>>

/**
 * Returns the document that the writer sent, with the stored values of hidden paths in place of those that it may have there. Says which
 * attribute cannot be sentVisible, if a value that it replaces holds hidden ones that have no place any longer. The message is about the stored
 * document only as far as the writer sees it.
 */
export const keepHiddenValues = (
  sent: Attributes,
  stored: Attributes,
  hiddenPaths: readonly string[],
): { attributes: Record<string, unknown> } | { message: string } => {
  const visible = removePaths(stored, hiddenPaths)
  const sentVisible = removePaths(sent, hiddenPaths)
  const attributes = new Map<string, unknown>()
  for (const name of new Set([...Object.keys(sentVisible), ...Object.keys(stored)])) {
    const merged = keepInside(readOwn(sentVisible, name), readOwn(visible, name), readOwn(stored, name))
    if (merged === unplaced)
      return { message: `"${name}": you may change its members, but not replace it as a whole` }
    if (merged !== undefined) attributes.set(name, merged)
  }
  return { attributes: Object.fromEntries(attributes) }
}

/** `constructor` is an ordinary name of an attribute. */
const readOwn = (attributes: Attributes, name: string): unknown =>
  Object.hasOwn(attributes, name) ? attributes[name] : undefined

const unplaced = Symbol('hidden values without a place')

/** Returns the value to write, or {@link unplaced}. */
const keepInside = (sentVisible: unknown, visible: unknown, stored: unknown): unknown => {
  if (isDeepStrictEqual(visible, stored)) return sentVisible
  if (isDeepStrictEqual(sentVisible, visible)) return stored
  if (!isJsonObject(stored) || !(sentVisible === undefined || isJsonObject(sentVisible))) return unplaced
  const [writtenMembers, visibleMembers] = [sentVisible ?? {}, isJsonObject(visible) ? visible : {}]
  const members = new Map<string, unknown>()
  for (const name of new Set([...Object.keys(writtenMembers), ...Object.keys(stored)])) {
    const merged = keepInside(
      readOwn(writtenMembers, name),
      readOwn(visibleMembers, name),
      readOwn(stored, name),
    )
    if (merged === unplaced) return unplaced
    if (merged !== undefined) members.set(name, merged)
  }
  return Object.fromEntries(members)
}
