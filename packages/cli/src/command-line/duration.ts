/** Lengths of time as people write them. */
import { InvalidArgumentError } from 'commander'

const unitSeconds = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
])

/** `90d`, `12h`, `30m`, `60s` in seconds. */
export const readSeconds = (text: string): number => {
  const [, number, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const seconds = unitSeconds.get(unit)
  if (number === undefined || seconds === undefined)
    throw new InvalidArgumentError('Write a number and a unit: 30m, 12h, 90d.')
  return Number(number) * seconds
}
