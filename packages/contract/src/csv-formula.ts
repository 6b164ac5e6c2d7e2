/** Text in CSV cells that a spreadsheet would run as a formula (https://owasp.org/www-community/attacks/CSV_Injection). */

/**
 * Spreadsheets skip blanks and invisible characters before the sign, so those do not hide it. A text with apostrophes before a formula
 * gets one more, so that {@link unescapeFormula} gives every text back.
 */
const formula = /^'*(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u

/** The text of a cell with an apostrophe before it if a spreadsheet could take it for a formula; any other text unchanged. */
export const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text)

/** The text that {@link escapeFormula} made this cell of. */
export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell
