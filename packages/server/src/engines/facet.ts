/** The requests and replies of facets. */

import type { DateInterval } from '@querent/contract/facet-groups'
import type { ZoneOffsets } from '@querent/contract/time-zone'

/** Options of a keyword, number, boolean or date field over the documents that the plan finds. */
export interface FacetRequest {
  field: string
  /** The requested page of options: by descending count, then by ascending value (UTF-8 bytes). */
  offset: number
  count: number
  /** Values to count whatever page they are on. */
  selected: string[]
  /** Minimum of count / largest, 0 to 1: options below it are absent from `options`, `distinct` and `statistics`. */
  cutoff?: number
  /**
   * Keeps only options with a word that starts with this text, without case and accents. The others are absent from `options`,
   * `distinct` and `statistics`. A blank text keeps all options.
   */
  query?: string
  /** If false, the caller ignores {@link EngineFacet.distinct}, so an engine need not count the options of other pages. */
  distinct?: boolean
  /**
   * Counts groups of values instead of values. Then the other members except `field` have no effect, and {@link EngineFacet.options} has
   * all groups by key, in any order, as far as documents have them.
   */
  groups?: FacetGroups
  /**
   * Requests {@link EngineFacet.missing}. Without groups, those documents are also counted as the option ''. Then no document has the
   * option '' for an empty text, which is no value.
   */
  missing?: boolean
  /** Requests {@link EngineFacet.summary}, for numbers and dates. */
  summary?: boolean
  /** Counts the values of `collapse` that have a document with the option; a document without a value counts as one. */
  collapsed?: boolean
}

/**
 * Groups of values. A document with several values of a group counts once.
 *
 * - `ranges` of numbers and dates, from `from` to before `before`. The key is the index of the range.
 * - `interval` of numbers. The key is the number of the interval, which starts at the decimal product of the number and `size`. It may be
 *   `-Infinity` or `Infinity`.
 * - `calendar`: intervals of dates in UTC; weeks start on Monday. The key is the start in seconds since 1970. With `zone`, they begin in local
 *   time. Then the key is in local time too, except for hours, which clocks may repeat.
 * - `hierarchy` of keywords: the key is a path one level below one of the `parents`, or of the first level if there are none.
 */
export type FacetGroups =
  | { by: 'ranges'; ranges: { from?: string | number; before?: string | number }[] }
  | { by: 'interval'; size: number }
  | { by: 'calendar'; unit: DateInterval; zone?: ZoneOffsets }
  | { by: 'hierarchy'; separator: string; parents?: readonly string[] }

export interface FacetOption {
  value: string
  /** Exact number of matching documents with the value. */
  count: number
}

export interface EngineFacet {
  options: FacetOption[]
  /**
   * One for each of `selected` in that order, with count 0 if no document has it. Numbers and dates are formatted like options. A whole
   * day becomes the one option in it; if it contains several options or none, it stays as given and counts the documents with any of them.
   */
  selected: FacetOption[]
  /** Number of different values among the matching documents. With `distinct: false` in the request it may be lower. */
  distinct: number
  /** Count of the most frequent value, 0 if there is none. */
  largest: number
  /** The ten numbers of options with count/largest at least 0.9, 0.8, … 0.0; only with `statistics`. */
  statistics?: number[]
  /** Number of matching documents without a value. */
  missing?: number
  summary?: FacetSummary
}

/**
 * The values of the matching documents; equal values of a document count once. Dates are texts in UTC, their average is rounded down to
 * microseconds, and they have no sum. A sum of numbers of up to six decimals is the decimal sum.
 */
export interface FacetSummary {
  min: number | string | null
  max: number | string | null
  sum: number | null
  average: number | string | null
  count: number
}
