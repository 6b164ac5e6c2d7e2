/** Removes what names an entry of a workspace file that is deleted, such as the facets of a field. */
import type { WorkspaceEdit } from '@querent/contract/edit-workspace-text'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import type { Path } from '@querent/contract/workspace-source'

/** A place in a list or mapping of an endpoint that may lose one of several. */
const part = /^apis\.([^.]+)\.endpoints\.([^.]+)\.(fields|of|boosts)\.([^.]+)$/
const inEndpoint = /^apis\.([^.]+)\.endpoints\.([^.]+)\./
const rule = /^apis\.([^.]+)\.curation\.(\d+)\./
const test = /^tests\.(\d+)\./
/** A name in a list of what a group or an account may use. Its name may have dots, as addresses do. */
const openName = /^(?:(groups|members|systemToSystem)\.(.+)|memberDefaults)\.(apis|collections)\.(\d+)$/
const choice = /^configurations\.([^.]+)\.([^.]+)$/

export interface RemovedUses {
  edits: WorkspaceEdit[]
  /** Names of the endpoints that are deleted too. Others may name these. */
  names: string[]
}

/**
 * Returns the edits that remove the uses at these places of the file (keys with dots). An endpoint that cannot be without the entry is deleted, and so are
 * curation rules and relevance tests. A list of APIs or collections loses the name, and stays when it is empty: then it opens nothing. Undefined if a place
 * is none of these: row filters, leak tests, readers and ids are never changed with something else.
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
  return testEntry && !('never' in testEntry) ? ['tests', Number(testIndex)] : findListed(place)
}

/** Returns the path of a name in a list, or of the choice of a generation. */
const findListed = (place: string): Path | undefined => {
  const [isOpenName, section, holder = '', list = '', position] = openName.exec(place) ?? []
  if (isOpenName !== undefined)
    return [...(section === undefined ? ['memberDefaults'] : [section, holder]), list, Number(position)]
  const [isChoice, configuration = '', collection = ''] = choice.exec(place) ?? []
  return isChoice === undefined ? undefined : ['configurations', configuration, collection]
}

const startsWith = (path: Path, start: Path): boolean => start.every((key, index) => path[index] === key)

const distinct = (paths: readonly Path[]): Path[] => [
  ...new Map(paths.map(path => [JSON.stringify(path), path])).values(),
]

/** Returns the names of what the edits delete, also of the endpoints of a deleted API. */
export const listDeleted = (file: WorkspaceFile, edits: readonly WorkspaceEdit[]): string[] =>
  edits.flatMap(({ path: [section, name = '', ...rest], value }) => {
    if (value !== undefined) return []
    const isApi = section === 'apis' && rest.length === 0
    return [String(rest.at(-1) ?? name), ...(isApi ? Object.keys(file.apis?.[name]?.endpoints ?? {}) : [])]
  })

/** Returns the edits that delete a collection and the APIs that search nothing else. */
export const removeCollection = (file: WorkspaceFile, collection: string): WorkspaceEdit[] => [
  { path: ['collections', collection], value: undefined },
  ...Object.entries(file.apis ?? {}).flatMap(([api, { endpoints = {} }]) => {
    const searchedByName = Object.values(endpoints).flatMap(
      endpoint => ('collection' in endpoint && endpoint.collection) || [],
    )
    // Endpoints without a collection search those that the others name, or else all.
    const searched = searchedByName.length > 0 ? searchedByName : Object.keys(file.collections ?? {})
    const isOnly = Object.keys(endpoints).length > 0 && searched.every(name => name === collection)
    return isOnly ? [{ path: ['apis', api], value: undefined }] : []
  }),
]
