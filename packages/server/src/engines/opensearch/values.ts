/** Converts values into their indexed form: dates are microseconds since 1970 (see packages/engine/src/values.rs). */

/** A clause of OpenSearch's query language. */
export type Clause = Record<string, unknown>

/**
 * Returns the moments that a date stands for, in microseconds since 1970, both ends inclusive: one moment for an RFC 3339 date-time, a
 * whole UTC day for a date.
 */
export function readDate(text: string): { from: bigint; to: bigint } | undefined {
  const parts =
    /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d)))?$/.exec(text)
  if (parts === null) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', sign, zoneHour = '0', zoneMinute = '0'] =
    parts
  const midnight = new Date(0).setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  if (new Date(midnight).getUTCMonth() !== Number(month) - 1 || Number(day) === 0) return undefined
  const start = BigInt(midnight) * 1000n
  if (hour === undefined) return { from: start, to: start + dayMicros - 1n }
  // RFC 3339 section 5.6 allows second 60, a leap second, which Unix time cannot express.
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined
  if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) return undefined
  const zone = (Number(zoneHour) * 60 + Number(zoneMinute)) * 60 * (sign === '-' ? -1 : 1)
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Math.min(Number(second), 59) - zone
  const moment = start + BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6))
  return { from: moment, to: moment }
}

const dayMicros = 24n * 60n * 60n * 1_000_000n

/** Formats a moment in UTC, without trailing zeros in the fraction. */
export function dateText(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = Number((micros - fraction) / 1_000_000n)
  const dateTime = new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, '')
  const digits = String(fraction).padStart(6, '0').replace(/0+$/, '')
  return `${dateTime}${digits === '' ? '' : `.${digits}`}Z`
}

/** Parses a number; returns undefined for other texts. */
export function readNumber(text: string): number | undefined {
  const number = /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(number) ? plainZero(number) : undefined
}

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
