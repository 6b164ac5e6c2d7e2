/** Lists the attributes of documents that a proposal can have fields for: those of nested objects by their paths. */
import { isGeometry } from '@querent/contract/geo-value'
import { isJsonObject, readPath } from '@querent/contract/read-path'
import { compileValueReader } from '@querent/contract/read-value'

type Documents = readonly Record<string, unknown>[]

const pathStepsMax = 6
/** An object with more different keys is a map if they are codes, such as translations by language. */
const codesMax = 16
const code = /^([a-z]{1,3}|[A-Z]{1,3}|[a-z]{2}[-_][A-Za-z]{2,4}|[0-9]+)$/
/** More keys are those of a map in any case. */
const keysMax = 100
/** If most keys are in few of the objects, they are a map too. */
const keyShareMin = 0.2
const nameCharactersMax = 200

/** Returns the names of attributes, and paths in place of attributes that are objects or lists of objects. At most `pathsMax`. */
export const listPaths = (documents: Documents, names: readonly string[], pathsMax: number): string[] => {
  const paths: string[] = []
  for (const name of names) {
    if (paths.length >= pathsMax) break
    if (mayBeField(name)) paths.push(...expand(documents, name, 1))
  }
  return paths.slice(0, pathsMax)
}

/** Attributes that other search services add to a document in a reply: they are about the query. */
const isAboutQuery = /^(_highlightResult|_snippetResult|_rankingInfo|_distinctSeqID|_formatted)$/

/** A workspace file cannot have some names. */
const mayBeField = (name: string): boolean =>
  name !== '__proto__' && name !== '' && name.length <= nameCharactersMax && !isAboutQuery.test(name)

const readPoint = compileValueReader({ type: 'geo' })

/** The parts of a place in an object, also those of GeoJSON. */
const placeKeys = /\.(?:lat|lon|lng|type|coordinates|geometries|bbox|crs)$/

/** The names of what GeoJSON and TopoJSON consist of, in the attribute `type` of an object. They say nothing about the document. */
const structureType =
  /^(?:Feature|FeatureCollection|Topology|(?:Multi)?(?:Point|LineString|Polygon|Curve|Surface)|GeometryCollection|CircularString|CompoundCurve|CurvePolygon)$/i

const isStructure = (path: string, values: readonly unknown[]): boolean =>
  path.endsWith('.type') &&
  values.length > 0 &&
  values.every(value => typeof value === 'string' && structureType.test(value))

const expand = (documents: Documents, path: string, steps: number): string[] => {
  const values = documents.flatMap(document => {
    const value = readPath(document, path)
    return value === undefined || value === null ? [] : value
  })
  if (isStructure(path, values)) return []
  if (steps >= pathStepsMax || values.length === 0 || !values.every(isJsonObject)) return [path]
  const counts = new Map<string, number>()
  for (const value of values)
    for (const key of Object.keys(value)) counts.set(key, (counts.get(key) ?? 0) + 1)
  if (counts.size === 0 || isMap(counts, values.length)) return [path]
  const inner = [...counts.keys()].map(key => `${path}.${key}`)
  // A key with a dot has no path.
  if (!inner.every(name => mayBeField(name) && name.split('.').length === path.split('.').length + 1))
    return [path]
  const expandAll = (keys: readonly string[]) => keys.flatMap(name => expand(documents, name, steps + 1))
  // A place may have a city and a country beside it. Parts of lines and areas mean nothing by themselves.
  return values.every(value => isGeometry(value) || readPoint(value) !== undefined)
    ? [path, ...expandAll(inner.filter(name => !placeKeys.test(name)))]
    : expandAll(inner)
}

/** Whether the keys, with the number of objects that have them, tell things apart rather than attributes of one thing. */
const isMap = (counts: ReadonlyMap<string, number>, objects: number): boolean => {
  const keys = [...counts.keys()]
  if (keys.length > keysMax) return true
  if (keys.length > codesMax && keys.filter(key => code.test(key)).length > keys.length / 2) return true
  const rare = [...counts.values()].filter(count => count < keyShareMin * objects)
  return rare.length > keys.length / 2
}
