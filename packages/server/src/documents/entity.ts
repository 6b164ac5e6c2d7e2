/** Documents as they are put, and entities as the engine keeps them and replies carry them (workspace-file.md, Documents). */
import { documentIds } from '@querent/contract/document-id'
import { isDate, readFieldValue, valueForms } from '@querent/contract/field-value'
import type { Collection, Definition, Field } from '@querent/contract/workspace-file'
import { findCollection } from '#collections/generation-spec'
import type { EngineDocument, LineRules } from '#engines/engine'
import { lineBytesMax } from './lines.ts'

const idBytesMax = 2 * 1024
/** The least that the engines take: Lucene refuses longer terms. */
const keywordBytesMax = 32_766
/** JSON readers of the engines stop at 128. */
const depthMax = 100

/** A collection made ready to read documents: one value for each definition. */
export interface DocumentReader {
  /** A parsed JSON document → what the engine keeps, or what is wrong with it, where, and what is allowed. Never throws. */
  read: (document: unknown) => EngineDocument | { message: string }
  /**
   * The document as it was put, from its entity: short id where the template made the URI (always as text), attributes as they were.
   * Throws SyntaxError when the entity is not one that `read` made.
   */
  documentOf: (entity: string) => Record<string, unknown>
  /** What `read` does with a line of JSON where that is certain; undefined where it never is. */
  rules: LineRules | undefined
  /** The URI of an id as it stands in an address; undefined when there can be none. */
  uriOf: (id: string) => string | undefined
  /** What a document has in its id field that is put under an id in an address: the short id, a number where the field is one of numbers. */
  idValueOf: (id: string) => string | number
}

/** Compiles the checks of a collection's fields. Throws when the definition has no such collection. */
export const documentReader = (definition: Definition, name: string): DocumentReader => {
  const collection = findCollection(definition, name)
  const { uriOf, idOf } = documentIds(definition.workspace, name, collection)
  const idField = collection.id?.field ?? 'id'
  const { fields = {} } = collection
  const declared = Object.entries(fields).map(([name, field]) => ({ name, field, ...formOf(field) }))
  const idDeclared = Object.hasOwn(fields, idField) ? fields[idField] : undefined
  const classJson = classWriter(collection)

  const read = (document: unknown): EngineDocument | { message: string } => {
    if (!isObject(document)) return { message: `found ${shown(document)}; a document is a JSON object` }
    const given = Object.hasOwn(document, idField) ? document[idField] : undefined
    if (given === undefined || given === null)
      return { message: `the id is missing: a document has "${idField}", text or a number` }
    if (typeof given !== 'string' && !Number.isFinite(given))
      return { message: `"${idField}": found ${shown(given)}, allowed: text or a number` }
    if (typeof given === 'number' && Math.abs(given) > Number.MAX_SAFE_INTEGER)
      return {
        message: `"${idField}": a number beyond ${Number.MAX_SAFE_INTEGER} loses digits; write it as text, in quotes`,
      }
    const id = uriOf(String(given))
    if (id === undefined)
      return {
        message:
          given === ''
            ? `"${idField}": found "", allowed: an id that is not empty`
            : `"${idField}": found ${shown(given)}, which holds half a character (a lone surrogate)`,
      }
    if (Buffer.byteLength(id) > idBytesMax)
      return {
        message: `"${idField}": found a URI of ${Buffer.byteLength(id)} bytes, allowed: at most ${idBytesMax}`,
      }
    // As an address names it.
    const isWords = idDeclared?.type === 'keyword' || idDeclared?.type === 'text'
    const put = isWords && typeof given === 'number' ? { ...document, [idField]: String(given) } : document
    for (const { name, field, allowed, fits } of declared) {
      const value = Object.hasOwn(put, name) ? put[name] : undefined
      if (value !== undefined && value !== null && !fits(value)) {
        const words = name === idField ? (idForms[field.type] ?? allowed) : `${allowed}, or a list of them`
        return { message: misfit(name, field, words, value, fits) }
      }
    }
    const classes = classJson(document)
    if (classes === undefined)
      return { message: 'the field that gives the class: allowed: text or a list of texts' }
    if (!isShallow(document, depthMax))
      return { message: `the document is nested more than ${depthMax} deep` }
    const { [idField]: _, ...others } = document
    const attributes = idDeclared ? put : others
    const entity = `{"id":${JSON.stringify(id)},"class":${classes},"attributes":${JSON.stringify(attributes)}}`
    return hasLoneSurrogate(entity)
      ? { message: 'a text holds half a character (a lone surrogate)' }
      : { id, entity }
  }

  const documentOf = (entity: string) => {
    const { id, attributes }: { id: string; attributes: Record<string, unknown> } = JSON.parse(entity)
    return { [idField]: idOf(id), ...attributes }
  }

  const idValueOf = (id: string): string | number => {
    const short = idOf(uriOf(id) ?? id)
    const number = idDeclared?.type === 'number' ? readFieldValue('number', short) : undefined
    return typeof number === 'number' && String(number) === short ? number : short
  }
  return { read, documentOf, rules: rulesOf(definition.workspace, name, collection), uriOf, idValueOf }
}

