/** Defines the mapping of a generation's index, and converts entities into documents of that mapping. */
import { createHash } from 'node:crypto'
import { parseExactJson } from '@querent/contract/exact-json'
import { createTextSchema, type NativeTextSchema } from '@querent/engine'
import { type EngineDocument, EngineError, type EngineField, type GenerationSpec } from '#engines/engine'
import { withEngineErrors } from '#engines/outcome'
import {
  analysisSettings,
  analyzerName,
  analyzerVersion,
  hasCompounds,
  hasStopWords,
  readTextColumns,
  sortTexts,
  type TextColumns,
  wordsAnalyzer,
} from './analysis.ts'
import { similarity } from './similarity.ts'
import { dateText, readDate, toIndexedNumber } from './values.ts'
import {
  knnPlugin,
  readVectors,
  type VectorField,
  vectorColumn,
  vectorMapping,
  vectorSettings,
} from './vectors.ts'

/** A searchable field. `column` is its name inside the index, because declared names may contain any character. */
export type SearchField = Exclude<EngineField, { type: 'vector' }> & { column: string }
export type TextField = Extract<SearchField, { type: 'text' }>

export interface Schema {
  /** Generations with the same fingerprint have interchangeable indexes. */
  fingerprint: string
  fields: ReadonlyMap<string, SearchField>
  /** The lists whose elements are nested documents. */
  lists: ReadonlyMap<string, { path: string; fields: readonly SearchField[] }>
  /** Empty if the cluster lacks the k-NN plugin. */
  vectors: ReadonlyMap<string, VectorField>
  /** Settings and mappings of a new index. */
  index: { settings: object; mappings: object }
  /** Compiles the texts of queries. */
  texts: NativeTextSchema
}

/** Offset plus count of the last page. */
export const resultWindowMax = 20_000
/** Lucene indexes keywords of up to 32,766 bytes; longer ones are stored but not searchable. */
const keywordBytesMax = 32_766
/** Maximum length of a regular expression for words that begin with a misspelled prefix. */
const regexCharactersMax = 20_000

export const column = {
  stop: (field: SearchField) => `${field.column}-stop`,
  typed: (field: SearchField) => `${field.column}-typed`,
  /** Further forms of words: joined, and without accents. */
  forms: (field: SearchField) => `${field.column}-forms`,
  /** Words that may be compounds. */
  long: (field: SearchField) => `${field.column}-long`,
  length: (field: SearchField) => `${field.column}-length`,
  stopLength: (field: SearchField) => `${field.column}-stop-length`,
  whole: (field: SearchField) => `${field.column}-whole`,
  sort: (field: SearchField) =>
    field.type === 'text' || field.type === 'keyword' ? `${field.column}-sort` : field.column,
  facet: (field: SearchField) => (field.type === 'date' ? `${field.column}-text` : field.column),
  /** The numbers that a double may not have, as whole numbers. */
  large: (field: SearchField) => `${field.column}-large`,
  /** The smallest and the largest number of a document, if it is one of these. */
  largeMin: (field: SearchField) => `${field.column}-large-min`,
  largeMax: (field: SearchField) => `${field.column}-large-max`,
  /** `lat lon` of each place, with all digits. */
  places: (field: SearchField) => `${field.column}-places`,
}

