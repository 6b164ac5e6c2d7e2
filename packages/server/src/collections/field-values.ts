/** Finds the values of a collection's declared fields in a document (workspace-file.md, What a field takes, Nested objects). Pure. */
import { splitAt } from '@querent/contract/csv-cells'
import { readListSeparator } from '@querent/contract/list-separator'
import { elementLists, elementsMax, expandFields } from '@querent/contract/object-fields'
import { isJsonObject, type JsonObject, readPath } from '@querent/contract/read-path'
import { compileValueReader, isEmptyWord, isOneValue, type ValueReader } from '@querent/contract/read-value'
import { readerName } from '@querent/contract/reader-names'
import type { Collection, Field } from '@querent/contract/workspace-file'
import { workspaceLimits } from '@querent/contract/workspace-limits'

/** A value that a field does not take. */
export interface Misfit {
  name: string
  field: Field
  /** Where the value is, if not in the attribute of this name: a path. */
  source: string | undefined
  value: unknown
  /** Whether the field takes the item of a list. */
  fits: (item: unknown) => boolean
}

/** The paths of one document lead through more items of lists than {@link pathItemsMax}. */
export const tooManyItems = 'too-many-items'
/** Items of lists that the paths of a document may lead through, counted for each path. */
export const pathItemsMax = 100_000
/** The document names more readers than {@link readersMax}. */
export const tooManyReaders = 'too-many-readers'
export const readersMax = workspaceLimits.readersPerDocument

/** A list whose elements are kept together has more than {@link elementsMax}. */
export const tooManyElements = 'too-many-elements'

export interface FieldValues {
  /**
   * Returns the values that differ from the attributes of their fields' names, or the first misfit. Vectors are not looked at.
   */
  read(
    document: JsonObject,
  ):
    | ReadonlyMap<string, unknown>
    | Misfit
    | typeof tooManyItems
    | typeof tooManyElements
    | typeof tooManyReaders
}

type ReadableField = Exclude<Field, { type: 'vector' }>

/** Whether values of a field come from elsewhere, or in a form of their own. */
export const hasReadingRules = (collection: Pick<Collection, 'fields' | 'readers'>): boolean =>
  Object.entries(collection.fields ?? {}).some(
    ([name, field]) => readingRules(name, field, collection.readers) !== undefined,
  )

/** Returns what decides how the values of a field are found and read; undefined for an attribute as it is. A change needs a new generation. */
export const readingRules = (
  name: string,
  field: Field,
  readers: Collection['readers'],
): object | undefined => {
  if (field.type === 'object') {
    const { together, fields } = field
    return fields ? { together, fields: Object.keys(fields) } : undefined
  }
  if (field.type === 'vector') return undefined
  const { source } = field
  const decimal = field.type === 'number' ? field.decimal : undefined
  const formats = field.type === 'date' ? field.formats : undefined
  const from = field.type === 'geo' ? field.from : undefined
  const pairs = field.type === 'geo' ? field.pairs : undefined
  const path = source === undefined && name.includes('.') ? true : undefined
  const names = readers?.field === name ? true : undefined
  const listSeparator = readListSeparator(field)
  const rules = { source, decimal, formats, listSeparator, from, pairs, path, readers: names }
  return Object.values(rules).some(rule => rule !== undefined) ? rules : undefined
}

const noValues: ReadonlyMap<string, unknown> = new Map()

export const compileFieldValues = ({
  fields = {},
  readers: named,
}: Pick<Collection, 'fields' | 'readers'>): FieldValues => {
  const lists = elementLists(fields)
  const readers = Object.entries(expandFields(fields)).flatMap(([name, field]) => {
    if (field.type === 'vector') return []
    const list = lists.get(name)
    return [
      {
        name,
        ...(list === undefined
          ? compileField(name, field, named?.field === name)
          : compileElements(list, name, field)),
      },
    ]
  })
  return {
    read(document) {
      let indexed: Map<string, unknown> | undefined
      const budget = { items: pathItemsMax }
      for (const { name, read } of readers) {
        const value = read(document, budget)
        if (budget.items < 0) return tooManyItems
        if (value === tooManyElements) return tooManyElements
        if (isMisfit(value)) return value.misfit
        if (named?.field === name && countNames(document, name, value) > readersMax) return tooManyReaders
        if (value === asSent) continue
        indexed ??= new Map()
        indexed.set(name, value)
      }
      return indexed ?? noValues
    },
  }
}

const countNames = (document: JsonObject, name: string, value: unknown): number => {
  const names = value === asSent ? document[name] : value
  return Array.isArray(names) ? names.length : 1
}

export const isValueMisfit = (read: ReadonlyMap<string, unknown> | Misfit): read is Misfit =>
  !(read instanceof Map)

/** The engines can take the attribute as it is, or its absence. */
const asSent = Symbol('as sent')
class MisfitResult {
  readonly misfit: Misfit
  constructor(misfit: Misfit) {
    this.misfit = misfit
  }
}
const isMisfit = (value: unknown): value is MisfitResult => value instanceof MisfitResult

