/** Samples of metrics, and the durations that histograms are made of. */

export type Labels = Record<string, string>
export interface Sample {
  labels: Labels
  value: number
  /** Set if it differs from the name of the metric. */
  metricName?: string
}

/** Upper bounds in seconds: most queries take less than a millisecond, none more than its deadline. */
const bucketBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Data of a histogram. */
export interface Durations {
  /** Counts by upper bound; the last one is for durations beyond all bounds. */
  buckets: number[]
  seconds: number
}

export const createDurations = (): Durations => ({
  buckets: Array<number>(bucketBounds.length + 1).fill(0),
  seconds: 0,
})

export const addDuration = (durations: Durations, ms: number): void => {
  const seconds = ms / 1000
  let bucket = 0
  while (bucket < bucketBounds.length && seconds > (bucketBounds[bucket] ?? 0)) bucket += 1
  durations.buckets[bucket] = (durations.buckets[bucket] ?? 0) + 1
  durations.seconds += seconds
}

export const toSample = (value: number | undefined): Sample[] =>
  value === undefined ? [] : [{ labels: {}, value }]

export interface Lookups {
  labels: Labels
  hits: number
  misses: number
}
export const toLookupSamples = ({ labels, hits, misses }: Lookups): Sample[] => [
  { labels: { ...labels, result: 'hit' }, value: hits },
  { labels: { ...labels, result: 'miss' }, value: misses },
]

export const toHistogramSamples = (
  name: string,
  { labels, durations: { buckets, seconds } }: { labels: Labels; durations: Durations },
): Sample[] => {
  let count = 0
  const cumulative = buckets.map((inBucket, index) => {
    count += inBucket
    return {
      metricName: `${name}_bucket`,
      labels: { ...labels, le: String(bucketBounds[index] ?? '+Inf') },
      value: count,
    }
  })
  return [
    ...cumulative,
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
