/**
 * Documents as the engines store them: JSON of `{"id", "class", "attributes"}`, with the attributes as they were sent. Two members before `id` are
 * the server's own: `embedded` (see embedding/entity-vectors.ts) and `indexed`, the values of declared fields that differ from the attributes of
 * their names, such as those of `source`. The engines index `indexed` in place of these attributes.
 */
import { parseExactJson } from '@querent/contract/exact-json'

export interface StoredEntity {
  /** Hash of model and text by vector field. */
  embedded?: Readonly<Record<string, string>>
  /** Values by field; null: none, whatever the attribute of this name holds. */
  indexed?: Readonly<Record<string, unknown>>
  id: string
  class: unknown
  attributes: Readonly<Record<string, unknown>>
}

// Only `documents/entity.ts`, `embedding/entity-vectors.ts` and this file write entities.
export const parseEntity = (text: string): StoredEntity => parseExactJson(text) as StoredEntity

/** Returns the attributes as the engines index them. */
export const indexedAttributes = ({
  indexed,
  attributes,
}: Pick<StoredEntity, 'indexed' | 'attributes'>): Readonly<Record<string, unknown>> =>
  indexed === undefined
    ? attributes
    : {
        ...attributes,
        // The values of elements are lists of lists.
        ...Object.fromEntries(
          Object.entries(indexed).map(([name, value]) => [name, Array.isArray(value) ? value.flat() : value]),
        ),
      }

/** The beginning of an entity with `indexed` values. */
const marker = '{"indexed":'

/**
 * Returns the JSON of `indexed` with a comma behind it, to write before `id`; '' without values. A field with the name `id` comes first: so
 * `},"id":` ends the values, wherever they contain objects.
 */
export const writeIndexed = (indexed: ReadonlyMap<string, unknown>): string => {
  if (indexed.size === 0) return ''
  const entries = [...indexed].sort(([name], [next]) => Number(next === 'id') - Number(name === 'id'))
  return `"indexed":{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}},`
}

/** Returns an entity without its `indexed` values. Other entities stay as they are. */
export const withoutIndexed = (text: string): string => {
  if (!text.startsWith(marker)) return text
  const end = text.indexOf('},"id":', marker.length)
  return `{${text.slice(end + 2)}`
}

/** Returns the entity with other `indexed` values. */
export const replaceIndexed = (text: string, indexed: ReadonlyMap<string, unknown>): string => {
  const { embedded, id, class: classes, attributes } = parseEntity(text)
  const start = embedded === undefined ? '' : `"embedded":${JSON.stringify(embedded)},`
  return `{${start}${writeIndexed(indexed)}${JSON.stringify({ id, class: classes, attributes }).slice(1)}`
}
