/**
 * Parses JSON and keeps every digit of its numbers. A number that a double cannot write again as it was, such as 9007199254740993 or 1.50, becomes an
 * object that `JSON.stringify` writes in the same digits (https://github.com/tc39/proposal-json-parse-with-source).
 */

/** TypeScript does not know these functions of JavaScript yet. */
interface ExactJson {
  /** Older browsers lack both. */
  rawJSON?(text: string): object
  isRawJSON?(value: unknown): value is { rawJSON: string }
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown
}
const exactJson = JSON as unknown as ExactJson

/** Numbers without these characters in a row are written as they were. */
const doubtful = /[0-9.]{16}|\.[0-9]*0(?![0-9])|[0-9][eE]|-0(?![.0-9])/

/** Throws SyntaxError. */
export const parseExactJson = (text: string): unknown =>
  doubtful.test(text)
    ? exactJson.parse(text, (_, value, { source }) =>
        typeof value === 'number' && source !== undefined && String(value) !== source
          ? exactJson.rawJSON?.(source)
          : value,
      )
    : JSON.parse(text)

/** Makes a number of any digits for `JSON.stringify`. Throws SyntaxError for other texts. */
export const makeRawNumber = (digits: string): object | number =>
  exactJson.rawJSON?.(digits) ?? Number(digits)

/** Returns the digits of a number that {@link parseExactJson} kept; undefined for other values. */
export const readRawNumber = (value: unknown): string | undefined =>
  exactJson.isRawJSON?.(value) ? value.rawJSON : undefined

/** Returns the nearest number for digits that were kept, and any other value as it is. */
export const toNumber = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  const digits = readRawNumber(value)
  return digits === undefined ? value : Number(digits)
}
