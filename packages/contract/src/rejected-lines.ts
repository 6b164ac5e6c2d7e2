/** The rejected lines of an imported file, to correct and import them. */

/** Lines, or positions in a JSON list, both ends included. */
export type PlaceRange = readonly number[]

/** Opens the text of the file from its start, in pieces. The encoding is that of the import. */
type OpenText = () => AsyncIterable<string>

/**
 * Yields the lines at the places, counted from 1 and in order, each with a line feed. A table (`isTable`) begins with its header line and what is above it, and a
 * record of it goes on to the line that closes its quotes.
 */
export async function* pickRejectedLines(
  openText: OpenText,
  places: readonly PlaceRange[],
  isTable: boolean,
): AsyncGenerator<string> {
  const headerEnd = isTable ? await findHeader(openText, places[0]?.[0] ?? 1) : 0
  let number = 0
  let isOpen = false
  let position = 0
  for await (const line of splitLines(openText())) {
    number += 1
    while ((places[position]?.[1] ?? Number.POSITIVE_INFINITY) < number) position += 1
    const starts = number >= (places[position]?.[0] ?? Number.POSITIVE_INFINITY) || number <= headerEnd
    if (!starts && !isOpen) continue
    yield `${line}\n`
    const quotes = line.split('"').length - 1
    isOpen = isTable && (isOpen && !starts) !== (quotes % 2 === 1)
  }
}

/** Returns `rejectedAt` of a reply, or the places of its errors if it has none. */
export const listRejectedPlaces = ({
  errors,
  rejectedAt,
}: {
  errors: readonly { line?: number; index?: number }[]
  rejectedAt?: readonly PlaceRange[]
}): readonly PlaceRange[] =>
  rejectedAt ??
  errors.flatMap(({ line, index }) => {
    const place = index ?? line
    return place === undefined ? [] : [[place, place]]
  })

export const isRejectedPlace = (places: readonly PlaceRange[], place: number): boolean =>
  places.some(([first = 0, last = 0]) => place >= first && place <= last)

/** A title or comments above the header line are shorter. */
const headerLinesMax = 30

/** Returns the number of the header line: the first one with as many cells as the line `rejectedAt`, of which several have a text. */
const findHeader = async (openText: OpenText, rejectedAt: number): Promise<number> => {
  const firstLines: string[] = []
  let rejected = ''
  let number = 0
  for await (const line of splitLines(openText())) {
    number += 1
    if (number <= headerLinesMax) firstLines.push(line)
    if (number === rejectedAt) rejected = line
    if (number >= rejectedAt && number >= headerLinesMax) break
  }
  const splitCells = (line: string, delimiter: string) => line.replaceAll(/"[^"]*"/g, 'x').split(delimiter)
  const [delimiter = ','] = [',', ';', '\t', '|'].toSorted(
    (one, next) => splitCells(rejected, next).length - splitCells(rejected, one).length,
  )
  const cells = splitCells(rejected, delimiter).length
  const isHeader = (line: string) => {
    const header = splitCells(line, delimiter)
    return header.length === cells && (cells === 1 || header.filter(cell => cell.trim() !== '').length > 1)
  }
  // A header line with line breaks has fewer cells in its first line.
  return Math.max(firstLines.slice(0, rejectedAt - 1).findIndex(isHeader) + 1, 1)
}

async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  /** Excel for Mac ended lines with CR alone. */
  let lineEnd: string | undefined
  for await (const piece of text) {
    const open = rest + piece
    if (lineEnd === undefined && /\n|\r[^\n]/.test(open)) lineEnd = open.includes('\n') ? '\n' : '\r'
    const parts = lineEnd === undefined ? [open] : open.split(lineEnd)
    rest = parts.pop() ?? ''
    for (const part of parts) yield part.replace(/^\ufeff|\r$/g, '')
  }
  if (rest !== '') yield rest.replace(/^\ufeff/, '')
}