const compileField = (name: string, field: ReadableField, isReaders: boolean) => {
  const readValue = compileValueReader(field)
  const readOne: ValueReader = isReaders ? value => readName(readValue(value)) : readValue
  const fits = (item: unknown) => readOne(item) !== undefined
  const misfit = (source: string | undefined, value: unknown) =>
    new MisfitResult({ name, field, source, value, fits })
  if (field.type === 'geo' && field.from) return { read: compilePair(name, field, field.from, misfit) }
  const source = field.type === 'object' ? undefined : field.source
  const isElsewhere = source !== undefined || name.includes('.')
  const path = source ?? name
  const split = compileSplit(field)
  const readOwn = (value: unknown): unknown => {
    if (value === undefined || value === null) return asSent
    if (isNone(field, value)) return null
    const parts = split(value)
    const values = readAll(field, readOne, parts)
    if (values === undefined) return misfit(undefined, parts)
    return values === value ? asSent : values
  }
  const read = (document: JsonObject, budget: { items: number }): unknown => {
    if (source === undefined && Object.hasOwn(document, name)) return readOwn(document[name])
    if (!isElsewhere) return asSent
    const value = split(readPath(document, path, budget))
    const values = isNone(field, value) ? null : readAll(field, readOne, value)
    if (values === undefined) return misfit(path, value)
    return values === null && !Object.hasOwn(document, name) ? asSent : values
  }
  return { read }
}

/** Returns the values of a text that stands for several. A list has its values already. */
const compileSplit = (field: ReadableField) => {
  const listSeparator = readListSeparator(field)
  if (listSeparator === undefined) return (value: unknown) => value
  return (value: unknown) => (typeof value === 'string' ? (splitAt(value, listSeparator) ?? value) : value)
}

/** Reads the values of each element of a list of objects. The words of texts are not kept apart. */
const compileElements = (list: string, name: string, field: ReadableField) => {
  const inner = (field.type !== 'object' && field.source) || name.slice(list.length + 1)
  const { read: readInner } = compileField(inner, field, false)
  const readElement = (element: unknown, budget: { items: number }): unknown => {
    if (!isJsonObject(element)) return []
    const read = readInner(element, budget)
    const values = read === asSent ? element[inner] : read
    if (isMisfit(values)) return new MisfitResult({ ...values.misfit, name, source: undefined })
    return values === undefined || values === null ? [] : [values].flat()
  }
  const read = (document: JsonObject, budget: { items: number }): unknown => {
    const value = readPath(document, list, budget)
    const elements: unknown[] = value === undefined || value === null ? [] : [value].flat()
    if (elements.length > elementsMax) return tooManyElements
    const values = elements.map(element => readElement(element, budget))
    const misfit = values.find(isMisfit)
    if (misfit) return misfit
    if (values.every(one => Array.isArray(one) && one.length === 0))
      return Object.hasOwn(document, name) ? null : asSent
    return field.type === 'text' ? values.flat() : values
  }
  return { read }
}

const readName = (value: ReturnType<ValueReader>): ReturnType<ValueReader> =>
  typeof value === 'string' ? readerName(value) : value

/** Exports write words such as `NA` where a number is missing. */
const isNone = (field: ReadableField, value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && isEmptyWord(field.type, value))

/** Returns `value` itself if no item changes; undefined if the field does not take it. */
const readAll = (field: ReadableField, readOne: ValueReader, value: unknown): unknown => {
  if (!Array.isArray(value) || isOneValue(field.type, value)) {
    const read = readOne(value)
    return read !== undefined && isSame(read, value) ? value : read
  }
  let changed: unknown[] | undefined
  for (const [index, item] of value.entries()) {
    if (isNone(field, item)) {
      changed ??= value.slice(0, index)
      continue
    }
    const read = readOne(item)
    if (read === undefined) return undefined
    if (changed) changed.push(read)
    else if (!isSame(read, item)) changed = [...value.slice(0, index), read]
  }
  return changed ?? value
}

const isSame = (read: unknown, sent: unknown): boolean =>
  read === sent ||
  (isJsonObject(read) &&
    isJsonObject(sent) &&
    read.lat === sent.lat &&
    read.lon === sent.lon &&
    'lat' in sent)

const readNumber = compileValueReader({ type: 'number' })
/** A comma in one coordinate can only be its decimal separator: `52,09`. */
const withDecimalComma = /^\s*[+-]?\d{1,3},\d+\s*$/
const coordinate = (value: unknown) =>
  readNumber(typeof value === 'string' && withDecimalComma.test(value) ? value.replace(',', '.') : value)

const compilePair =
  (
    name: string,
    field: ReadableField & { type: 'geo' },
    paths: { lat: string; lon: string },
    misfit: (source: string | undefined, value: unknown) => MisfitResult,
  ) =>
  (document: JsonObject, budget: { items: number }): unknown => {
    const values = [readPath(document, paths.lat, budget), readPath(document, paths.lon, budget)]
    if (values.some(value => isNone(field, value))) return Object.hasOwn(document, name) ? null : asSent
    const [lat, lon] = values.map(coordinate)
    const isPlace =
      typeof lat === 'number' && typeof lon === 'number' && Math.abs(lat) <= 90 && Math.abs(lon) <= 180
    return isPlace ? { lat, lon } : misfit(`${paths.lat}, ${paths.lon}`, values.join())
  }
