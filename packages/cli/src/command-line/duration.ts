/** Parses durations as people write them. */
import { InvalidArgumentError } from 'commander'

const unitSeconds = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
])

/** Returns a parser of `90d`, `12h`, `30m` and `60s` to seconds, within the `minimum` and `maximum` of the schema. */
export const durationParser = (schema: object): ((text: string) => number) => {
  // TypeBox keeps bounds in the schema but not in its type.
  const { minimum = 0, maximum = Number.POSITIVE_INFINITY }: { minimum?: number; maximum?: number } = schema
  return text => {
    const [, number, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
    const seconds = unitSeconds.get(unit)
    if (number === undefined || seconds === undefined)
      throw new InvalidArgumentError('Write a number and a unit: 30m, 12h, 90d.')
    const total = Number(number) * seconds
    if (total < minimum || total > maximum)
      throw new InvalidArgumentError(`Allowed are ${formatDuration(minimum)} to ${formatDuration(maximum)}.`)
    return total
  }
}

/** Uses the largest unit that divides the duration. */
const formatDuration = (seconds: number): string => {
  const [unit = 's', size = 1] = [...unitSeconds].findLast(([, size]) => seconds % size === 0) ?? []
  return `${seconds / size}${unit}`
}