/** Vectors need a plugin of the cluster; without `hasVectors` they are only stored. */
export function createSchema({ fields: declared }: GenerationSpec, hasVectors: boolean): Schema {
  const sorted = declared.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const fields = new Map<string, SearchField>()
  const vectors = new Map<string, VectorField>()
  for (const field of sorted) {
    if (fields.has(field.name) || vectors.has(field.name))
      throw new EngineError('fault', `the field \`${field.name}\` is declared twice`)
    if (field.type !== 'vector') fields.set(field.name, { ...field, column: `field${fields.size}` })
    else if (hasVectors) vectors.set(field.name, { ...field, column: `vector${vectors.size}` })
  }
  const lists = nestLists(fields)
  const properties = Object.assign(
    {},
    ...[...fields.values()].map(mappingProperties),
    ...[...lists.values()].map(list => ({
      [list.path]: {
        type: 'nested',
        properties: Object.assign(
          {},
          ...list.fields.map(field => innerColumns(list.path, mappingProperties(field))),
        ),
      },
    })),
    ...[...vectors.values()].map(vectorMapping),
  )
  const languages = [...fields.values()].flatMap(field =>
    field.type === 'text' ? [analyzerName(field)] : [],
  )
  const index = {
    settings: {
      index: {
        // Only `refreshAndCount` in indexes.ts makes changes searchable, so that each change gets a new version.
        refresh_interval: -1,
        max_result_window: resultWindowMax,
        max_regex_length: regexCharactersMax,
        'mapping.total_fields.limit': 10_000,
        ...(vectors.size > 0 && { ...vectorSettings, 'mapping.nested_fields.limit': 10_000 }),
      },
      analysis: analysisSettings,
      similarity: { querent: similarity },
    },
    mappings: {
      dynamic: 'strict',
      _source: { includes: ['entity'] },
      properties: {
        entity: { type: 'keyword', index: false, doc_values: false },
        id: { type: 'keyword' },
        ...properties,
      },
    },
  }
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([analyzerVersion(), languages, index]))
    .digest('hex')
    .slice(0, 16)
  const textFields = [...fields.values()].filter(({ type }) => type === 'text')
  const spec = JSON.stringify({ fields: textFields })
  const texts = withEngineErrors(() => createTextSchema(spec))
  return { fingerprint, fields, lists, vectors, index, texts }
}

/** Returns the nested documents of each list by its name, and its fields with their columns inside. */
const nestLists = (
  fields: ReadonlyMap<string, SearchField>,
): Map<string, { path: string; fields: SearchField[] }> => {
  const lists = new Map<string, { path: string; fields: SearchField[] }>()
  for (const field of fields.values()) {
    if (field.type === 'text' || field.list === undefined) continue
    const list = lists.get(field.list) ?? { path: `list${lists.size}`, fields: [] }
    list.fields.push({ ...field, column: `${list.path}.${field.column}` })
    lists.set(field.list, list)
  }
  return lists
}

/** The columns of nested documents as their mapping and their values name them. */
const innerColumns = (path: string, columns: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(columns).map(([name, value]) => [name.slice(path.length + 1), value]))

/** Returns the nested documents of a list. */
const nestedDocuments = (
  { path, fields }: { path: string; fields: readonly SearchField[] },
  attributes: Record<string, unknown>,
): [string, unknown] => {
  const elements: Record<string, unknown>[] = []
  for (const field of fields)
    for (const [index, values] of readElements(attributes, field.name).entries()) {
      const columns = innerColumns(path, Object.fromEntries(readColumns(field, values)))
      elements[index] = { ...elements[index], ...columns }
    }
  return [path, Array.from(elements, element => element ?? {})]
}

function mappingProperties(field: SearchField): Record<string, object> {
  switch (field.type) {
    case 'text': {
      const { language, prefix } = field
      const words = { type: 'text', analyzer: wordsAnalyzer, similarity: 'querent' }
      const length = { type: 'integer', index: false }
      const typed = { type: 'text', analyzer: wordsAnalyzer, index_options: 'docs', norms: false }
      return {
        [field.column]: words,
        [column.length(field)]: length,
        ...(hasStopWords(language) && { [column.stop(field)]: words, [column.stopLength(field)]: length }),
        ...(prefix && { [column.typed(field)]: typed }),
        ...(hasCompounds(language) && { [column.long(field)]: { type: 'keyword', index: false } }),
        [column.forms(field)]: { ...words, index_options: 'docs' },
        [column.sort(field)]: { type: 'keyword', index: false },
        [column.whole(field)]: { type: 'keyword', doc_values: false },
      }
    }
    case 'keyword':
      return { [field.column]: { type: 'keyword' }, [column.sort(field)]: { type: 'keyword', index: false } }
    case 'number':
      return {
        [field.column]: { type: 'double' },
        [column.large(field)]: { type: 'long' },
        [column.largeMin(field)]: { type: 'long', index: false },
        [column.largeMax(field)]: { type: 'long', index: false },
      }
    case 'boolean':
      return { [field.column]: { type: 'boolean' } }
    case 'date':
      return { [field.column]: { type: 'long' }, [column.facet(field)]: { type: 'keyword', index: false } }
    case 'geo':
      return {
        [field.column]: { type: 'geo_point', doc_values: false },
        [column.places(field)]: { type: 'keyword', index: false },
      }
  }
}

