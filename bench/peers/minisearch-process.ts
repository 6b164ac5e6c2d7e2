/**
 * MiniSearch behind node:http: `GET /?query=…` returns the ten best documents; with `prefix` it completes the last word, with `typos` it
 * corrects words. It keeps everything in memory only.
 */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import MiniSearch from 'minisearch'
import { sendJson, serveBare } from '#bench/http/bare'

// The weights of the demo's workspace file, unless others are given.
const [path, weights = 'words=0.5,definition=2,examples=0.3'] = process.argv.slice(2)
if (path === undefined) throw new Error('the file of documents is missing')

const documents = new Map<string, object>()
const boost = Object.fromEntries(
  weights.split(',').map(weight => {
    const [field = '', factor] = weight.split('=')
    return [field, Number(factor)]
  }),
)
const index = new MiniSearch({ fields: Object.keys(boost) })
for await (const line of createInterface({ input: createReadStream(path) })) {
  const document = JSON.parse(line)
  documents.set(document.id, document)
  index.add(document)
}

const isLast = (_word: string, place: number, words: string[]) => place === words.length - 1
/** As many as OpenSearch allows with AUTO. */
const countTypos = (word: string) => (word.length > 5 ? 2 : word.length > 2 ? 1 : 0)

serveBare((request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const options = {
    boost,
    ...(searchParams.has('prefix') && { prefix: isLast }),
    ...(searchParams.has('typos') && { fuzzy: countTypos }),
  }
  const hits = index.search(searchParams.get('query') ?? '', options).slice(0, 10)
  sendJson(
    response,
    JSON.stringify({ items: hits.map(({ id, score }) => ({ score, document: documents.get(id) })) }),
  )
})
