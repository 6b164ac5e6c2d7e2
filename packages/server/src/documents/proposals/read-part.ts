/** Finds whole records in a part of a file that begins and ends within a record. */

const lineFeed = 0x0a

/**
 * Returns the whole lines of a part, after the header line of `table` if it is one. Undefined if there are none, or if a cell seems to have a
 * line break: then nobody can tell where a record begins.
 */
export const readRecordPart = (part: Uint8Array, table: Uint8Array | undefined): Uint8Array | undefined => {
  const start = part.indexOf(lineFeed)
  const end = part.lastIndexOf(lineFeed)
  if (end <= start) return undefined
  const lines = part.subarray(start + 1, end + 1)
  if (table === undefined) return lines
  const headerEnd = findHeaderEnd(table)
  if (headerEnd < 0 || hasLineBreaks(lines)) return undefined
  return Buffer.concat([table.subarray(0, headerEnd), lines])
}

/** Returns the position after the header line, whose names may have line breaks in quotes; -1 if it has no end. */
const findHeaderEnd = (table: Uint8Array): number => {
  let quotes = 0
  for (const [index, byte] of table.entries()) {
    if (byte === quote) quotes += 1
    else if (byte === lineFeed && quotes % 2 === 0) return index + 1
  }
  return -1
}

/** Returns whether a cell below the header line has a line break. */
export const hasRowsOfLines = (table: Uint8Array): boolean => {
  const end = findHeaderEnd(table)
  return end < 0 || hasLineBreaks(table.subarray(end))
}

const quote = 0x22

/** Returns whether a cell in quotes has a line break: the line has an odd number of quotes. */
const hasLineBreaks = (table: Uint8Array): boolean => {
  let quotes = 0
  for (const byte of table) {
    if (byte === quote) quotes += 1
    else if (byte === lineFeed && quotes % 2 === 1) return true
  }
  return false
}

/** Limit of tried beginnings of objects, because a nested object looks the same. */
const startsMax = 200

/** Returns the whole items of a part of an array as an array, whose items have the attributes of the `first` ones. Undefined if there are none. */
export const readJsonPart = (
  part: Uint8Array,
  first: readonly Record<string, unknown>[],
): Uint8Array | undefined => {
  const text = new TextDecoder().decode(part)
  const names = new Set(first.flatMap(document => Object.keys(document)))
  const starts = text.matchAll(/\}\s*,\s*(?=\{)/g)
  let tries = 0
  for (const { index, 0: separator } of starts) {
    tries += 1
    if (tries > startsMax) return undefined
    const items = cutItems(text, index + separator.length)
    const [item] = items
    if (item !== undefined && hasKnownNames(item, names) && isLike(item, first))
      return Buffer.from(JSON.stringify(items))
  }
  return undefined
}

/** An item of another kind later in the file may have a few more attributes; a nested object has mostly others. */
const knownNamesMin = 0.6

const hasKnownNames = (item: Record<string, unknown>, names: ReadonlySet<string>): boolean => {
  const itemNames = Object.keys(item)
  return itemNames.filter(name => names.has(name)).length >= knownNamesMin * itemNames.length
}

/** Whether the item has most of the attributes that the first documents have. */
const isLike = (item: Record<string, unknown>, first: readonly Record<string, unknown>[]): boolean => {
  const names = first.slice(0, 20).map(document => Object.keys(document))
  return names.some(keys => keys.filter(key => Object.hasOwn(item, key)).length >= 0.8 * keys.length)
}

/** Returns the objects that follow one another from `start` on. */
const cutItems = (text: string, start: number): Record<string, unknown>[] => {
  const items: Record<string, unknown>[] = []
  let begin = start
  let depth = 0
  for (let index = start; index < text.length && depth >= 0; index += 1) {
    const character = text[index]
    if (character === '"') index = findTextEnd(text, index)
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') {
      depth -= 1
      if (depth !== 0) continue
      const item = parseObject(text.slice(begin, index + 1))
      if (item === undefined) break
      items.push(item)
    } else if (character === ',' && depth === 0) begin = index + 1
  }
  return items
}

/** Returns the position of the quote that ends a text; the end of the part if none does. */
const findTextEnd = (text: string, quoteAt: number): number => {
  let index = quoteAt + 1
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1
  return index
}

const parseObject = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    // JSON that is an object has text keys.
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
