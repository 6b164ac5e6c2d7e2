/** Edits of a workspace file: what the forms of the console change, in the text that a person wrote. */
import { parse, stringify } from 'yaml'
import type { Endpoint } from './endpoints.ts'
import { patchWorkspaceText } from './patch-workspace-text.ts'
import { isEqual, isPlain, type Plain } from './plain-data.ts'
import { keepTestApis } from './relevance-test-apis.ts'
import type { Api, Curation, Field, SynonymSet, WorkspaceFile } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

/** Sets the value at a path of the file. `undefined` deletes it. Missing maps above it are created. */
export interface WorkspaceEdit {
  path: Path
  value: unknown
  /** A new key goes before the first of these that its map has, or else to the end. */
  before?: readonly string[]
}

export const fieldEdit = (collection: string, name: string, field: Field | undefined): WorkspaceEdit => ({
  path: ['collections', collection, 'fields', name],
  value: field,
})

/** `visible` of undefined: everybody sees the field. */
export const fieldSightEdit = (
  collection: string,
  field: string,
  visible: readonly string[] | undefined,
): WorkspaceEdit => ({ path: ['collections', collection, 'fields', field, 'visible'], value: visible })

/** `weight` of undefined is the default, 1. */
export const weightEdit = (collection: string, field: string, weight: number | undefined): WorkspaceEdit => ({
  path: ['collections', collection, 'fields', field, 'weight'],
  value: weight,
})

/** Sets one key of a collection besides its fields and synonyms, such as `language`. */
export const collectionKeyEdit = (collection: string, key: string, value: unknown): WorkspaceEdit => ({
  path: ['collections', collection, key],
  value,
})

/** Replaces all synonyms of a collection; unchanged ones keep their text. */
export const synonymsEdit = (collection: string, synonyms: readonly SynonymSet[]): WorkspaceEdit => ({
  path: ['collections', collection, 'synonyms'],
  value: synonyms.length === 0 ? undefined : synonyms,
})

/** Adds an API without endpoints. */
export const apiEdit = (api: string, definition: Pick<Api, 'title' | 'access'>): WorkspaceEdit => ({
  path: ['apis', api],
  value: { ...definition, endpoints: {} },
})

/** Sets one key of an API, such as `title`. */
export const apiKeyEdit = (
  api: string,
  key: 'title' | 'access',
  value: string | undefined,
): WorkspaceEdit => ({
  path: ['apis', api, key],
  value,
})

export const endpointEdit = (api: string, name: string, endpoint: Endpoint | undefined): WorkspaceEdit => ({
  path: ['apis', api, 'endpoints', name],
  value: endpoint,
})

/** Sets one key of an endpoint, such as `typos`, or `by` of a boost. */
export const endpointKeyEdit = (api: string, name: string, key: string, value: unknown): WorkspaceEdit => ({
  path: ['apis', api, 'endpoints', name, key],
  value,
})

/** Replaces all curation rules of an API; unchanged ones keep their text, also when they move. */
export const curationEdit = (api: string, rules: readonly Curation[]): WorkspaceEdit => ({
  path: ['apis', api, 'curation'],
  value: rules.length === 0 ? undefined : rules,
})

/** Returns the file with the edits; the given one stays as it is. */
export const applyEdits = (file: WorkspaceFile, edits: readonly WorkspaceEdit[]): WorkspaceFile =>
  // An edit of a file with these paths gives a file.
  edits.reduce<unknown>(
    (edited, { path, value, before = [] }) => writeAt(edited, path, value, before),
    file,
  ) as WorkspaceFile

/** Returns the edits that undo `edits` of `file`, in the order to apply them. */
export const undoEdits = (file: WorkspaceFile, edits: readonly WorkspaceEdit[]): WorkspaceEdit[] => {
  const inverse: WorkspaceEdit[] = []
  let edited = file
  for (const edit of edits) {
    const path = findChangedPath(edited, edit)
    const nextKeys = listNextKeys(edited, path)
    inverse.unshift({ path, value: readAt(edited, path), ...(nextKeys.length > 0 && { before: nextKeys }) })
    edited = applyEdits(edited, [edit])
  }
  return inverse
}

/**
 * Returns the text with the edits. Comments, blank lines, the order of keys, quotes and layout outside of the edits stay. `source` is the text of a
 * file that the reader has accepted. Relevance tests that the edits make ambiguous get the `api` that they had.
 */
export const editWorkspaceText = (source: string, edits: readonly WorkspaceEdit[]): string => {
  const original = readText(source)
  const file = keepTestApis(original, applyEdits(original, edits))
  return patchWorkspaceText({ source, file }) ?? stringify(file)
}

/** Returns whether two texts have the same content at every path of the edits. */
export const isSameAt = (first: string, second: string, edits: readonly WorkspaceEdit[]): boolean => {
  if (first === second) return true
  const [firstFile, secondFile] = [readText(first), readText(second)]
  return edits.every(({ path }) => isEqual(readAt(firstFile, path), readAt(secondFile, path)))
}

/** Returns the content of a text that the reader has accepted. */
export const readText = (source: string): WorkspaceFile => parse(source) as WorkspaceFile

/** Returns the value at a path. Undefined if there is none. */
export const readAt = (value: unknown, path: Path): unknown => {
  let inner = value
  for (const key of path) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, key)) return undefined
    inner = (inner as Plain)[key]
  }
  return inner
}

/** Returns the keys behind the last one of the path, in their map. */
const listNextKeys = (file: WorkspaceFile, path: Path): string[] => {
  const map = readAt(file, path.slice(0, -1))
  const keys = isPlain(map) ? Object.keys(map) : []
  const position = keys.indexOf(String(path.at(-1)))
  return position === -1 ? [] : keys.slice(position + 1)
}

const writeAt = (value: unknown, [key, ...rest]: Path, leaf: unknown, before: readonly string[]): unknown => {
  if (key === undefined) return leaf
  if (Array.isArray(value)) {
    const index = Number(key)
    const item = writeAt(value[index], rest, leaf, before)
    return item === undefined ? value.toSpliced(index, 1) : value.toSpliced(index, 1, item)
  }
  const map = isPlain(value) ? value : {}
  const current = Object.hasOwn(map, key) ? map[key] : undefined
  const inner = writeAt(current, rest, leaf, before)
  const next =
    rest.length > 0 || Object.hasOwn(map, key) ? undefined : before.find(name => Object.hasOwn(map, name))
  if (inner !== undefined && next !== undefined) {
    const entries = Object.entries(map)
    const position = entries.findIndex(([name]) => name === next)
    return Object.fromEntries(entries.toSpliced(position, 0, [String(key), inner]))
  }
  if (inner !== undefined) return { ...map, [key]: inner }
  if (!Object.hasOwn(map, key)) return value
  const { [key]: _, ...others } = map
  return others
}

/** Returns the shortest path whose value the edit creates, or the list that loses an item, or else the path itself. */
const findChangedPath = (file: WorkspaceFile, { path, value }: WorkspaceEdit): Path => {
  const parent = path.slice(0, -1)
  if (value === undefined && Array.isArray(readAt(file, parent))) return parent
  const length = path.findIndex((_, index) => readAt(file, path.slice(0, index + 1)) === undefined)
  return length === -1 ? path : path.slice(0, length + 1)
}