/** Returns the `_id` of a document: our ids have up to 2 KiB, those of OpenSearch up to 512 bytes. */
export const documentKey = (id: string): string => createHash('sha256').update(id).digest('base64url')

/** Returns the documents for the index. Unreadable values are not searchable, but never an error, because the document was acknowledged. */
export async function indexedDocuments(
  schema: Schema,
  documents: readonly EngineDocument[],
): Promise<{ id: string }[]> {
  const attributes = documents.map(({ entity }) => parseAttributes(entity))
  const textFields = [...schema.fields.values()].filter(field => field.type === 'text')
  const textColumns = await readTextColumns(
    attributes.flatMap(values =>
      textFields.map(({ name, language, prefix, codes }) => ({
        language,
        ...(codes && { codes }),
        isTyped: prefix,
        texts: strings(readValues(values, name)),
      })),
    ),
  )
  const nextColumns = textColumns.values()
  return documents.map(({ id, entity }, index) => {
    const values = attributes[index] ?? {}
    const texts = textFields.flatMap(field => textEntries(field, nextColumns.next().value))
    const otherColumns = [...schema.fields.values()].flatMap(field =>
      readColumns(field, readElements(values, field.name).flat()),
    )
    const vectors = [...schema.vectors.values()].map(field => [
      field.column,
      vectorColumn(field, readValues(values, field.name), schema.vectors.size),
    ])
    const nested = [...schema.lists.values()].map(list => nestedDocuments(list, values))
    return { id, entity, ...Object.fromEntries([...texts, ...otherColumns, ...vectors, ...nested]) }
  })
}

/** Leaves out columns without words. */
function textEntries(field: TextField, columns: TextColumns | undefined): [string, unknown][] {
  if (columns === undefined) return []
  const { words, stopWords, typed, forms, length, stopLength, sort, whole } = columns
  const entries: [string, unknown][] = [[column.sort(field), sort]]
  if (length > 0) entries.push([field.column, words], [column.length(field), length])
  if (hasCompounds(field.language)) entries.push([column.long(field), longWords(words)])
  if (stopLength > 0) entries.push([column.stop(field), stopWords], [column.stopLength(field), stopLength])
  if (forms !== '') entries.push([column.forms(field), forms])
  if (typed !== '') entries.push([column.typed(field), typed])
  if (whole !== undefined) entries.push([column.whole(field), whole])
  return entries
}

/** Two parts have at least this many characters: the stem of _vinglas_ is `vingl`. */
const compoundCharactersMin = 4

const longWords = (words: string): string[] => [
  ...new Set(words.split(' ').filter(word => word.length >= compoundCharactersMin)),
]

function readValues(attributes: Record<string, unknown>, name: string): unknown[] {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : null
  return Array.isArray(value) ? value : [value]
}

/** Returns the values of a field: those of each element, if it has elements, or each of its values. */
function readElements(attributes: Record<string, unknown>, name: string): unknown[][] {
  return readValues(attributes, name).map(value => (Array.isArray(value) ? value : [value]))
}

function parseAttributes(entity: string): Record<string, unknown> {
  try {
    // The server's own document.
    const { indexed, attributes } = parseExactJson(entity) as Record<
      'indexed' | 'attributes',
      object | undefined
    >
    return typeof attributes === 'object' && attributes !== null ? { ...attributes, ...indexed } : {}
  } catch {
    return {}
  }
}

