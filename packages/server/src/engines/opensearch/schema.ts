/** The mapping of a generation's index, and the entity of a document as a document of that mapping. */
import { createHash } from 'node:crypto'
import { EngineError, type EngineField, type GenerationSpec } from '#engines/engine'
import { analyserName, analyserVersion, analysisOf, hasStopWords, tokensMax } from './analysis.ts'
import { similarity } from './similarity.ts'
import { openSynonyms, type Synonyms } from './synonyms.ts'
import { dateText, plainZero, readDate } from './values.ts'

/** A searchable field. `column` is its name inside the index: declared names may hold any character. */
export type SearchField = EngineField & { column: string }
export type TextField = Extract<SearchField, { type: 'text' }>

export interface Schema {
  /** Two generations with the same one have interchangeable indexes. */
  fingerprint: string
  fields: ReadonlyMap<string, SearchField>
  /** Settings and mappings to make an index with. */
  index: { settings: object; mappings: object }
  synonyms: Synonyms
}

/** Pages reach so far (query-service.md: offset up to 10,000, count up to 100). */
export const windowMax = 20_000
/** Texts are sorted by so many of their first letters. */
const sortLettersMax = 100
/** Lucene keeps keywords of up to 32,766 bytes; longer ones are stored and not searched. */
const keywordBytesMax = 32_766
/** Of a regular expression that finds the words which begin nearly as a typed one. */
const regexLettersMax = 20_000

export const column = {
  stop: (field: SearchField) => `${field.column}.stop`,
  typed: (field: SearchField) => `${field.column}.typed`,
  length: (field: SearchField) => `${field.column}.length`,
  stopLength: (field: SearchField) => `${field.column}.stop-length`,
  sort: (field: SearchField) => (field.type === 'text' ? `${field.column}-sort` : field.column),
  facet: (field: SearchField) => (field.type === 'date' ? `${field.column}-text` : field.column),
  /** `lat lon` of each place, to the last digit. */
  places: (field: SearchField) => `${field.column}-places`,
}

export function schemaOf({ fields: declared, synonyms }: GenerationSpec): Schema {
  const sorted = declared.toSorted((left, right) => (left.name < right.name ? -1 : 1))
  const fields = new Map<string, SearchField>()
  for (const [at, field] of sorted.entries()) {
    if (fields.has(field.name))
      throw new EngineError('fault', `the field \`${field.name}\` is declared twice`)
    fields.set(field.name, { ...field, column: `field${at}` })
  }
  const texts = [...fields.values()].filter(field => field.type === 'text')
  for (const { language } of texts) hasStopWords(language)
  const properties = Object.assign({}, ...[...fields.values()].map(propertiesOf))
  const index = {
    settings: {
      index: {
        // Only a refresh that is counted makes changes searchable: see generation.ts.
        refresh_interval: -1,
        max_result_window: windowMax,
        max_regex_length: regexLettersMax,
        'analyze.max_token_count': tokensMax,
        'mapping.total_fields.limit': 10_000,
      },
      analysis: analysisOf(new Set(texts.map(({ language }) => language))),
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
    .update(JSON.stringify([analyserVersion, index]))
    .digest('hex')
    .slice(0, 16)
  return { fingerprint, fields, index, synonyms: openSynonyms(synonyms) }
}

function propertiesOf(field: SearchField): Record<string, object> {
  switch (field.type) {
    case 'text': {
      const { language, prefix } = field
      const indexed = (reading: 'words' | 'stop') => ({
        type: 'text',
        analyzer: analyserName(language, reading),
        similarity: 'querent',
      })
      const counted = (reading: 'words' | 'stop') => ({
        type: 'token_count',
        analyzer: analyserName(language, reading),
        enable_position_increments: false,
        index: false,
      })
      const typed = {
        type: 'text',
        analyzer: analyserName(language, 'typed'),
        index_options: 'docs',
        norms: false,
      }
      return {
        [field.column]: {
          ...indexed('words'),
          fields: {
            length: counted('words'),
            ...(hasStopWords(language) && { stop: indexed('stop'), 'stop-length': counted('stop') }),
            ...(prefix && { typed }),
          },
        },
        [column.sort(field)]: { type: 'keyword', index: false, normalizer: 'querent-sort' },
      }
    }
    case 'keyword':
      return { [field.column]: { type: 'keyword' } }
    case 'number':
      return { [field.column]: { type: 'double' } }
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

/** `_id` of a document: ids of ours are up to 2 KiB, OpenSearch's up to 512 bytes. */
export const keyOf = (id: string): string => createHash('sha256').update(id).digest('base64url')

/** The document as the index keeps it. What cannot be read is not searchable, but never an error: the document was acknowledged. */
export function documentOf(schema: Schema, id: string, entity: string): object {
  const columns = [...attributesOf(schema, entity)].flatMap(([field, values]) => columnsOf(field, values))
  return { id, entity, ...Object.fromEntries(columns) }
}

/** The values of an entity's declared attributes. */
function* attributesOf(schema: Schema, entity: string): Iterable<[SearchField, unknown[]]> {
  const attributes = attributesIn(entity)
  for (const field of schema.fields.values()) {
    const value = Object.hasOwn(attributes, field.name) ? attributes[field.name] : null
    yield [field, Array.isArray(value) ? value : [value]]
  }
}

function attributesIn(entity: string): Record<string, unknown> {
  try {
    const { attributes } = JSON.parse(entity)
    return typeof attributes === 'object' && attributes !== null ? attributes : {}
  } catch {
    return {}
  }
}

/** The texts of one field of an entity. */
export function textsOf(field: SearchField, entity: string): string[] {
  const attributes = attributesIn(entity)
  return Object.hasOwn(attributes, field.name) ? strings([attributes[field.name]].flat()) : []
}

const strings = (values: unknown[]): string[] =>
  values.filter(value => typeof value === 'string').map(value => value.toWellFormed())

function columnsOf(field: SearchField, values: unknown[]): [string, unknown][] {
  switch (field.type) {
    case 'text': {
      const texts = strings(values)
      const sortedBy = texts.map(text =>
        [...text.slice(0, 2 * sortLettersMax)].slice(0, sortLettersMax).join(''),
      )
      return [
        [field.column, texts],
        [column.sort(field), sortedBy],
      ]
    }
    case 'keyword':
      return [[field.column, strings(values).filter(text => Buffer.byteLength(text) <= keywordBytesMax)]]
    case 'number':
      return [
        [field.column, values.filter(value => Number.isFinite(value)).map(value => plainZero(Number(value)))],
      ]
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

const isPlace = (value: unknown): value is { lat: number; lon: number } =>
  typeof value === 'object' &&
  value !== null &&
  'lat' in value &&
  'lon' in value &&
  typeof value.lat === 'number' &&
  typeof value.lon === 'number'

/** Throws `unsupported` for a name that is no searchable field of the generation. */
export function fieldOf({ fields }: Schema, name: string): SearchField {
  const field = fields.get(name)
  if (field === undefined)
    throw new EngineError(
      'unsupported',
      `the OpenSearch engine has no searchable field \`${name}\` in this generation`,
    )
  return field
}

export function textFieldOf(schema: Schema, name: string): TextField {
  const field = fieldOf(schema, name)
  if (field.type === 'text') return field
  throw new EngineError(
    'unsupported',
    `the OpenSearch engine can match only text, and \`${name}\` is a ${field.type} field`,
  )
}
