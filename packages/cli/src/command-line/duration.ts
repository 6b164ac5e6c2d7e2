/** Options that take a duration. */
import { readDuration, writeDuration } from '@querent/contract/duration'
import { InvalidArgumentError } from 'commander'

/** Returns a parser of `90d`, `12h`, `30m` and `60s` to seconds, within the `minimum` and `maximum` of the schema. */
export const durationParser = (schema: object): ((text: string) => number) => {
  // TypeBox keeps bounds in the schema but not in its type.
  const { minimum = 0, maximum = Number.POSITIVE_INFINITY }: { minimum?: number; maximum?: number } = schema
  return text => {
    const seconds = readDuration(text)
    if (seconds === undefined) throw new InvalidArgumentError('Write a number and a unit: 30m, 12h, 90d.')
    if (seconds < minimum || seconds > maximum)
      throw new InvalidArgumentError(`Allowed are ${writeDuration(minimum)} to ${writeDuration(maximum)}.`)
    return seconds
  }
}
