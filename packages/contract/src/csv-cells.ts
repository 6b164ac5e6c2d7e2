/**
 * Reads and writes cells of CSV, for results and imports (workspace-file.md, CSV). A cell with several values is written `a|b`. An ambiguous
 * cell is written as JSON: the text `a|b` as `"a|b"`, the list of `a|b` and `c` as `["a|b","c"]`. Text that a spreadsheet would run as a
 * formula gets an apostrophe (https://owasp.org/www-community/attacks/CSV_Injection).
 */

export const listSeparator = '|'

/** Splits a cell at its separators and drops empty parts. Returns undefined for a cell that is not a list. */
export const splitList = (cell: string): string[] | undefined => {
  if (!cell.includes(listSeparator)) return undefined
  const parts = cell.split(listSeparator).filter(part => part.trim() !== '')
  return parts.length === 0 ? undefined : parts
}

const quoted = /^"([^"]+)"$/

/**
 * Splits a text at the separator of its field, without blanks around the parts, empty parts, and quotes that all parts have: `"vip","new"`.
 * Returns undefined for one value.
 */
export const splitAt = (text: string, separator: string): string[] | undefined => {
  if (!text.includes(separator) && !quoted.test(text)) return undefined
  const parts = text.split(separator).flatMap(part => part.trim() || [])
  if (parts.length === 0) return undefined
  return parts.every(part => quoted.test(part)) ? parts.map(part => part.slice(1, -1)) : parts
}

/** Reads the cell of a field with a separator: the list in it, or its text. A list as results write it counts too. */
export const readSeparatedCell = (cell: string, separator: string): string | string[] => {
  const read = readTextCell(cell)
  if (Array.isArray(read)) return read
  const parts = splitAt(read, separator) ?? [read]
  return parts.length === 1 ? (parts[0] ?? read) : parts
}

/** Reads the text, or the list of texts, in a cell. */
export const readTextCell = (cell: string): string | string[] => {
  const json = /^["[]/.test(cell) ? readJson(cell) : undefined
  if (Array.isArray(json) && json.every(item => typeof item === 'string')) return json
  // If the text needs no quotes, the quotes are part of it.
  if (typeof json === 'string' && isAmbiguous(json)) return json
  const parts = splitList(cell)
  return parts?.length === 1 ? (parts[0] ?? cell) : (parts ?? cell)
}

/** Writes one or more texts as a cell, so that {@link readTextCell} returns them. */
export const writeTextCell = (texts: readonly string[]): string => {
  const [first = ''] = texts
  if (texts.length <= 1) return isAmbiguous(first) ? JSON.stringify(first) : first
  const joined = texts.join(listSeparator)
  const read = readTextCell(joined)
  const isSame =
    Array.isArray(read) && read.length === texts.length && read.every((text, index) => text === texts[index])
  return isSame ? joined : JSON.stringify(texts)
}

/** Returns whether {@link readTextCell} would read the text differently. An empty cell has no value. */
const isAmbiguous = (text: string): boolean => text === '' || readTextCell(text) !== text

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Spreadsheets skip blanks and invisible characters before the sign, so the pattern skips them too. Text with apostrophes before a formula
 * gets one more, so that {@link unescapeFormula} restores every text.
 */
const formulaPattern = /^'*(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u

/** Adds an apostrophe if a spreadsheet could take the text for a formula. */
export const escapeFormula = (text: string): string => (formulaPattern.test(text) ? `'${text}` : text)

/** Reverses {@link escapeFormula}. */
export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && formulaPattern.test(cell) ? cell.slice(1) : cell