/** None where the class is a field's, or the ids' template would have to be escaped in JSON. */
const rulesOf = (workspace: string, name: string, collection: Collection): LineRules | undefined => {
  const { class: classes = [], fields = {} } = collection
  const { prefix, suffix } = documentIds(workspace, name, collection)
  if (!Array.isArray(classes) || JSON.stringify(prefix + suffix) !== `"${prefix}${suffix}"`) return undefined
  const types = Object.entries(fields).map(([field, { type }]) => [field, type] as const)
  return {
    idField: collection.id?.field ?? 'id',
    prefix,
    suffix,
    classes: JSON.stringify(classes),
    fields: Object.fromEntries(types),
    idBytesMax,
    keywordBytesMax,
    lineBytesMax,
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** JSON of a document's classes; undefined when the class field holds anything but texts. */
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
  /** Type and content of a value that is not null. */
  fits: (value: unknown) => boolean
  allowed: string
}

const formOf = (field: Field): Form => {
  if (field.type === 'vector') {
    const { dimensions } = field
    const isVector = (value: unknown) =>
      Array.isArray(value) && value.length === dimensions && value.every(item => Number.isFinite(item))
    const fits = (value: unknown) =>
      isVector(value) || (Array.isArray(value) && Array.isArray(value[0]) && value.every(isVector))
    return { fits, allowed: `a list of ${dimensions} numbers` }
  }
  const { isOne, allowed } = oneOf[field.type]
  return { fits: value => (Array.isArray(value) ? value.every(isOne) : isOne(value)), allowed }
}

const oneOf: Readonly<
  Record<Exclude<Field['type'], 'vector'>, { isOne: (value: unknown) => boolean; allowed: string }>
> = {
  text: { isOne: value => typeof value === 'string', allowed: 'text' },
  keyword: {
    isOne: value =>
      typeof value === 'string' &&
      (value.length <= keywordBytesMax / 3 || Buffer.byteLength(value) <= keywordBytesMax),
    allowed: `text of at most ${keywordBytesMax} bytes`,
  },
  number: { isOne: value => Number.isFinite(value), allowed: 'a number' },
  boolean: { isOne: value => typeof value === 'boolean', allowed: valueForms.boolean },
  date: { isOne: value => typeof value === 'string' && isDate(value), allowed: valueForms.date },
  geo: {
    isOne: value =>
      isObject(value) &&
      typeof value.lat === 'number' &&
      Math.abs(value.lat) <= 90 &&
      typeof value.lon === 'number' &&
      Math.abs(value.lon) <= 180,
    allowed: '{"lat": -90 to 90, "lon": -180 to 180}',
  },
  object: { isOne: isObject, allowed: 'an object' },
}

/** What an id may look like whose field is declared, where that is less than its type says. */
const idForms: Partial<Record<Field['type'], string>> = {
  number: 'a number, in csv written as 7, not as 7.0 or 007',
}

const misfit = (name: string, field: Field, allowed: string, value: unknown, fits: Form['fits']): string => {
  const { place, found } =
    field.type === 'vector' ? misfitInVector(value, field.dimensions, fits) : misfitInList(value, fits)
  const words = field.type === 'geo' && isObject(found) ? brief(JSON.stringify(found)) : shown(found)
  return `"${name}"${place}: found ${words}, allowed: ${allowed} (the field is of type ${field.type})`
}

const misfitInList = (value: unknown, fits: Form['fits']): { place: string; found: unknown } => {
  const index = Array.isArray(value) ? value.findIndex(item => !fits([item])) : -1
  // What has items is a list.
  return index < 0
    ? { place: '', found: value }
    : { place: `, item ${index + 1}`, found: (value as unknown[])[index] }
}

const misfitInVector = (
  value: unknown,
  dimensions: number,
  fits: Form['fits'],
): { place: string; found: unknown } => {
  let place = ''
  let found = value
  const goInto = (what: string, fitsThere: (item: unknown) => boolean) => {
    const index = Array.isArray(found) ? found.findIndex(item => !fitsThere(item)) : -1
    if (!Array.isArray(found) || index < 0) return
    place += `, ${what} ${index + 1}`
    found = found[index]
  }
  if (Array.isArray(found) && Array.isArray(found[0])) goInto('vector', fits)
  if (Array.isArray(found) && found.length === dimensions) goInto('number', Number.isFinite)
  return { place, found }
}

const brief = (json: string): string => (json.length > 60 ? `${json.slice(0, 60)}…` : json)

const shown = (value: unknown): string => {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (isObject(value)) return 'an object'
  // JSON.parse makes Infinity of 1e400, for which JSON has no word.
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number beyond 1.8e308'
  return brief(JSON.stringify(value) ?? 'nothing')
}

const isShallow = (value: object, depth: number): boolean => {
  if (depth === 0) return false
  for (const inner of Object.values(value))
    if (typeof inner === 'object' && inner !== null && !isShallow(inner, depth - 1)) return false
  return true
}

/** JSON.stringify writes whole characters as themselves and half ones as `\ud8…` (https://tc39.es/ecma262/#sec-quotejsonstring); readers in Rust and Java refuse those. */
const hasLoneSurrogate = (json: string): boolean =>
  json.includes('\\ud') && /(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(json)
