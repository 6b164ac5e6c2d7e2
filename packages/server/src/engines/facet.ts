/** The replies of facets, and the types of their requests. */

export type { FacetGroups, FacetRequest } from '@querent/engine/plan'

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
 * microseconds, and they have no sum. `makeRawNumber` made a minimum or
 * maximum whose digits JavaScript would lose. A sum of numbers of up to six decimals is the decimal sum.
 */
export interface FacetSummary {
  min: number | string | object | null
  max: number | string | object | null
  sum: number | null
  average: number | string | null
  count: number
}
