/** Numbers that look random and are the same in every run. */

/** Numbers of 0 to 1 (exclusive) from a seed: mulberry32. */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A whole number below `end`. */
export const below = (random: () => number, end: number): number => Math.floor(random() * end)

/** A rank below `end`, low ones more often: about as often as words by their frequency (Zipf's law). */
export const zipf = (random: () => number, end: number): number =>
  Math.min(end - 1, Math.floor((end + 1) ** random()) - 1)

/** One of the values; there is at least one. */
export const pick = <T>(random: () => number, values: readonly T[]): T => {
  const value = values[below(random, values.length)]
  if (value === undefined) throw new Error('nothing to pick from')
  return value
}
