/** The documents of a JSON file as an import reads them, for programs that hold the file. */
import { readJsonRows } from '#documents/json-rows'
import { readJsonText } from '#documents/text-encoding'

export interface JsonDocument {
  /** Position in the list, from 0. */
  index: number
  /** JSON in one line, with all digits of its numbers. */
  text: string
}

/** Yields the documents in their order. `rows`: path of the list inside an object, if it is not the longest. */
export async function* listJsonDocuments(
  source: AsyncIterable<Uint8Array>,
  rows?: string,
): AsyncGenerator<JsonDocument> {
  for await (const lines of readJsonRows(readJsonText(source), rows))
    for (const { index = 0, text, document } of lines) {
      const json = document === undefined ? text : JSON.stringify(document)
      // Line ends in JSON are blanks: those of texts are escaped.
      yield { index, text: json.replaceAll(/[\r\n]+\s*/g, ' ').trim() }
    }
}
