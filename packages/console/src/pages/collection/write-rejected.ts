/** The rejected documents of an import as a file that can be corrected and imported. */
import { isRejectedPlace, type PlaceRange, pickRejectedLines } from '@querent/contract/rejected-lines'
import { detectMediaType } from './detect-media-type.ts'
import { readJsonDocuments } from './read-sample.ts'
import { readText } from './read-text.ts'

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
    const lines: string[] = []
    for await (const line of pickRejectedLines(() => readText(file), places, type !== 'application/x-ndjson'))
      lines.push(line)
    return { name: `${stem}-rejected${ending}`, type, text: lines.join('') }
  }
  let fileText = ''
  for await (const part of readText(file)) fileText += part
  const documents = readJsonDocuments(fileText, rows).filter((_, index) => isRejectedPlace(places, index))
  return {
    name: `${stem}-rejected.ndjson`,
    type: 'application/x-ndjson',
    text: documents.map(document => `${JSON.stringify(document)}\n`).join(''),
  }
}

const splitName = (name: string): string[] =>
  /^(.*?)(\.[^.]*)$/.exec(name.replace(/\.gz$/i, ''))?.slice(1) ?? [name]
