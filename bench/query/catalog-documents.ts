/** The documents of the engine's catalog (`#bench/engine/corpus`), imported over HTTP. */
import { type BenchDocument, catalog } from '#bench/engine/corpus'
import { type Account, fetchToken, type Served } from '#bench/http/querent'

const documentsAnImport = 100_000
const documentsAtOnce = 1_000
const { workspace } = catalog

export type DocumentAt = (index: number) => BenchDocument

/** Documents as the collection reads them. Its `uri` template completes the id of the field. */
function* makeLines(documentAt: DocumentAt, from: number): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  for (let start = from; start < from + documentsAnImport; start += documentsAtOnce) {
    let text = ''
    for (let index = start; index < start + documentsAtOnce; index++)
      text += `${JSON.stringify({ ...documentAt(index), id: String(index) })}\n`
    yield encoder.encode(text)
  }
}

const importSome = async ({ baseUrl }: Served, token: string, lines: Iterable<Uint8Array>): Promise<void> => {
  const reply = await fetch(`${baseUrl}/4/${workspace}/collections/products/documents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body: ReadableStream.from(lines),
    duplex: 'half',
  })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`the import was answered with ${reply.status}: ${text}`)
  // The contract's reply to an import.
  const { accepted } = JSON.parse(text) as { accepted: number }
  if (accepted !== documentsAnImport) throw new Error(`only ${accepted} documents were accepted: ${text}`)
}

/** Imports the first `count` documents, a multiple of 100,000. */
export const importDocuments = async (
  served: Served,
  importer: Account,
  documentAt: DocumentAt,
  count: number,
): Promise<void> => {
  for (let first = 0; first < count; first += documentsAnImport)
    await importSome(served, await fetchToken(served, importer), makeLines(documentAt, first))
}
