/** Converts documents as clients send them into entities as the engine stores them and replies carry them. */
import { documentIds } from '@querent/contract/document-id'
import { toNumber } from '@querent/contract/exact-json'
import { readFieldValue, valueForms } from '@querent/contract/field-value'
import { elementsMax } from '@querent/contract/object-fields'
import { isOneValue, keywordBytesMax } from '@querent/contract/read-value'
import type { Collection, Definition, Field } from '@querent/contract/workspace-file'
import {
  compileFieldValues,
  type FieldValues,
  hasReadingRules,
  isValueMisfit,
  type Misfit,
  pathItemsMax,
  readersMax,
  tooManyElements,
  tooManyItems,
  tooManyReaders,
} from '#collections/field-values'
import { findCollection } from '#collections/generation-spec'
import { parseEntity, writeIndexed } from '#collections/stored-entity'
import { embeddedFields, ownAttributes } from '#embedding/entity-vectors'
import type { EngineDocument, LineRules } from '#engines/engine'
import { type DocumentPlace, generateId, isJsonObject, readStatedId } from './document-id.ts'
import { isShallow, tooDeep } from './document-size.ts'
import { lineBytesMax } from './lines.ts'

export const idBytesMax = 2 * 1024

/** Why a document may not be written. `isRefused`: because the caller's rights forbid it. */
export interface RejectedDocument {
  message: string
  isRefused?: true
}

/** Reads documents for one collection of one definition. */
export interface DocumentReader {
  /**
   * Turns a parsed JSON document into the engine's form, or says what is wrong, where, and what is allowed. `place` names a document of a
   * collection that generates ids. Never throws.
   */
  read: (document: unknown, place?: DocumentPlace) => EngineDocument | RejectedDocument
  /**
   * Returns the document as it was put, from its entity: the short id where the template made the URI (always
   * as text), and the original attributes. Throws SyntaxError if the entity was not made by `read`.
   */
  toDocument: (entity: string) => Record<string, unknown>
  /** Rules by which the engine can do the same as `read` for a line of JSON; undefined if it cannot. */
  rules: LineRules | undefined
  /** Returns the URI of an id in an address; undefined if the id is invalid. */
  toUri: (id: string) => string | undefined
  /**
   * Returns the value of the id field for an id in an address: the short id, as a number if the field is
   * numeric.
   */
  toIdValue: (id: string) => string | number
}

/** Compiles the checks of a collection's fields. Throws if the definition has no such collection. */
export const documentReader = (definition: Definition, name: string): DocumentReader => {
  const collection = findCollection(definition, name)
  const { toUri, toId } = documentIds(definition.workspace, name, collection)
  const rules = compileRules(collection)
  const { idField, idDeclared, generated } = rules
  const fieldValues = compileFieldValues(collection)
  const classJson = classWriter(collection)

  const read = (parsed: unknown, place: DocumentPlace = {}): EngineDocument | { message: string } => {
    if (!isJsonObject(parsed))
      return { message: `found ${describeValue(parsed)}; a document is a JSON object` }
    const sentDocument = withPlainNumbers(rules, parsed)
    if (!isShallow(sentDocument)) return { message: tooDeep }
    const { id: shortId, document } =
      generated === undefined
        ? { id: readStatedId(sentDocument, idField, describeValue), document: sentDocument }
        : generateId(generated, sentDocument, place)
    if (typeof shortId !== 'string') return shortId
    const id = toUri(shortId)
    if (id === undefined || Buffer.byteLength(id) > idBytesMax)
      return { message: `"${idField}": ${describeBadId(shortId, id)}` }
    const normalized = withTextId(rules, document, shortId)
    const fault = findVectorFault(rules, normalized) ?? findIdFault(rules, document)
    if (fault !== undefined) return { message: fault }
    const indexed = fieldValues.read(normalized)
    if (isFieldFault(indexed)) return { message: describeFieldFault(collection, idField, indexed) }
    const classes = classJson(document)
    if (classes === undefined) return { message: 'the class field must be text or a list of texts' }
    const attributes = JSON.stringify(selectAttributes(rules, document, normalized))
    const entity = `{${writeIndexed(indexed)}"id":${JSON.stringify(id)},"class":${classes},"attributes":${attributes}}`
    return hasLoneSurrogate(entity) ? { message: 'a text contains a lone surrogate' } : { id, entity }
  }

  const toDocument = (entity: string) => {
    const stored = parseEntity(entity)
    // Generated ids come first too, unless the document has an attribute of this name.
    return { [idField]: toId(stored.id), ...ownAttributes(stored) }
  }

  const toIdValue = (id: string): string | number => {
    const short = toId(toUri(id) ?? id)
    const number = idDeclared?.type === 'number' ? readFieldValue('number', short) : undefined
    return typeof number === 'number' && String(number) === short ? number : short
  }
  return { read, toDocument, rules: lineRules(definition.workspace, name, collection), toUri, toIdValue }
}

