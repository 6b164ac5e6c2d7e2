/** Converts values into their indexed form: dates are microseconds since 1970. */
import { readRawNumber } from '@querent/contract/exact-json'
import { valueFunctions } from '@querent/engine'

/** A clause of OpenSearch's query language. */
export type Clause = Record<string, unknown>

/** Returns the moments that a date or a date-time stands for, in microseconds since 1970, both ends inclusive. */
export const readDate = (text: string): { from: bigint; to: bigint } | undefined =>
  valueFunctions().parseDate(text) ?? undefined

/** Formats a moment in UTC, without trailing zeros in the fraction. */
export const dateText = (micros: bigint): string => valueFunctions().dateText(micros)

/** A number as the index has it. `large`: the digits of a whole number from 2^53 or down to -2^63, which `float` may not have. */
export interface IndexedNumber {
  float: number
  large?: string
}

/** Parses a number; returns undefined for other texts. */
export const readNumber = (text: string): IndexedNumber | undefined =>
  valueFunctions().parseNumber(text) ?? undefined

/** Reads a number of a plan or a document; returns undefined for other values. */
export const toIndexedNumber = (value: unknown): IndexedNumber | undefined => {
  const digits = typeof value === 'object' && value !== null ? readRawNumber(value) : undefined
  if (digits !== undefined) return readNumber(digits)
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  if (Math.abs(value) < 2 ** 53) return { float: value === 0 ? 0 : value }
  return readNumber(String(value))
}

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
