/** Proposes a collection and its first search from a sample of documents. */

import { splitList } from '@querent/contract/csv-cells'
import { isDate, readFieldValue } from '@querent/contract/field-value'
import { readPoint } from '@querent/contract/geo-value'
import {
  type Proposal,
  type ProposedField,
  type ProposedType,
  titleWeight,
  toName,
  toTitle,
} from '@querent/contract/proposal'
import { workspaceLimits } from '@querent/contract/workspace-limits'
import { detectLanguage } from './detect-language.ts'
import type { Sample } from './read-sample.ts'

const sampleShown = 20
const examplesMax = 3
const exampleCharacters = 80

/** A field with more different values is for reading, not for choosing from. */
const facetValuesMax = 200
const facetValuesShare = 0.3
/** Values of a facet are short. */
const facetWordsMax = 4
const titleWordsMax = 15

const idNames = [
  'id',
  '_id',
  'uuid',
  'guid',
  'isbn',
  'sku',
  'ean',
  'gtin',
  'key',
  'code',
  'slug',
  'url',
  'uri',
]
const titleNames = ['title', 'name', 'label', 'headline', 'subject', 'product', 'titel', 'naam']

/** Statistics of the values of one attribute. */
interface Values {
  name: string
  type: ProposedType
  present: number
  /** Different values, as text. */
  distinct: Set<string>
  meanWords: number
  /** Whether a document has several. */
  isList: boolean
}

/**
 * Returns the proposal for a collection of this name, or a text that says why there is none: no attribute can be the id, because each has a
 * value twice or is missing in a document.
 */
export const propose = (name: string, { documents, names, isTable }: Sample): Proposal | string => {
  const columns = names
    .filter(mayBeField)
    .slice(0, workspaceLimits.fieldsPerCollection)
    .map(column =>
      describeValues(
        column,
        documents.map(document => (Object.hasOwn(document, column) ? document[column] : undefined)),
        isTable,
      ),
    )
  const idFields = findIds(columns, documents.length)
  const [idField] = idFields
  if (idField === undefined)
    return `no ${isTable ? 'column' : 'attribute'} has a different value in each document; add one, for example "id"`
  const fields = columns
    .filter(column => column.name !== idField)
    .map(column => proposeField(column, documents.length))
  chooseTitle(fields, columns)
  return {
    collection: toName(name),
    title: toTitle(name),
    idField,
    idFields,
    language: detectLanguage(readTexts(fields, documents)),
    documents: documents.length,
    fields,
    sample: documents.slice(0, sampleShown),
  }
}

/** A workspace file cannot have it as a name. */
const mayBeField = (name: string): boolean => name !== '__proto__'

const describeValues = (name: string, values: readonly unknown[], isTable: boolean): Values => {
  const present = values.filter(value => value !== undefined && value !== null && value !== '')
  const single = present.flatMap(value => (Array.isArray(value) ? value : [value]))
  const type = isTable ? findTableType(name, single.map(String)) : findType(single)
  const parts =
    isTable && type !== 'text' ? single.flatMap(value => splitList(String(value)) ?? [String(value)]) : single
  const texts = parts.map(value => (typeof value === 'object' ? JSON.stringify(value) : String(value)))
  const words = texts.reduce((sum, text) => sum + text.trim().split(/\s+/).length, 0)
  const isList = present.some(Array.isArray) || parts.length > single.length
  return {
    name,
    type,
    present: present.length,
    distinct: new Set(texts),
    meanWords: texts.length === 0 ? 0 : words / texts.length,
    isList,
  }
}

/** The type of JSON values. Text is `keyword` until {@link proposeField} knows better. */
const findType = (values: readonly unknown[]): ProposedType => {
  const areAll = (fits: (value: unknown) => boolean) => values.length > 0 && values.every(fits)
  if (areAll(value => typeof value === 'number')) return 'number'
  if (areAll(value => typeof value === 'boolean')) return 'boolean'
  if (areAll(value => typeof value === 'string'))
    return areAll(value => isDate(String(value))) ? 'date' : 'keyword'
  if (areAll(isPoint)) return 'geo'
  return areAll(value => typeof value !== 'object') ? 'keyword' : 'object'
}