type Document = Record<string, unknown>
type DocumentRules = ReturnType<typeof compileRules>

const compileRules = (collection: Collection) => {
  const { fields = {} } = collection
  const idField = collection.id?.field ?? 'id'
  // The server makes the values of these fields, so it ignores those of documents.
  const madeFields = new Set(embeddedFields(collection).map(field => field.name))
  const vectors = Object.entries(fields).flatMap(([name, field]) =>
    field.type === 'vector' && !madeFields.has(name) ? [{ name, field, ...vectorForm(field) }] : [],
  )
  return {
    idField,
    idDeclared: Object.hasOwn(fields, idField) ? fields[idField] : undefined,
    generated: collection.id?.generate,
    madeFields,
    vectors,
    /** Ids and vectors are ordinary numbers. */
    plainFields: [idField, ...vectors.map(({ name }) => name)],
  }
}

const withPlainNumbers = ({ plainFields }: DocumentRules, document: Document): Document => {
  const changed = plainFields.flatMap(name => {
    const value = Object.hasOwn(document, name) ? document[name] : undefined
    const plain = toPlainNumbers(value)
    return plain === value ? [] : [[name, plain] as const]
  })
  return changed.length === 0 ? document : { ...document, ...Object.fromEntries(changed) }
}

/** `id`: the URI; undefined if the short id has none. */
const describeBadId = (shortId: string, id: string | undefined): string =>
  id === undefined
    ? `found ${describeValue(shortId)}, which contains a lone surrogate`
    : `found a URI of ${Buffer.byteLength(id)} bytes, allowed: at most ${idBytesMax}`

/** The id is text, as in an address, if its field has texts. */
const withTextId = (
  { idField, idDeclared, generated }: DocumentRules,
  document: Document,
  shortId: string,
): Document => {
  const hasTexts = idDeclared?.type === 'keyword' || idDeclared?.type === 'text'
  return generated === undefined && hasTexts && typeof document[idField] === 'number'
    ? { ...document, [idField]: shortId }
    : document
}

const findVectorFault = ({ vectors }: DocumentRules, document: Document): string | undefined => {
  for (const { name, field, allowed, fits } of vectors) {
    const value = Object.hasOwn(document, name) ? document[name] : undefined
    if (value !== undefined && value !== null && !fits(value))
      return describeMisfit({ name, field, source: undefined, value, fits }, `${allowed}, or a list of them`)
  }
  return undefined
}

const findIdFault = (
  { idField, idDeclared, generated }: DocumentRules,
  document: Document,
): string | undefined => {
  const id = document[idField]
  return generated !== undefined || idDeclared?.type !== 'number' || isNumberText(id)
    ? undefined
    : `"${idField}": found ${describeValue(id)}, allowed: ${idForms.number} (the field is of type number)`
}

type FieldResult = ReturnType<FieldValues['read']>
type FieldFault = Exclude<FieldResult, ReadonlyMap<string, unknown>>

const isFieldFault = (result: FieldResult): result is FieldFault =>
  typeof result === 'string' || isValueMisfit(result)

