/** Columns of a table that nobody has changed. */
import type { ListedDocument } from '#api/documents.ts'
import { chooseFields, rateFields } from '#ui/choose-fields.ts'
import { readHeading } from '#ui/heading.ts'
import { type FieldSummary, readField } from './document-path.ts'

const columnsMax = 4
/** The first choice for each collection, so that columns stay the same on other pages. */
const chosenColumns = new Map<string, readonly string[]>()

/** Returns the field that names the documents, and the most useful others. `key` names the collection. */
export const chooseColumns = (
  key: string,
  fields: readonly FieldSummary[],
  idField: string,
  documents: readonly ListedDocument[],
): readonly string[] => {
  // A copy has the values of its source.
  const originals = fields.filter(({ source }) => source === undefined)
  const names = originals.map(({ name }) => name)
  const knownColumns = chosenColumns.get(key)
  if (knownColumns?.every(name => names.includes(name))) return knownColumns
  if (documents.length === 0) return names.slice(0, columnsMax)
  const headings = documents.flatMap(({ document: { [idField]: _, ...attributes } }) => {
    const { field = '' } = readHeading({ id: '', attributes })
    return names.includes(field) ? [field] : []
  })
  const [heading] = Object.entries(Object.groupBy(headings, name => name))
    .toSorted(([, one = []], [, next = []]) => next.length - one.length)
    .map(([name]) => name)
  // A field may be inside an object.
  const entities = documents.map(({ document }) => ({
    attributes: Object.fromEntries(originals.map(field => [field.name, readField(document, field)])),
  }))
  const otherNames = chooseFields(
    names.filter(name => name !== heading),
    rateFields(entities),
    [],
  ).slice(0, columnsMax - 1)
  const columns = [...names.filter(name => name === heading), ...otherNames]
  chosenColumns.set(key, columns)
  return columns
}
