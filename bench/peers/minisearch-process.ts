/** MiniSearch behind node:http: `GET /?query=…` returns the ten best documents. It keeps everything in memory only. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import MiniSearch from 'minisearch'
import { sendJson, serveBare } from '#bench/http/bare'

const [path] = process.argv.slice(2)
if (path === undefined) throw new Error('the file of documents is missing')

const documents = new Map<string, object>()
const index = new MiniSearch({ fields: ['words', 'definition', 'examples'] })
for await (const line of createInterface({ input: createReadStream(path) })) {
  const document = JSON.parse(line)
  documents.set(document.id, document)
  index.add(document)
}
// The weights of the demo's workspace file.
const boost = { words: 0.5, definition: 2, examples: 0.3 }

serveBare((request, response) => {
  const query = new URL(request.url ?? '/', 'http://localhost').searchParams.get('query') ?? ''
  const hits = index.search(query, { boost }).slice(0, 10)
  sendJson(
    response,
    JSON.stringify({ items: hits.map(({ id, score }) => ({ score, document: documents.get(id) })) }),
  )
})