/** Says why the values of the fields cannot be indexed. */
const describeFieldFault = (collection: Collection, idField: string, fault: FieldFault): string => {
  if (fault === tooManyItems)
    return `the paths of the fields lead through more than ${pathItemsMax} items of lists`
  if (fault === tooManyElements) return `found a list of more than ${elementsMax} objects with together: true`
  if (fault === tooManyReaders) return `"${collection.readers?.field}": allowed: at most ${readersMax} names`
  const { name, field } = fault
  const allowed = field.type === 'vector' ? '' : describeAllowed(field)
  const words = (name === idField && idForms[field.type]) || `${allowed}, or a list of them`
  return describeMisfit(fault, words + describeFormats(field))
}

/** Returns the attributes to store: without an id that is in the URI alone, and without values that the server makes. */
const selectAttributes = (
  { idField, idDeclared, generated, madeFields }: DocumentRules,
  document: Document,
  normalized: Document,
): Document => {
  const { [idField]: _, ...otherAttributes } = document
  const statedAttributes = idDeclared || generated !== undefined ? normalized : otherAttributes
  return madeFields.size === 0
    ? statedAttributes
    : Object.fromEntries(Object.entries(statedAttributes).filter(([name]) => !madeFields.has(name)))
}

/** Undefined if the class comes from a field, if the template of ids needs escapes in JSON, or if the server makes ids, vectors or other values. */
const lineRules = (workspace: string, name: string, collection: Collection): LineRules | undefined => {
  const { class: classes = [], fields = {} } = collection
  const { prefix, suffix } = documentIds(workspace, name, collection)
  if (embeddedFields(collection).length > 0 || collection.id?.generate !== undefined) return undefined
  if (hasReadingRules(collection)) return undefined
  if (!Array.isArray(classes) || JSON.stringify(prefix + suffix) !== `"${prefix}${suffix}"`) return undefined
  const types = Object.entries(fields).map(([field, { type }]) => [field, type] as const)
  return {
    idField: collection.id?.field ?? 'id',
    prefix,
    suffix,
    classes: JSON.stringify(classes),
    fields: Object.fromEntries(types),
    dimensions: Object.fromEntries(
      Object.entries(fields).flatMap(([field, declared]) =>
        declared.type === 'vector' ? [[field, declared.dimensions]] : [],
      ),
    ),
    idBytesMax,
    keywordBytesMax,
    lineBytesMax,
  }
}

/** Returns the JSON of a document's classes; undefined if the class field holds anything but texts. */
const classWriter = (collection: Collection): ((document: Record<string, unknown>) => string | undefined) => {
  const classes = collection.class ?? []
  if (Array.isArray(classes)) {
    const json = JSON.stringify(classes)
    return () => json
  }
  const { field } = classes
  return document => {
    const value = (Object.hasOwn(document, field) ? document[field] : undefined) ?? []
    const list: unknown[] = Array.isArray(value) ? value : [value]
    return list.every(item => typeof item === 'string') ? JSON.stringify(list) : undefined
  }
}

interface Form {
  /** Checks type and content of a value that is not null. */
  fits: (value: unknown) => boolean
  allowed: string
}

/** Vectors are stored with single precision. */
const componentMax = 3.4e38
const isComponent = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= componentMax

const vectorForm = ({ dimensions }: Field & { type: 'vector' }): Form => {
  const isVector = (value: unknown) =>
    Array.isArray(value) && value.length === dimensions && value.every(isComponent)
  const fits = (value: unknown) =>
    isVector(value) || (Array.isArray(value) && Array.isArray(value[0]) && value.every(isVector))
  return { fits, allowed: `a list of ${dimensions} numbers` }
}

const allowedForms: Readonly<Record<Exclude<Field['type'], 'vector' | 'number'>, string>> = {
  text: 'text',
  keyword: `text of at most ${keywordBytesMax} bytes`,
  boolean: valueForms.boolean,
  date: valueForms.date,
  geo: '{"lat": -90 to 90, "lon": -180 to 180}, "lat,lon", or [lon, lat]',
  object: 'an object',
}

