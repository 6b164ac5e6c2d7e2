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

/** Lines stay as they are, below the header line of a table. Documents of a JSON list become lines. */
export const writeRejected = async (file: File, places: readonly PlaceRange[]): Promise<RejectedFile> => {
  const type = await detectMediaType(file)
  const [stem = '', ending = ''] = splitName(file.name)
  if (type !== 'application/json') {
    const text = await readLines(file, places, type !== 'application/x-ndjson')
    return { name: `${stem}-rejected${ending}`, type, text }
  }
  let fileText = ''
  for await (const part of readText(file)) fileText += part
  const documents = readJsonDocuments(fileText).filter((_, index) => isInside(places, index))
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
  const lines: string[] = []
  let number = 0
  let isOpen = false
  let position = 0
  for await (const line of splitLines(file)) {
    number += 1
    while ((places[position]?.[1] ?? Number.POSITIVE_INFINITY) < number) position += 1
    const starts = number >= (places[position]?.[0] ?? Number.POSITIVE_INFINITY) || (isTable && number === 1)
    if (!starts && !isOpen) continue
    lines.push(line)
    const quotes = line.split('"').length - 1
    isOpen = isTable && (isOpen && !starts) !== (quotes % 2 === 1)
  }
  return lines.map(line => `${line}\n`).join('')
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
