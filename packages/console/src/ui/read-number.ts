/** Numbers as people type them. */

/** The numbers that a field takes. */
export interface AllowedNumbers {
  /** The least number, or a number below all that are allowed if `isAbove`. */
  min: number
  isAbove?: boolean
  max?: number
  isWhole?: boolean
}

const isAllowed = (
  number: number,
  { min, isAbove = false, max = Number.POSITIVE_INFINITY, isWhole = false }: AllowedNumbers,
): boolean =>
  Number.isFinite(number) &&
  (isAbove ? number > min : number >= min) &&
  number <= max &&
  (!isWhole || Number.isInteger(number))

const plain = /^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[+-]?\d+)?$/i
const grouped = /^[+-]?[1-9]\d{0,2}(?:([.,'’ \u00A0\u202F])\d{3})(?:\1\d{3})*$/

/** Returns the allowed numbers that the text can be read as: `1,000` is 1 in one country and 1000 in another. */
export const listReadings = (text: string, allowed: AllowedNumbers): number[] => {
  // Office programs write the minus sign where keyboards have a hyphen.
  const typed = text.trim().replace('\u2212', '-')
  const readings = [
    ...(plain.test(typed) ? [Number(typed.replace(',', '.'))] : []),
    ...(grouped.test(typed) ? [Number(typed.replaceAll(/[^\d+-]/g, ''))] : []),
  ]
  // A whole number has no decimals, so that a sign in it can only group its digits.
  return readings.slice(allowed.isWhole ? -1 : 0).filter(number => isAllowed(number, allowed))
}

/** Returns the number that the text says; NaN unless it says exactly one that is allowed. */
export const readNumber = (text: string, allowed: AllowedNumbers): number => {
  const [number = Number.NaN, ...others] = listReadings(text, allowed)
  return others.length === 0 ? number : Number.NaN
}
