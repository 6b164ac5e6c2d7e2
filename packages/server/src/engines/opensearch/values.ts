/** Converts values into their indexed form: dates are microseconds since 1970. */
import { valueFunctions } from '@querent/engine'

/** A clause of OpenSearch's query language. */
export type Clause = Record<string, unknown>

/** Returns the moments that a date or a date-time stands for, in microseconds since 1970, both ends inclusive. */
export const readDate = (text: string): { from: bigint; to: bigint } | undefined =>
  valueFunctions().parseDate(text) ?? undefined

/** Formats a moment in UTC, without trailing zeros in the fraction. */
export const dateText = (micros: bigint): string => valueFunctions().dateText(micros)

/** Parses a number; returns undefined for other texts. */
export const readNumber = (text: string): number | undefined =>
  valueFunctions().parseNumber(text) ?? undefined

/** Turns -0 into 0. */
export const plainZero = (number: number): number => (number === 0 ? 0 : number)

/** Returns the smallest 32-bit float above a positive one. */
export function nextFloat(number: number): number {
  floats[0] = number
  bits[0] = (bits[0] ?? 0) + 1
  return floats[0]
}

/** Returns the largest 32-bit float below a positive one. */
export function previousFloat(number: number): number {
  floats[0] = number
  bits[0] = (bits[0] ?? 0) - 1
  return floats[0]
}

const floats = new Float32Array(1)
const bits = new Int32Array(floats.buffer)

/** Returns the shortest decimal number that rounds to this 32-bit float. */
export function shortestDecimal(float: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(float.toPrecision(digits))
    if (Math.fround(short) === float) return short
  }
  return Number(float.toPrecision(9))
}
