/** The rejected documents of an import as a file that can be corrected and imported. */
import { detectMediaType } from './detect-media-type.ts'
import { readJsonDocuments } from './read-sample.ts'
import { readText } from './read-text.ts'
import type { PlaceRange } from './rejected-places.ts'

export interface RejectedFile {
  name: string
  type: string
  text: string
}

/**
 * Lines stay as they are, below the header line of a table and what is above it. Documents of a JSON list become lines. `rows`: path of the list that was
 * imported, if it is not the longest.
 */
export const writeRejected = async (
  file: File,
  places: readonly PlaceRange[],
  rows?: string,
): Promise<RejectedFile> => {
  const type = await detectMediaType(file)
  const [stem = '', ending = ''] = splitName(file.name)
  if (type !== 'application/json') {
    const text = await readLines(file, places, type !== 'application/x-ndjson')
    return { name: `${stem}-rejected${ending}`, type, text }
  }
  let fileText = ''
  for await (const part of readText(file)) fileText += part
  const documents = readJsonDocuments(fileText, rows).filter((_, index) => isInside(places, index))
  return {
    name: `${stem}-rejected.ndjson`,
    type: 'application/x-ndjson',
    text: documents.map(document => `${JSON.stringify(document)}\n`).join(''),
  }
}

const splitName = (name: string): string[] =>
  /^(.*?)(\.[^.]*)$/.exec(name.replace(/\.gz$/i, ''))?.slice(1) ?? [name]

const isInside = (places: readonly PlaceRange[], place: number): boolean =>
  places.some(([first = 0, last = 0]) => place >= first && place <= last)

/** Returns the lines at the places, counted from 1. A record of a table goes on to the line that closes its quotes. */
const readLines = async (file: File, places: readonly PlaceRange[], isTable: boolean): Promise<string> => {
  const headerEnd = isTable ? await findHeader(file, places[0]?.[0] ?? 1) : 0
  const lines: string[] = []
  let number = 0
  let isOpen = false
  let position = 0
  for await (const line of splitLines(file)) {
    number += 1
    while ((places[position]?.[1] ?? Number.POSITIVE_INFINITY) < number) position += 1
    const starts = number >= (places[position]?.[0] ?? Number.POSITIVE_INFINITY) || number <= headerEnd
    if (!starts && !isOpen) continue
    lines.push(line)
    const quotes = line.split('"').length - 1
    isOpen = isTable && (isOpen && !starts) !== (quotes % 2 === 1)
  }
  return lines.map(line => `${line}\n`).join('')
}

/** A title or comments above the header line are shorter. */
const headerLinesMax = 30

/** Returns the number of the header line: the first one with as many cells as the line `rejectedAt`, of which several have a text. */
const findHeader = async (file: File, rejectedAt: number): Promise<number> => {
  const firstLines: string[] = []
  let rejected = ''
  let number = 0
  for await (const line of splitLines(file)) {
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

async function* splitLines(file: File): AsyncGenerator<string> {
  let rest = ''
  for await (const text of readText(file)) {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) yield part.replace(/^\ufeff|\r$/g, '')
  }
  if (rest !== '') yield rest.replace(/^\ufeff/, '')
}
