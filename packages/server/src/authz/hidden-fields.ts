/** The fields that do not exist for a caller (workspace-file.md, Hidden fields): for members without a group that sees them, and for strangers. */
import { readPaths, visibleGroups } from '@querent/contract/hidden-fields'
import type { Definition } from '@querent/contract/workspace-file'

export interface HiddenFields {
  /** Differs for different hidden fields of one definition. */
  readonly key: string
  /** Names of hidden fields by collection. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>
  /** The attributes and paths with their values, by collection. */
  readonly paths: ReadonlyMap<string, readonly string[]>
}

interface RestrictedField {
  collection: string
  name: string
  groups: readonly string[]
  paths: readonly string[]
}

interface DefinitionCache {
  restricted: readonly RestrictedField[]
  hidden: Map<string, HiddenFields>
}

/** Freed with the version of the definition. */
const caches = new WeakMap<Definition, DefinitionCache>()

/** Returns what is hidden from somebody in these groups; the same object for the same fields. Undefined: nothing. */
export const findHiddenFields = (
  definition: Definition,
  groups: readonly string[],
): HiddenFields | undefined => {
  const cache = caches.get(definition) ?? { restricted: listRestricted(definition), hidden: new Map() }
  caches.set(definition, cache)
  const hidden = cache.restricted.filter(field => !field.groups.some(group => groups.includes(group)))
  if (hidden.length === 0) return undefined
  const key = JSON.stringify(hidden.map(({ collection, name }) => [collection, name]))
  const cached = cache.hidden.get(key) ?? groupByCollection(key, hidden)
  cache.hidden.set(key, cached)
  return cached
}

/** Returns the fields that are hidden from a stranger at a public API. */
export const findStrangerHiddenFields = (definition: Definition): HiddenFields | undefined =>
  findHiddenFields(definition, [])

const listRestricted = ({ collections = {} }: Definition): RestrictedField[] =>
  Object.entries(collections).flatMap(([name, collection]) => {
    const { fields = {} } = collection
    return Object.entries(fields).flatMap(([field, declared]): RestrictedField[] => {
      const groups = visibleGroups(collection, field)
      if (!groups) return []
      // The attribute of `source` is hidden with the field, unless it is a field of its own.
      const sources =
        declared.type === 'vector'
          ? []
          : readPaths(field, declared).filter(path => !Object.hasOwn(fields, path))
      return [{ collection: name, name: field, groups, paths: [...new Set([field, ...sources])] }]
    })
  })

const groupByCollection = (key: string, hidden: readonly RestrictedField[]): HiddenFields => {
  const fields = new Map<string, Set<string>>()
  const paths = new Map<string, string[]>()
  for (const { collection, name, paths: ownPaths } of hidden) {
    fields.set(collection, (fields.get(collection) ?? new Set()).add(name))
    paths.set(collection, [...(paths.get(collection) ?? []), ...ownPaths])
  }
  return { key, fields, paths }
}

/** Joins what is hidden from two callers, such as an administrator and the member whom they preview as. */
export const uniteHiddenFields = (
  definition: Definition,
  one: HiddenFields | undefined,
  next: HiddenFields | undefined,
): HiddenFields | undefined => {
  if (!one || !next || one === next) return one ?? next
  const hidden = (caches.get(definition)?.restricted ?? listRestricted(definition)).filter(
    ({ collection, name }) => one.fields.get(collection)?.has(name) || next.fields.get(collection)?.has(name),
  )
  return groupByCollection(JSON.stringify(hidden.map(({ collection, name }) => [collection, name])), hidden)
}
