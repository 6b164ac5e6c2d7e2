/** Pseudorandom numbers that are the same in every run. */

/** Returns a generator of numbers from 0 to 1 (exclusive) for a seed: mulberry32. */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns an integer below `end`. */
export const below = (random: () => number, end: number): number => Math.floor(random() * end)

/** Returns a rank below `end`, with about the frequencies of words (Zipf's law). */
export const zipf = (random: () => number, end: number): number =>
  Math.min(end - 1, Math.floor((end + 1) ** random()) - 1)

/** Picks one of the values. There must be at least one. */
export const pick = <T>(random: () => number, values: readonly T[]): T => {
  const value = values[below(random, values.length)]
  if (value === undefined) throw new Error('nothing to pick from')
  return value
}