/** Returns the texts of one field of an entity. */
export function readTexts(field: SearchField, entity: string): string[] {
  const attributes = parseAttributes(entity)
  return Object.hasOwn(attributes, field.name) ? strings([attributes[field.name]].flat()) : []
}

/** Returns the vectors of one field of an entity. */
export const readEntityVectors = (field: VectorField, entity: string): number[][] =>
  readVectors(field, readValues(parseAttributes(entity), field.name))

const strings = (values: unknown[]): string[] =>
  values.filter(value => typeof value === 'string').map(value => value.toWellFormed())

function readColumns(field: SearchField, values: unknown[]): [string, unknown][] {
  switch (field.type) {
    case 'text':
      // Read by `textEntries`.
      return []
    case 'keyword': {
      const keywords = strings(values).filter(text => Buffer.byteLength(text) <= keywordBytesMax)
      return [
        [field.column, keywords],
        [column.sort(field), sortTexts(keywords)],
      ]
    }
    case 'number':
      return numberColumns(field, values)
    case 'boolean':
      return [[field.column, values.filter(value => typeof value === 'boolean')]]
    case 'date': {
      const moments = strings(values).flatMap(text => readDate(text)?.from ?? [])
      return [
        [field.column, moments.map(String)],
        [column.facet(field), moments.map(dateText)],
      ]
    }
    case 'geo': {
      const places = values.filter(isPlace)
      return [
        [field.column, places.map(({ lat, lon }) => ({ lat, lon }))],
        [column.places(field), places.map(({ lat, lon }) => `${lat} ${lon}`)],
      ]
    }
  }
}

/** Only documents with large numbers have more than the first column. */
const numberColumns = (field: SearchField, values: unknown[]): [string, unknown][] => {
  const numbers = values.map(toIndexedNumber).filter(number => number !== undefined)
  const floats = numbers.map(({ float }) => float)
  const large = numbers.flatMap(number => (number.large === undefined ? [] : BigInt(number.large)))
  if (large.length === 0) return [[field.column, floats]]
  const sorted = large.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const hasEnd = (end: number) => numbers.some(number => number.float === end && number.large !== undefined)
  return [
    [field.column, floats],
    [column.large(field), sorted.map(String)],
    ...(hasEnd(Math.min(...floats))
      ? [[column.largeMin(field), String(sorted[0])] as [string, unknown]]
      : []),
    ...(hasEnd(Math.max(...floats))
      ? [[column.largeMax(field), String(sorted.at(-1))] as [string, unknown]]
      : []),
  ]
}

const isPlace = (value: unknown): value is { lat: number; lon: number } =>
  typeof value === 'object' &&
  value !== null &&
  'lat' in value &&
  'lon' in value &&
  typeof value.lat === 'number' &&
  typeof value.lon === 'number'

/** Returns the searchable field with this name. Throws `unsupported` if the generation has none. */
export function findField({ fields }: Schema, name: string): SearchField {
  const field = fields.get(name)
  if (field === undefined)
    throw new EngineError(
      'unsupported',
      `the OpenSearch engine has no searchable field \`${name}\` in this generation`,
    )
  return field
}

export function findTextField(schema: Schema, name: string): TextField {
  const field = findField(schema, name)
  if (field.type === 'text') return field
  throw new EngineError(
    'unsupported',
    `the OpenSearch engine can match only text, and \`${name}\` is a ${field.type} field`,
  )
}

/** Returns the vector field with this name. Throws `unsupported` if the generation has none. */
export function findVectorField({ vectors }: Schema, name: string): VectorField {
  const field = vectors.get(name)
  if (field === undefined)
    throw new EngineError(
      'unsupported',
      `the OpenSearch engine has no vectors \`${name}\` in this generation; every node of the cluster needs the k-NN plugin (${knnPlugin})`,
    )
  return field
}
