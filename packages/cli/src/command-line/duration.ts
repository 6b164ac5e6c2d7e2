/** Lengths of time as people write them. */
import { InvalidArgumentError } from 'commander'

const unitSeconds = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
])

/** Reads `90d`, `12h`, `30m`, `60s` as seconds within the bounds of a schema (`minimum`, `maximum`). */
export const secondsWithin = (schema: object): ((text: string) => number) => {
  // TypeBox keeps bounds in the schema but not in its type.
  const { minimum = 0, maximum = Number.POSITIVE_INFINITY }: { minimum?: number; maximum?: number } = schema
  return text => {
    const [, number, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
    const seconds = unitSeconds.get(unit)
    if (number === undefined || seconds === undefined)
      throw new InvalidArgumentError('Write a number and a unit: 30m, 12h, 90d.')
    const found = Number(number) * seconds
    if (found < minimum || found > maximum)
      throw new InvalidArgumentError(`Allowed are ${written(minimum)} to ${written(maximum)}.`)
    return found
  }
}

/** In the largest unit that leaves no rest. */
const written = (seconds: number): string => {
  const [unit = 's', size = 1] = [...unitSeconds].findLast(([, size]) => seconds % size === 0) ?? []
  return `${seconds / size}${unit}`
}
