/** Removes what names an entry of a workspace file that is deleted, such as the facets of a field. */
import type { WorkspaceEdit } from '@querent/contract/edit-workspace-text'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import type { Path } from '@querent/contract/workspace-source'

/** A place in a list or mapping of an endpoint that may lose one of several. */
const part = /^apis\.([^.]+)\.endpoints\.([^.]+)\.(fields|of|boosts)\.([^.]+)$/
const inEndpoint = /^apis\.([^.]+)\.endpoints\.([^.]+)\./
const rule = /^apis\.([^.]+)\.curation\.(\d+)\./
const test = /^tests\.(\d+)\./

export interface RemovedUses {
  edits: WorkspaceEdit[]
  /** Names of the endpoints that are deleted too. Others may name these. */
  names: string[]
}

/**
 * Returns the edits that remove the uses at these places of the file (keys with dots). An endpoint that cannot be without the entry is deleted, and so are
 * curation rules and relevance tests. Undefined if a place is none of these: who sees what, leak tests, readers and ids are never changed with something else.
 */
export const removeUses = (file: WorkspaceFile, places: readonly string[]): RemovedUses | undefined => {
  const removed = places.map(place => findRemoval(file, place))
  if (removed.length === 0 || removed.includes(undefined)) return undefined
  const paths = removed.flatMap(path => (path ? [path] : []))
  const isWhole = (path: Path) => path.length === endpointDepth && path[2] === 'endpoints'
  const endpoints = paths.filter(isWhole)
  const inside = paths.filter(path => !endpoints.some(endpoint => startsWith(path, endpoint)))
  const isNumbered = (path: Path) => typeof path.at(-1) === 'number'
  // The last of a list first, so that the positions of the others stay.
  const items = inside.filter(isNumbered).toSorted((one, next) => Number(next.at(-1)) - Number(one.at(-1)))
  const keys = inside.filter(path => !isNumbered(path))
  return {
    edits: distinct([...items, ...keys, ...endpoints]).map(path => ({ path, value: undefined })),
    names: endpoints.map(path => String(path.at(-1))),
  }
}

const endpointDepth = 4

/** Returns the path of what is deleted for a use. */
const findRemoval = (file: WorkspaceFile, place: string): Path | undefined => {
  const [, partApi = '', partEndpoint = '', key = '', item = ''] = part.exec(place) ?? []
  if (key !== '') {
    const endpoint: Readonly<Record<string, unknown>> | undefined =
      file.apis?.[partApi]?.endpoints?.[partEndpoint]
    const endpointPath = ['apis', partApi, 'endpoints', partEndpoint]
    const parts = Object(endpoint?.[key])
    // Without `fields` or `of`, some kinds use all; without `boosts` none.
    if (Object.keys(parts).length > 1)
      return [...endpointPath, key, Array.isArray(parts) ? Number(item) : item]
    return key === 'boosts' ? [...endpointPath, key] : endpointPath
  }
  const [, api = '', endpoint] = inEndpoint.exec(place) ?? []
  if (endpoint !== undefined) return ['apis', api, 'endpoints', endpoint]
  const [, ruleApi = '', ruleIndex] = rule.exec(place) ?? []
  if (ruleIndex !== undefined) return ['apis', ruleApi, 'curation', Number(ruleIndex)]
  const [, testIndex] = test.exec(place) ?? []
  const testEntry = testIndex === undefined ? undefined : file.tests?.[Number(testIndex)]
  return testEntry && !('never' in testEntry) ? ['tests', Number(testIndex)] : undefined
}

const startsWith = (path: Path, start: Path): boolean => start.every((key, index) => path[index] === key)

const distinct = (paths: readonly Path[]): Path[] => [
  ...new Map(paths.map(path => [JSON.stringify(path), path])).values(),
]
