/**
 * Several values in one cell of CSV: `a|b`. Results are written so, and imports read it (workspace-file.md, CSV). What could be mistaken
 * is written as JSON: the text `a|b` as `"a|b"`, the list of `a|b` and `c` as `["a|b","c"]`.
 */

export const listSeparator = '|'

/** The parts of a cell between separators, without empty ones; undefined for a cell that is not a list. */
export const splitList = (cell: string): string[] | undefined => {
  if (!cell.includes(listSeparator)) return undefined
  const parts = cell.split(listSeparator).filter(part => part.trim() !== '')
  return parts.length === 0 ? undefined : parts
}

/** The text or the list of texts that a cell stands for. */
export const readTextCell = (cell: string): string | string[] => {
  const json = /^["[]/.test(cell) ? readJson(cell) : undefined
  if (Array.isArray(json) && json.every(item => typeof item === 'string')) return json
  // Quotes are part of a text that needs none.
  if (typeof json === 'string' && isMistakable(json)) return json
  const parts = splitList(cell)
  return parts?.length === 1 ? (parts[0] ?? cell) : (parts ?? cell)
}

/** The cell that {@link readTextCell} reads as this text, or as these if there are several; at least one. */
export const writeTextCell = (texts: readonly string[]): string => {
  const [only = ''] = texts
  if (texts.length <= 1) return isMistakable(only) ? JSON.stringify(only) : only
  const joined = texts.join(listSeparator)
  const read = readTextCell(joined)
  const isSame =
    Array.isArray(read) && read.length === texts.length && read.every((text, index) => text === texts[index])
  return isSame ? joined : JSON.stringify(texts)
}

/** Whether a text, as it is, would be read as something else. An empty cell is no value. */
const isMistakable = (text: string): boolean => text === '' || readTextCell(text) !== text

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
