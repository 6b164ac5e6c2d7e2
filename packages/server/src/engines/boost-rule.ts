/** Boosts of a plan. */

export interface BoostNode {
  kind: 'boost'
  field: string
  rule: BoostRule
}

/**
 * The factor of a boost. The most favorable value of a document counts: the largest number, the latest date, the nearest place.
 *
 * - `value`: `factor` for documents with one of the values, at least 1e-3 and at most 1,000.
 * - `log` and `linear`: 1 + log10(1 + number) and 1 + number; numbers count as at least 0 and at most {@link boostNumberMax}.
 * - `age`: 1 + 0.5 ^ (age / half-life); `nowMs` and `halfLifeMs` are in milliseconds, `nowMs` since 1970. Dates after `nowMs` have age 0.
 * - `distance`: 1 + 0.5 ^ (distance / half distance), in meters.
 */
export type BoostRule =
  | { by: 'value'; values: (string | number | boolean)[]; factor: number }
  | { by: 'log' | 'linear' }
  | { by: 'age'; nowMs: number; halfLifeMs: number }
  | { by: 'distance'; lat: number; lon: number; halfMetres: number }

/** Larger numbers would leave the range of scores. */
export const boostNumberMax = 1e9
