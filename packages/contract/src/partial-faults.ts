/** Finds errors of meaning in a file that the schema rejects: in the parts that are right by themselves. */
import { clientFaults } from './client-faults.ts'
import type { NativeSchemes } from './client-uris.ts'
import { definitionFaults } from './definition-faults.ts'
import { type Fault, schemaFaults } from './schema-faults.ts'
import { WorkspaceFile } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

type Mapping = Record<string, unknown>

/**
 * Returns the errors of meaning, such as unknown names, of a file with the faults `shape`. Errors that may come from those faults are left
 * out: each one is also reported when the faults are corrected. None if the parts can't be told apart.
 */
export const partialFaults = (
  value: unknown,
  shape: readonly Fault[],
  nativeSchemes: NativeSchemes,
): Fault[] => {
  if (!isMapping(value)) return []
  const copy = structuredClone(value)
  if (!Object.hasOwn(copy, 'workspace')) copy.workspace = 'a'
  const parts = shape.map(({ path }) => findPart(path)).filter(({ length }) => length > 0)
  // Without a collection, every name of a field is in doubt.
  if (parts.some(([part, , key]) => part === 'collections' && key === undefined)) return []
  if (parts.some(part => part.length === 1 && part[0] === 'apis')) return []
  for (const part of parts) deletePart(copy, part)
  if (copy.workspace === undefined) copy.workspace = 'a'
  if (schemaFaults(WorkspaceFile, copy).length > 0) return []
  const doubtful = new Set(parts.flatMap(listNamesInDoubt))
  const apis = new Set(parts.flatMap(([part, api]) => (part === 'apis' ? [api] : [])))
  // The schema accepted the copy.
  const file = copy as unknown as WorkspaceFile
  return [...definitionFaults(file), ...clientFaults(file, nativeSchemes)].filter(
    ({ path, target }) =>
      !mentions(target === 'key' ? path.at(-1) : readAt(copy, path), doubtful) &&
      !(
        path[0] === 'apis' &&
        apis.has(path[1]) &&
        readAt(copy, [...path.slice(0, 4), 'collection']) === undefined
      ),
  )
}

/** Returns the smallest part of the file that can be left out: a field, an endpoint, a rule, a key. */
const findPart = ([part, name, key, entry]: Path): Path => {
  const isNested = (part === 'collections' && key === 'fields') || (part === 'apis' && key !== undefined)
  if (isNested && entry !== undefined && key !== 'title') return [part ?? '', name ?? '', key ?? '', entry]
  const hasKeys = part === 'collections' || part === 'apis'
  return [part, name, ...(hasKeys ? [key] : [])].filter(step => step !== undefined)
}

/** Deletes a list as a whole: without one item, the places of the others would move. */
const deletePart = (file: Mapping, part: Path): void => {
  const last = part.at(-1)
  const parent = readAt(file, part.slice(0, -1))
  if (last !== undefined && isMapping(parent)) delete parent[last]
  else if (Array.isArray(parent)) deletePart(file, part.slice(0, -1))
}

/** A field in doubt makes the fields of its collection incomplete. */
const listNamesInDoubt = (part: Path): (string | number)[] =>
  part[0] === 'collections' ? [part[1] ?? '', part.at(-1) ?? ''] : [part.at(-1) ?? '']

const readAt = (value: unknown, path: Path): unknown => {
  let inner = value
  for (const step of path) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, step)) return undefined
    inner = (inner as Mapping)[step]
  }
  return inner
}

const mentions = (value: unknown, names: ReadonlySet<string | number>): boolean => {
  if (typeof value === 'string') return names.has(value) || names.has(value.replace(/:FILTER$/, ''))
  if (Array.isArray(value)) return value.some(item => mentions(item, names))
  if (isMapping(value))
    return Object.entries(value).some(([key, item]) => names.has(key) || mentions(item, names))
  return false
}

const isMapping = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
