/**
 * Numbers as they compare: whole numbers from -2^63 to 2^63 - 1 exactly, all others as 64-bit floating-point numbers (workspace-file.md, What a
 * field takes). The embedded engine does the same in packages/engine/src/numbers.rs.
 */
import { readRawNumber } from './exact-json.ts'

const wholePattern = /^[+-]?\d{16,40}(?:\.0*)?$/
const largestWhole = 2n ** 63n - 1n

/** Returns the digits of a whole number of 64 bits that JavaScript would write with others; undefined for all other texts. */
export const readLargeNumber = (text: string): string | undefined => {
  if (!wholePattern.test(text)) return undefined
  const integer = BigInt(text.replace(/^\+|\..*$/g, ''))
  const isWithin = integer <= largestWhole && integer >= -largestWhole - 1n
  return isWithin && String(Number(integer)) !== String(integer) ? String(integer) : undefined
}

const largeMin = 2 ** 53
const largeEnd = 2 ** 63

/** Whether the number stands for a whole number that engines compare by its digits. */
const isLarge = (number: number): boolean =>
  (number >= largeMin && number < largeEnd) || (number <= -largeMin && number >= -largeEnd)

/** Returns a number that compares exactly with `<`, `>` and `==`: of a number, kept digits, or the result of {@link readLargeNumber}. */
export const toExactNumber = (value: unknown): number | bigint | undefined => {
  const digits = typeof value === 'string' ? value : readRawNumber(value)
  if (digits !== undefined) {
    const large = readLargeNumber(digits)
    if (large !== undefined) return BigInt(large)
    if (typeof value === 'string') return undefined
  }
  const number = typeof value === 'number' ? value : digits === undefined ? undefined : Number(digits)
  if (number === undefined || !isLarge(number)) return number
  const integer = BigInt(String(number))
  // JavaScript writes -2^63 with digits that are less.
  return integer < -largestWhole - 1n ? -largestWhole - 1n : integer
}
