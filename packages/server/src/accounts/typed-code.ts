/** Codes as people type them: with spaces, dashes, and the digits and letters of their keyboard. */

/** Returns letters and digits of a typed code, in compatibility form (NFKC) and with ASCII digits. */
export const readTypedCode = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{Nd}]/gu, '')
    .replaceAll(/\p{Nd}/gu, digit => String(readDigit(digit)))

const isDigit = (codePoint: number): boolean => /^\p{Nd}$/u.test(String.fromCodePoint(codePoint))

/** Unicode has the decimal digits of each script in a row, from zero to nine (section 4.6). */
const readDigit = (digit: string): number => {
  const codePoint = digit.codePointAt(0) ?? 0
  let preceding = 0
  while (preceding < 100 && isDigit(codePoint - preceding - 1)) preceding += 1
  return preceding % 10
}
