/** Durations as people write them: `90s`, `15m`, `24h`, `30d`. */

const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Returns a duration in seconds; undefined unless it is a whole number and a unit. */
export const readDuration = (duration: string): number | undefined => {
  const [, number, unit = ''] = /^([0-9]+)([smhd])$/.exec(duration) ?? []
  const size = secondsPerUnit[unit]
  return size === undefined ? undefined : Number(number) * size
}

/** Writes seconds in the largest unit that divides them. */
export const writeDuration = (seconds: number): string => {
  const [unit, size] = Object.entries(secondsPerUnit).findLast(([, size]) => seconds % size === 0) ?? ['s', 1]
  return `${seconds / size}${unit}`
}