const isPoint = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).toSorted().join() === 'lat,lon'

/** The type of the cells of a column, as the import would read them. */
const findTableType = (name: string, cells: readonly string[]): ProposedType => {
  const parts = cells.flatMap(cell => splitList(cell) ?? [cell]).map(part => part.trim())
  const areAll = (fits: (part: string) => boolean) => parts.length > 0 && parts.every(fits)
  if (areAll(part => readFieldValue('boolean', part.toLowerCase()) !== undefined)) return 'boolean'
  // Codes such as 007 and numbers that lose digits stay text.
  if (
    areAll(
      part => readFieldValue('number', part) !== undefined && !/^[+-]?0[0-9]|^[+-]?[0-9]{16,}/.test(part),
    )
  )
    return 'number'
  if (areAll(isDate)) return 'date'
  const isPlaceName = /geo|location|coord|place|point|lat/i.test(name)
  if (isPlaceName && areAll(part => readPoint(part.replaceAll(' ', '')) !== undefined)) return 'geo'
  if (areAll(part => /^[[{]/.test(part))) return 'object'
  return 'keyword'
}

/** Attributes that can be the id, the best first. */
const findIds = (columns: readonly Values[], documents: number): string[] => {
  const fitting = columns.filter(
    ({ type, present, distinct, isList, meanWords }) =>
      ['keyword', 'number'].includes(type) &&
      present === documents &&
      distinct.size === documents &&
      !isList &&
      meanWords <= titleWordsMax,
  )
  const rank = ({ name, meanWords }: Values): number => {
    const position = idNames.indexOf(name.toLowerCase())
    if (position >= 0) return position
    const isCompound = /(^|[_-])(id|key|code)$|[a-z]Id$/.test(name)
    return idNames.length + (isCompound ? 0 : meanWords === 1 ? 1 : 2)
  }
  return fitting.toSorted((one, next) => rank(one) - rank(next)).map(({ name }) => name)
}

const proposeField = (
  { name, type, present, distinct, meanWords }: Values,
  documents: number,
): ProposedField => {
  const repeats = distinct.size <= Math.min(facetValuesMax, Math.max(2, facetValuesShare * documents))
  const isChoice = repeats && meanWords <= facetWordsMax
  const isCode =
    meanWords === 1 && distinct.size > facetValuesShare * documents && [...distinct].every(isCodeText)
  const fieldType = type === 'keyword' && !isChoice && !isCode ? 'text' : type
  return {
    name,
    type: fieldType,
    use: fieldType !== 'object' && present > 0,
    weight: 1,
    facet: fieldType === 'boolean' || (fieldType === 'keyword' && isChoice),
    sort: fieldType === 'number' || fieldType === 'date',
    present,
    distinct: distinct.size,
    examples: [...distinct].slice(0, examplesMax).map(text => text.slice(0, exampleCharacters)),
  }
}

/** Addresses, and codes with digits or signs, are looked up as a whole. */
const isCodeText = (text: string): boolean => /^https?:|[0-9_/:]|^[A-Z0-9-]+$/.test(text)

/** Gives the title more weight than the other texts: a field of that name, otherwise the first short text. */
const chooseTitle = (fields: ProposedField[], columns: readonly Values[]): void => {
  const isShort = ({ name }: ProposedField) =>
    (columns.find(column => column.name === name)?.meanWords ?? 0) <= titleWordsMax
  const titled = fields.filter(
    field => titleNames.includes(field.name.toLowerCase()) && field.type !== 'object',
  )
  const title = titled[0] ?? fields.find(field => field.type === 'text' && isShort(field))
  if (!title || !(title.type === 'text' || title.type === 'keyword')) return
  title.type = 'text'
  title.facet = false
  title.weight = titleWeight
}

function* readTexts(fields: readonly ProposedField[], documents: Sample['documents']): Iterable<string> {
  const names = fields.filter(({ type }) => type === 'text').map(({ name }) => name)
  for (const document of documents)
    for (const name of names) {
      const value = document[name]
      for (const text of Array.isArray(value) ? value : [value]) if (typeof text === 'string') yield text
    }
}
