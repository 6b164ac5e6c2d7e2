/**
 * Vectors in stored entities. An entity with vectors that the server made begins with `{"embedded":{FIELD:HASH}}`: the hash of the model and
 * the text says whether the vector is current. Its vectors are the last attributes, so that replies can leave them out without parsing.
 */
import { createHash } from 'node:crypto'
import type { Collection } from '@querent/contract/workspace-file'
import {
  indexedAttributes,
  parseEntity,
  type StoredEntity,
  withoutIndexed,
  writeIndexed,
} from '#collections/stored-entity'
import type { Embedder, Embedders } from './embedders.ts'

/** A vector field whose vectors the server makes. */
export interface EmbeddedField {
  name: string
  dimensions: number
  /** Fields with the text. */
  fields: readonly string[]
  /** Name of the embedder. */
  embedder: string
}

const cache = new WeakMap<Collection, EmbeddedField[]>()

/** Returns the fields of a collection whose vectors the server makes. */
export const embeddedFields = (collection: Collection): readonly EmbeddedField[] => {
  const cached = cache.get(collection)
  if (cached) return cached
  const fields = Object.entries(collection.fields ?? {}).flatMap(([name, field]): EmbeddedField[] =>
    field.type === 'vector' && field.embed
      ? [{ name, dimensions: field.dimensions, fields: field.embed.fields, embedder: field.embed.with }]
      : [],
  )
  cache.set(collection, fields)
  return fields
}

/** Returns the embedder of a field, unless its vectors have other dimensions. */
export const findEmbedder = (embedders: Embedders, field: EmbeddedField): Embedder | undefined => {
  const embedder = embedders.get(field.embedder)
  return embedder?.settings.dimensions === field.dimensions ? embedder : undefined
}

/** Longer texts are cut. Models read a few thousand characters. */
const textCharsMax = 32_000

/** Joins the texts of the fields; '' if there are none. */
export const readText = (attributes: Readonly<Record<string, unknown>>, { fields }: EmbeddedField): string =>
  fields
    .flatMap(name => (Object.hasOwn(attributes, name) ? attributes[name] : []))
    .filter(value => typeof value === 'string' && value.trim() !== '')
    .join('\n')
    .slice(0, textCharsMax)
    .replace(/[\ud800-\udbff]$/, '')

/** Identifies the vector that a model makes from a text. */
export const hashText = ({ settings: { model, dimensions } }: Embedder, text: string): string =>
  createHash('sha256')
    .update(JSON.stringify([model, dimensions, text]))
    .digest('hex')
    .slice(0, 32)

/** The text of an entity for one field, and whether the entity has its vector. */
export interface FieldText {
  field: EmbeddedField
  /** Undefined if no embedder has the field's name and dimensions. */
  embedder: Embedder | undefined
  text: string
  /** '' without a text or an embedder. */
  hash: string
  isCurrent: boolean
}

export const readFieldTexts = (
  entity: StoredEntity,
  fields: readonly EmbeddedField[],
  embedders: Embedders,
): FieldText[] =>
  fields.map(field => {
    const embedder = findEmbedder(embedders, field)
    const text = readText(indexedAttributes(entity), field)
    const hash = embedder && text !== '' ? hashText(embedder, text) : ''
    return { field, embedder, text, hash, isCurrent: madeHash(entity, field.name) === hash }
  })

/** '' if the entity has no vector that the server made. */
const madeHash = ({ embedded = {} }: StoredEntity, name: string): string =>
  (Object.hasOwn(embedded, name) ? embedded[name] : undefined) ?? ''

/** A vector as the entity keeps it. */
export interface MadeVector {
  hash: string
  vector: readonly number[]
}

/** Seven digits are the precision of the engines. */
export const toNumbers = (vector: Float32Array): number[] =>
  Array.from(vector, number => Number(number.toPrecision(7)))

/** Returns the vectors that the server made for an entity. */
export const madeVectors = ({ embedded = {}, attributes }: StoredEntity): Map<string, MadeVector> =>
  new Map(
    Object.entries(embedded).flatMap(([name, hash]) => {
      const vector = attributes[name]
      return Array.isArray(vector) ? [[name, { hash, vector } as MadeVector]] : []
    }),
  )

/** Writes an entity with exactly these vectors that the server made. */
export const writeEntity = (
  { embedded = {}, indexed = {}, id, class: classes, attributes }: StoredEntity,
  vectors: ReadonlyMap<string, MadeVector>,
): string => {
  const ownEntries = Object.entries(attributes).filter(
    ([name]) => !Object.hasOwn(embedded, name) && !vectors.has(name),
  )
  const vectorEntries = [...vectors].map(([name, { vector }]) => [name, vector] as const)
  const hashes = Object.fromEntries([...vectors].map(([name, { hash }]) => [name, hash]))
  const entity = { id, class: classes, attributes: Object.fromEntries([...ownEntries, ...vectorEntries]) }
  const start = vectors.size === 0 ? '' : `"embedded":${JSON.stringify(hashes)},`
  return `{${start}${writeIndexed(new Map(Object.entries(indexed)))}${JSON.stringify(entity).slice(1)}`
}

const marker = '{"embedded":'

/** Returns an entity without what the server made: as the document was put. Other entities stay as they are. */
export const withoutMadeValues = (text: string): string => {
  if (!text.startsWith(marker)) return withoutIndexed(text)
  // A quotation mark inside of a name would be escaped.
  const end = text.indexOf('},"id":') + 1
  if (text.indexOf('},"indexed":{') > 0) return rewriteWithoutMadeVectors(text)
  const names = Object.keys(JSON.parse(text.slice(marker.length, end)))
  let rest = `{${text.slice(end + 1)}`
  for (const name of names.reverse()) {
    const key = `${JSON.stringify(name)}:[`
    const start = rest.lastIndexOf(key)
    // A name that is a number comes first, whatever the order of writing.
    if (start < 0 || rest.indexOf('"', start + key.length) >= 0) return rewriteWithoutMadeVectors(text)
    rest = `${rest.slice(0, rest[start - 1] === ',' ? start - 1 : start)}}}`
  }
  return rest
}

const rewriteWithoutMadeVectors = (text: string): string => {
  const { indexed: _, ...entity } = parseEntity(text)
  return writeEntity(entity, new Map())
}

/** Returns the attributes without the vectors that the server made. */
export const ownAttributes = ({ embedded, attributes }: StoredEntity): Readonly<Record<string, unknown>> =>
  embedded === undefined
    ? attributes
    : Object.fromEntries(Object.entries(attributes).filter(([name]) => !Object.hasOwn(embedded, name)))