const describeAllowed = (field: Exclude<Field, { type: 'vector' }>): string => {
  if (field.type === 'geo' && field.pairs === 'lat-lon')
    return allowedForms.geo.replace('[lon, lat]', '[lat, lon]')
  return field.type === 'number' ? numberForms[field.decimal ?? 'none'] : allowedForms[field.type]
}

/** By `decimal` of the field. Texts of fields without it are numbers as in JSON. */
const numberForms = {
  none: 'a number such as 1000.5',
  ',': 'a number such as 1.000,5 (the field has decimal: ",")',
  '.': 'a number such as 1,000.5 (the field has decimal: ".")',
} as const

/** Allowed form of a declared id field, if stricter than its type. */
const idForms: Partial<Record<Field['type'], string>> = {
  number: 'a number, written in csv as 7, not as 7.0 or 007',
}

/** Different ids must be different numbers: of `7`, `7.0` and `007`, only the first is one. */
const isNumberText = (id: unknown): boolean => typeof id !== 'string' || String(Number(id)) === id

const describeFormats = (field: Field): string =>
  field.type === 'date' && field.formats ? `, or ${field.formats.join(' or ')}` : ''

const describeMisfit = ({ name, field, source, value, fits }: Misfit, allowed: string): string => {
  const { place, culprit } =
    field.type === 'vector' ? misfitInVector(value, field.dimensions, fits) : misfitInList(field, value, fits)
  const words =
    field.type === 'geo' && typeof culprit === 'object'
      ? shorten(JSON.stringify(culprit))
      : describeValue(culprit)
  const origin = source === undefined || source === name ? '' : `, from "${source}"`
  return `"${name}"${origin}${place}: found ${words}, allowed: ${allowed} (the field is of type ${field.type})`
}

const misfitInList = (
  field: Field,
  value: unknown,
  fits: Form['fits'],
): { place: string; culprit: unknown } => {
  const index =
    Array.isArray(value) && !isOneValue(field.type, value) ? value.findIndex(item => !fits(item)) : -1
  // A value with items is a list.
  return index < 0
    ? { place: '', culprit: value }
    : { place: `, item ${index + 1}`, culprit: (value as unknown[])[index] }
}

/** Returns the value itself if it has no number whose digits were kept. */
const toPlainNumbers = (value: unknown): unknown => {
  if (!Array.isArray(value)) return toNumber(value)
  const items = value.map(toPlainNumbers)
  return items.every((item, index) => item === value[index]) ? value : items
}

const misfitInVector = (
  value: unknown,
  dimensions: number,
  fits: Form['fits'],
): { place: string; culprit: unknown } => {
  let place = ''
  let culprit = value
  const goInto = (kind: string, fitsThere: (item: unknown) => boolean) => {
    const index = Array.isArray(culprit) ? culprit.findIndex(item => !fitsThere(item)) : -1
    if (!Array.isArray(culprit) || index < 0) return
    place += `, ${kind} ${index + 1}`
    culprit = culprit[index]
  }
  if (Array.isArray(culprit) && Array.isArray(culprit[0])) goInto('vector', fits)
  if (Array.isArray(culprit) && culprit.length === dimensions) goInto('number', isComponent)
  return { place, culprit }
}

const shorten = (json: string): string => (json.length > 60 ? `${json.slice(0, 60)}…` : json)

export const describeValue = (value: unknown): string => {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (isJsonObject(value)) return 'an object'
  if (typeof toNumber(value) === 'number' && !Number.isFinite(toNumber(value)))
    return 'a number beyond 1.8e308'
  // JSON.parse turns 1e400 into Infinity, which JSON cannot represent.
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number beyond 1.8e308'
  return shorten(JSON.stringify(value) ?? 'nothing')
}

/**
 * JSON.stringify escapes only lone surrogates as `\ud8…` (https://tc39.es/ecma262/#sec-quotejsonstring).
 * Readers in Rust and Java reject them.
 */
const hasLoneSurrogate = (json: string): boolean =>
  json.includes('\\ud') && /(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(json)
