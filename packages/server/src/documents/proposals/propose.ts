/** Proposes a collection and its first search from a sample of documents. */
import { findSwappedFormat, type Proposal, type ProposedField, toName } from '@querent/contract/proposal'
import { readPath } from '@querent/contract/read-path'
import { toTitle } from '@querent/contract/titles'
import { workspaceLimits } from '@querent/contract/workspace-limits'
import { type Column, describeColumn } from './describe-column.ts'
import { detectLanguage } from './detect-language.ts'
import { findPlaces } from './find-places.ts'
import { inheritDecimal } from './inherit-decimal.ts'
import { listPaths } from './list-paths.ts'
import { countId, createIdCount, isDifferent, listNearIds } from './near-ids.ts'
import { proposeFields } from './propose-fields.ts'
import { isIdName, isSharedName, rankIdName } from './rank-names.ts'
import type { Sample } from './read-sample.ts'

const sampleShown = 20
/** Texts with more words are prose, which differs by chance. */
const idWordsMax = 6
/** If two texts have at least this many words and end like a sentence, the column is prose too. */
const sentenceWordsMin = 4

/** Returns the proposal for a collection of this name. */
export const propose = (name: string, sample: Sample): Proposal => {
  const { documents, allDocuments, names, isTable, coverage, rows, unreadable } = sample
  const columns = listPaths(documents, names, workspaceLimits.fieldsPerCollection / 2).map(path =>
    describeColumn(
      path,
      documents.map(document => readPath(document, path)),
      isTable || isTypedLiteral(path, documents),
    ),
  )
  const idCounts = findIds(columns, names, documents.length).map(field => {
    const count = createIdCount(field)
    for (const document of allDocuments) countId(count, document[field])
    return count
  })
  const idFields = idCounts.filter(isDifferent).map(({ field }) => field)
  const nearIds = listNearIds(idCounts)
  const equalDocuments =
    allDocuments.length - countDifferent(allDocuments.map(document => JSON.stringify(document)))
  const [idField] = idFields
  const places = findPlaces(columns, [...names, ...columns.map(column => column.name)])
  const coordinates = new Set(places.flatMap(({ from }) => (from ? [from.lat, from.lon] : [])))
  const columnFields = proposeFields(columns, documents.length, {
    collection: name,
    idField,
    places: coordinates,
  })
  const { language, confidence } = detectLanguage(
    readTexts(findTexts(columnFields, columns), documents),
    [...columnFields, ...places].map(field => field.name),
  )
  const fields = [
    ...inheritDecimal(
      columnFields,
      columns.filter(column => column.name !== idField && !coordinates.has(column.name)),
      language,
    ),
    ...places,
  ]
  return {
    collection: toName(name, 'collection'),
    title: toTitle(name),
    id: idField === undefined ? { generate: equalDocuments > 0 ? 'row' : 'hash' } : { field: idField },
    idFields,
    nearIds,
    language,
    languageConfidence: confidence,
    documents: documents.length,
    coverage,
    equalDocuments,
    ...(rows ? { rows } : {}),
    ...(unreadable ? { unreadable } : {}),
    fields: isDayFirst(language, fields) ? fields.map(putDayFirst) : fields,
    sample: documents.slice(0, sampleShown),
  }
}

/** Whether texts are numbers by the data type beside them, as in results of SPARQL: `{"value": "12", "datatype": "…#integer"}`. */
const isTypedLiteral = (path: string, documents: Sample['documents']): boolean => {
  if (!path.endsWith('.value')) return false
  const types = documents.flatMap(document => readPath(document, path.replace(/value$/, 'datatype')) ?? [])
  return (
    types.length > 0 && types.every(type => /#(?:integer|int|long|decimal|double|float)$/.test(String(type)))
  )
}

/** Whether people who write so begin a date with the day: in other languages than English, and beside decimal commas. */
const isDayFirst = (language: string, fields: readonly ProposedField[]): boolean =>
  !['english', 'general', 'none'].includes(language) || fields.some(({ decimal }) => decimal === ',')

/** Reads days first where the values don't tell. */
const putDayFirst = (field: ProposedField): ProposedField => {
  const swapped = findSwappedFormat(field)
  return swapped?.startsWith('dd') ? { ...field, formats: [swapped] } : field
}

/** A unique path by such a name is the id that the documents had before, as in exports of MongoDB. A name that differs by chance is none then. */
const innerIdName = /\.(?:\$oid|_?id|uuid|guid|key|slug)$/i

/** Attributes that can be the id, the best first. One by such a name may lack a few values, or repeat them. A path is none. */
const findIds = (columns: readonly Column[], names: readonly string[], documents: number): string[] => {
  const hasInnerId = columns.some(
    ({ name, present, distinct }) =>
      innerIdName.test(name) && present === documents && distinct.size === documents,
  )
  return columns
    .filter(column => {
      const { name, type, present, distinct, isList, isPicture, decimal } = column
      return (
        (type === 'keyword' || type === 'number') &&
        decimal === undefined &&
        (isIdName(name) || (present === documents && distinct.size === documents)) &&
        !isList &&
        !isPicture &&
        names.includes(name) &&
        !isSharedName(name) &&
        !(hasInnerId && !isIdName(name)) &&
        !isProse(column) &&
        (type !== 'number' || isNumbered(name, distinct))
      )
    })
    .toSorted(
      (one, next) => rankIdName(one.name, one.meanWords === 1) - rankIdName(next.name, next.meanWords === 1),
    )
    .map(({ name }) => name)
}

/** Whether the values are sentences or descriptions. Addresses and codes have no blanks. */
const isProse = ({ meanWords, wordShare, distinct }: Column): boolean => {
  if (wordShare < 0.5) return meanWords > 2 * idWordsMax
  const sentences = [...distinct.keys()].filter(
    text => /[.!?]["'”’)]?$/.test(text.trim()) && text.trim().split(/\s+/).length >= sentenceWordsMin,
  )
  return meanWords > idWordsMax || sentences.length > 0.3 * distinct.size
}

const countDifferent = (texts: readonly string[]): number => new Set(texts).size

const firstColumn = 'column-1'

/** Whether whole numbers number the documents. A measure, such as a population, is unique by chance. */
const isNumbered = (name: string, distinct: ReadonlyMap<string, number>): boolean => {
  if (![...distinct.keys()].every(text => /^-?\d+$/.test(text))) return false
  // Without a header line, numbers that all differ come first as ids do.
  if (isIdName(name) || name === firstColumn) return true
  const numbers = [...distinct.keys()].map(Number).toSorted((one, next) => one - next)
  return (numbers.at(-1) ?? 0) - (numbers[0] ?? 0) < 2 * numbers.length
}

/** Values with fewer characters are codes, such as the symbols of elements, which look like short words of many languages. */
const textCharactersMin = 4

/** Returns the names of fields whose values are words of a language. */
const findTexts = (fields: readonly ProposedField[], columns: readonly Column[]): string[] =>
  fields
    .filter(({ type, use, name }) => {
      const column = columns.find(candidate => candidate.name === name)
      return use && type === 'text' && column && column.meanCharacters >= textCharactersMin
    })
    .map(({ name }) => name)

function* readTexts(names: readonly string[], documents: Sample['documents']): Iterable<string> {
  for (const document of documents)
    for (const name of names) {
      const value = readPath(document, name)
      for (const text of Array.isArray(value) ? value : [value]) if (typeof text === 'string') yield text
    }
}
