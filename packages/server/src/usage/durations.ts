/**
 * Histograms of durations with exponential buckets, as in Prometheus' native histograms: 4 buckets for each doubling, from 10 µs to 168 s.
 * Percentiles are estimated by the geometric middle of a bucket, so they are at most 9.1 % off (2^(1/8) - 1).
 */

const shortestMs = 0.01
const bucketsPerDoubling = 4
export const bucketsCount = 96

/** Returns the bucket of a duration. Shorter and longer durations are in the first and last one. */
export const toBucket = (ms: number): number =>
  ms <= shortestMs
    ? 0
    : Math.min(bucketsCount - 1, Math.floor(Math.log2(ms / shortestMs) * bucketsPerDoubling))

/** Queries by bucket. */
export type Histogram = ReadonlyMap<number, number>

/** Estimates a percentile in milliseconds, to 3 digits. `share`: 0.5 for the median. Returns null for an empty histogram. */
export const estimatePercentile = (histogram: Histogram, share: number): number | null => {
  const buckets = [...histogram].toSorted(([a], [b]) => a - b)
  const total = buckets.reduce((sum, [, count]) => sum + count, 0)
  const rank = Math.max(1, Math.ceil(total * share))
  let count = 0
  for (const [bucket, inBucket] of buckets) {
    count += inBucket
    if (count >= rank) return Number((shortestMs * 2 ** ((bucket + 0.5) / bucketsPerDoubling)).toPrecision(3))
  }
  return null
}
