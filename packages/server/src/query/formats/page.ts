/** A page of results, as the formats other than JSON read it. */

import type { Language } from '@querent/contract/languages'
import type { Entity } from '@querent/contract/query'
import type { Field } from '@querent/contract/workspace-file'

export interface PageItem {
  rank: number
  probability: number
  entity: Entity
  /** Attribute → snippets in HTML. */
  highlights: Readonly<Record<string, readonly string[]>>
  /** The value that the item of a collapsed result stands for, and its number of documents. */
  collapsed?: { value: string | number | null; count: number }
}

export interface Page {
  offset: number
  count: number
  items: PageItem[]
  /** Only for `results,count`. */
  statistics: { total: number; stats: { cutoff: string; numResults: number }[] } | undefined
  /** Declared fields of the collection, in the order of the workspace file. Empty if the items are options of a facet. */
  fields: ReadonlyMap<string, Field>
  /** The language of texts whose field declares none. */
  language: Language | undefined
  /** The names in the option `attributes`, in that order. Undefined: all. */
  attributes: readonly string[] | undefined
  /** Absolute URL that makes URIs of the names of classes and attributes. Ends with `#`. */
  vocabulary: string
  /** Absolute URL that makes URIs of ids. Ends with `#`. */
  idBase: string
}

/**
 * Names of the attributes of a page. Without the option `attributes`, declared ones come first, then others in order of appearance.
 */
export const attributeNames = ({ items, fields, attributes }: Page): string[] => {
  const present = new Set(items.flatMap(({ entity }) => Object.keys(entity.attributes)))
  if (attributes !== undefined) return [...new Set(attributes)]
  return [...new Set([...[...fields.keys()].filter(name => present.has(name)), ...present])]
}

/** Lists the values of an attribute: none for null, several for an array. A vector is one value. */
export const listValues = (value: unknown, field: Field | undefined): unknown[] => {
  if (value === undefined || value === null) return []
  return Array.isArray(value) && field?.type !== 'vector' ? value.filter(item => item !== null) : [value]
}

/** Returns the geographical point, or undefined if the field is not declared as geo. */
export const readGeoPoint = (
  value: unknown,
  field: Field | undefined,
): { lat: number; lon: number } | undefined => {
  if (field?.type !== 'geo') return undefined
  // documents/entity.ts checks values when it stores them, but the field may have had another type then.
  const { lat, lon } = value as { lat?: unknown; lon?: unknown }
  return typeof lat === 'number' && typeof lon === 'number' ? { lat, lon } : undefined
}

/** Writes a value as text for people: points as `lat,lon`, nested values as JSON. */
export const valueText = (value: unknown, field: Field | undefined): string => {
  if (typeof value === 'string') return value
  const point = readGeoPoint(value, field)
  return point ? `${point.lat},${point.lon}` : JSON.stringify(value)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them.
const illegalXml = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g

/** Replaces the characters that XML cannot contain by U+FFFD (https://www.w3.org/TR/xml/#charsets). */
export const legalXml = (text: string): string => text.replace(illegalXml, '\ufffd')
