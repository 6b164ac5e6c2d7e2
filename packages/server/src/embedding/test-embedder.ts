/**
 * A small model server with the embeddings API, for tests. Its model knows a few groups of words with the same meaning. It can be slow,
 * fail, limit its rate, hang, or answer with something else.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'

/** Words of each dimension. Other words have no meaning. */
const meanings = [
  ['car', 'automobile', 'vehicle', 'engine'],
  ['river', 'stream', 'water'],
  ['bank', 'money', 'coin'],
  ['cat', 'kitten', 'pet'],
  ['tree', 'forest', 'wood'],
  ['bread', 'bakery', 'flour'],
  ['song', 'music', 'melody'],
]
/** One more, so that texts without a known word have a vector too. */
export const testDimensions = meanings.length + 1

/** The vector of the model for a text. */
export const testVector = (text: string): number[] => {
  const words = text.toLowerCase().split(/\W+/)
  return [...meanings.map(group => words.filter(word => group.includes(word)).length), 0.1]
}

export type Behavior =
  | 'well'
  | 'hang'
  | 'garbage'
  | 'not-json'
  | 'wrong-dimensions'
  | 'wrong-count'
  | 'repeated-index'
  | 'text-instead-of-numbers'
  | 'too-long'
  | 'redirect'
  | { status: number; retryAfter?: string }
  | { slowMs: number }

export interface TestEmbedder {
  /** Base address of the API. */
  url: string
  host: string
  /** Requests so far: their texts and headers. */
  requests: { texts: string[]; model: string; authorization: string | undefined }[]
  behavior: Behavior
  /** A text with this word is rejected with status 400. */
  poison: string | undefined
  /** The longest text that the model accepts. */
  charsMax: number
  /** Most requests that were open at once. */
  openMax: number
  close(): Promise<void>
}

/** Vectors of more `dimensions` end in zeros. */
export const startTestEmbedder = async (dimensions = testDimensions): Promise<TestEmbedder> => {
  const padding = Array.from({ length: dimensions - testDimensions }, () => 0)
  const makeVector = (text: string) => [...testVector(text), ...padding]
  let open = 0
  const server = createServer(async (request, response) => {
    open += 1
    embedder.openMax = Math.max(embedder.openMax, open)
    response.once('close', () => (open -= 1))
    const { model, input } = JSON.parse(await readText(request)) as { model: string; input: string[] }
    embedder.requests.push({ texts: input, model, authorization: request.headers.authorization })
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const embed = (vector = makeVector) =>
      json(200, {
        object: 'list',
        // The order of the reply is not that of the request.
        data: input.map((one, index) => ({ object: 'embedding', index, embedding: vector(one) })).reverse(),
        model,
      })
    if (!isEmbeddings(request)) return json(404, {})
    const { behavior, poison, charsMax } = embedder
    if (poison !== undefined && input.some(one => one.includes(poison))) return json(400, {})
    if (input.some(one => one.length > charsMax)) return json(413, {})
    if (typeof behavior === 'object') {
      if ('slowMs' in behavior) return setTimeout(embed, behavior.slowMs)
      if (behavior.retryAfter !== undefined) response.setHeader('retry-after', behavior.retryAfter)
      return json(behavior.status, { error: { message: 'no' } })
    }
    switch (behavior) {
      case 'well':
        return embed()
      case 'hang':
        return undefined
      case 'garbage':
        return response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')
      case 'not-json':
        return response.writeHead(200, { 'content-type': 'application/json' }).end('{"data": [')
      case 'wrong-dimensions':
        return embed(one => testVector(one).slice(1))
      case 'wrong-count':
        return json(200, { data: [] })
      case 'repeated-index':
        return json(200, { data: input.map(one => ({ index: 0, embedding: testVector(one) })) })
      case 'text-instead-of-numbers':
        return json(200, {
          data: input.map((one, index) => ({ index, embedding: testVector(one).map(String) })),
        })
      case 'too-long':
        return json(200, { data: [], padding: 'x'.repeat(1024 * 1024) })
      case 'redirect':
        return response.writeHead(307, { location: `${embedder.url}/embeddings` }).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  // It listens on a TCP port.
  const { port } = server.address() as AddressInfo
  const embedder: TestEmbedder = {
    url: `http://127.0.0.1:${port}/v1`,
    host: `127.0.0.1:${port}`,
    requests: [],
    behavior: 'well',
    poison: undefined,
    charsMax: 100_000,
    openMax: 0,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return embedder
}

const isEmbeddings = ({ method, url }: IncomingMessage): boolean =>
  method === 'POST' && url === '/v1/embeddings'
