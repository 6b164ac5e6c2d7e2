/** Tells a record of values from a header line, by the records below it. */

/** Begins a comment. */
export const commentMark = /^(?:#|\/\/|%)/

const number = /^-?(\d+\.\d+|\d+)(e[+-]?\d+)?$/i
const date = /^\d{4}-\d\d-\d\d|^\d{1,2}[./]\d{1,2}[./]\d{4}|^\d{1,2} [A-Z][a-z]{2} \d{4}\b/
/** Hashes and addresses. */
const address = /^[0-9a-f]{16,}$|^[\w.+-]+@[\w-]+\.\w|^https?:\/\//i
const mediaType = /^[a-z]+\/[\w.+-]+$/
/** Characters of Unicode, also ranges and sequences of them. */
const codePoints = /^(?:U\+)?(?:(?=[A-F]*\d)[\dA-F]{4,6}|[A-F]{4})(?:(?:\.\.|[ -])[\dA-F]{4,6})*$/
/** A header may have years. */
const yearMin = 1000
const yearMax = 2100
const rowsMin = 3
const sortedWordsMin = 20
/** A shorter text is a value. */
const codeCharactersMax = 2

/** Whether the record has values rather than names: a number or a date over a column of them. Years and numbers in order are names. */
export const isData = (record: readonly string[], rows: readonly string[][]): boolean => {
  if (rows.length < rowsMin) return false
  if (record.length === 1) return isPlainList([record, ...rows].map(([cell = '']) => cell))
  const cells = record.map(cell => cell.trim())
  const numbers = cells.filter(cell => number.test(cell)).map(Number)
  const isSequence =
    numbers.length > 1 &&
    numbers.every((value, index) => index === 0 || value === (numbers[index - 1] ?? 0) + 1)
  const isYears = numbers.every(value => Number.isInteger(value) && value >= yearMin && value <= yearMax)
  const hasPattern = (pattern: RegExp) =>
    cells.some(
      (cell, index) =>
        pattern.test(cell) &&
        rows.filter(row => pattern.test(row[index]?.trim() ?? '')).length >= 0.8 * rows.length,
    )
  return (
    hasPattern(date) ||
    hasPattern(address) ||
    hasPattern(mediaType) ||
    (!cells.every(isNumber) && hasPattern(codePoints)) ||
    (numbers.length > 0 && !isSequence && !isYears && hasPattern(number)) ||
    isVersion(cells, rows) ||
    isRepeated(cells, rows) ||
    isCode(cells, rows)
  )
}

/** Whether the cell is a number, with blanks around it. */
export const isNumber = (cell: string): boolean => number.test(cell.trim())

/** Whether cells of the record are values of their columns: they occur there again, or the first record has no value where others have one. */
const isRepeated = (cells: readonly string[], rows: readonly string[][]): boolean => {
  const otherRows = rows.filter(row => row.join('\n') !== cells.join('\n'))
  const listValues = (index: number) =>
    new Set(otherRows.map(row => row[index]?.trim() ?? '').filter(cell => cell !== ''))
  // The only value of a column may be its name, as a mark.
  const occurs = (cell: string, index: number) => listValues(index).has(cell) && listValues(index).size > 1
  const repeated = cells.filter((cell, index) => cell !== '' && occurs(cell, index)).length
  // Names of rows have no name often.
  const missing = cells.filter(
    (cell, index) => index > 0 && cell === '' && otherRows.some(row => (row[index]?.trim() ?? '') !== ''),
  ).length
  const isRepeatedCode = cells.some((cell, index) => /\d/.test(cell) && occurs(cell, index))
  return repeated > 1 || (repeated === 1 && missing > 0) || isRepeatedCode
}

const countShare = <T>(items: readonly T[], test: (item: T) => boolean): number =>
  items.filter(test).length / Math.max(items.length, 1)

/** Whether a number with decimals is above texts with digits, such as versions. */
const isVersion = (cells: readonly string[], rows: readonly string[][]): boolean =>
  cells.some(
    (cell, index) => /^\d+\.\d+$/.test(cell) && countShare(rows, row => /\d/.test(row[index] ?? '')) > 0.8,
  )

/** Names with a number, such as those of columns that have no better one. */
const numberedName = /^[\p{L} _-]+[ _-]?\d+$/u
/** As in a list of codes with their names, such as `AAA` and `Avolites Ltd`. */
const upperCode = /^[A-Z]{2,4}$/
const orderedRowsMin = 15

/** Whether a cell is a code like those below it: it has digits and signs at the same places, or codes of capital letters begin the rows in order. */
const isCode = (cells: readonly string[], rows: readonly string[][]): boolean => {
  const isLikeOthers = cells.some((cell, index) => {
    if (!/\d/.test(cell) || number.test(cell) || numberedName.test(cell)) return false
    const form = readForm(cell)
    return rows.filter(row => readForm(row[index]?.trim() ?? '') === form).length >= 0.9 * rows.length
  })
  const codes = [cells, ...rows].map(([code = '']) => code.trim())
  const isOrdered = codes.every((code, index) => upperCode.test(code) && (codes[index - 1] ?? '') <= code)
  const isNamed = cells.some(cell => usualNames.test(cell))
  return isLikeOthers || (isOrdered && codes.length >= orderedRowsMin && !isNamed)
}

/** Writes `x` for hexadecimal numbers, `9` for others, and `a` for words. */
const readForm = (cell: string): string =>
  cell
    .replaceAll(/(?<![\p{L}\d])(?=[A-F]*\d|[A-F]{4})[\dA-F]{4,6}(?![\p{L}\d])/gu, 'x')
    .replaceAll(/\d+/g, '9')
    .replaceAll(/\p{L}+/gu, word => (word === 'x' ? 'x' : 'a'))

/** Names that people give to a single column. */
const usualNames =
  /^(?:#|n[ao]me?|names|title|word|words|term|terms|text|value|values|key|keyword|keywords|id|ids|code|codes|sku|url|urls|link|e-?mail|emails?|address|city|country|state|domain|host|ip|nr|no|user|users|tag|tags|label|category|item|items|query|queries|phrase|sentence|line|date|number|phone|product|products|isbn|doi)$/i

/** Whether texts are a list without a name: they are in order, the first one too, or the first one is a word like the others, and no usual name. */
const isPlainList = (texts: readonly string[]): boolean => {
  if (texts.length <= sortedWordsMin) return false
  const isSorted = texts.every((text, index) => index === 0 || (texts[index - 1] ?? '') <= text)
  const [first = '', ...others] = texts
  const isLike = (test: (text: string) => boolean) => test(first) && countShare(others, test) > 0.8
  const form = readForm(first)
  return (
    isSorted ||
    isLike(text => date.test(text)) ||
    isLike(text => /\d/.test(text) && /\s/.test(text) && readForm(text) === form) ||
    (!usualNames.test(first) && (first.length <= codeCharactersMax || isListItem(first, others)))
  )
}

/** Texts of which a list may consist: words in small letters, names of hosts, media types. */
const listItems = [/^\p{Ll}+$/u, /^[a-z\d*!-]+(?:\.[a-z\d-]+)+$/, mediaType]

/** Whether the first text is like most others: the header line of a list is not. */
const isListItem = (first: string, others: readonly string[]): boolean =>
  listItems.some(
    item => item.test(first) && others.filter(other => item.test(other)).length > 0.8 * others.length,
  )
