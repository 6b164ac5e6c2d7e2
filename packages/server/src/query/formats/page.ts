/** A page of results as the formats other than JSON write it. */
import type { Entity } from '@querent/contract/query'
import type { Field, Language } from '@querent/contract/workspace-file'

export interface PageItem {
  rank: number
  probability: number
  entity: Entity
  /** Attribute → snippets in HTML. */
  highlights: Readonly<Record<string, readonly string[]>>
}

export interface Page {
  offset: number
  count: number
  items: PageItem[]
  /** With `results,count`. */
  statistics: { total: number; stats: { cutoff: string; numResults: number }[] } | undefined
  /** Declared fields of the collection, in the order of the workspace file. Empty where the items are options of a facet. */
  fields: ReadonlyMap<string, Field>
  /** Of texts whose field names none. */
  language: Language | undefined
  /** Names asked for with `attributes`, in that order; undefined: all. */
  attributes: readonly string[] | undefined
  /** Absolute; names in it are those of the collection's classes and attributes. Ends with `#`. */
  vocabulary: string
  /** Absolute; an id that is no URI becomes one with it. Ends with `#`. */
  idBase: string
}

/**
 * Names of the attributes that the page has: those asked for, else the declared ones in their order, then others in the order they come.
 */
export const attributeNames = ({ items, fields, attributes }: Page): string[] => {
  const found = new Set(items.flatMap(({ entity }) => Object.keys(entity.attributes)))
  if (attributes !== undefined) return [...new Set(attributes)]
  return [...new Set([...[...fields.keys()].filter(name => found.has(name)), ...found])]
}

/** The values of an attribute: none for null, several for an array. A vector is one value. */
export const valuesOf = (value: unknown, field: Field | undefined): unknown[] => {
  if (value === undefined || value === null) return []
  return Array.isArray(value) && field?.type !== 'vector' ? value.filter(item => item !== null) : [value]
}

/** A geographical point, if the field is declared to hold them. */
export const pointOf = (
  value: unknown,
  field: Field | undefined,
): { lat: number; lon: number } | undefined => {
  if (field?.type !== 'geo') return undefined
  // Checked when the document was put (documents/entity.ts); a field may have been declared differently then.
  const { lat, lon } = value as { lat?: unknown; lon?: unknown }
  return typeof lat === 'number' && typeof lon === 'number' ? { lat, lon } : undefined
}

/** A value as text for people: texts as they are, points as `lat,lon`, anything nested as JSON. */
export const textOf = (value: unknown, field: Field | undefined): string => {
  if (typeof value === 'string') return value
  const point = pointOf(value, field)
  return point ? `${point.lat},${point.lon}` : JSON.stringify(value)
}
