/** Costs of one query of each kind over HTTP: processor time, reply bytes, and memory per connection. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type Figure, makeFigure } from '#bench/figure'
import { readProcessorUs } from '#bench/growth/processor'
import type { Load, LoadRequest } from '#bench/http/load'
import type { Served } from '#bench/http/querent'
import { rounds, type Say } from '#bench/http/rounds'

const atOnce = 16
const seconds = 2
const connections = 2_000
const settleMs = 2_000
/** Facets of a page that shows three. */
const facets = ['topic', 'maker', 'place']

export interface Paths {
  /** Stacks: `/4/bench/api/shop/e/search/p/query/two%20words`. */
  stacks: readonly string[]
  tokens: readonly string[]
}

/** Each has one request, except the page, which has five. */
export const queryCosts = async (
  served: Served,
  load: Load,
  { stacks, tokens }: Paths,
  say: Say,
): Promise<Figure[]> => {
  const makeRequests = (types: readonly string[]): LoadRequest[] =>
    stacks.flatMap((stack, index) =>
      types.map(type => ({
        path: `${stack}/${type}`,
        headers: { authorization: `Bearer ${tokens[index % tokens.length]}` },
      })),
    )
  const kinds: Record<string, { requests: LoadRequest[]; times?: number }> = {
    results: { requests: makeRequests(['results']) },
    count: { requests: makeRequests(['count']) },
    'a page: results, count, options of 3 facets': {
      requests: makeRequests(['results', 'count', ...facets.map(facet => `options/${facet}`)]),
      times: 2 + facets.length,
    },
  }
  const figures: Figure[] = []
  for (const [name, { requests, times = 1 }] of Object.entries(kinds)) {
    const spent: number[] = []
    for (let round = 0; round <= rounds; round++) {
      const beforeUs = readProcessorUs(served.pid)
      const { requests: count } = await load.run({ url: served.baseUrl, requests, atOnce, seconds })
      if (round > 0) spent.push((times * (readProcessorUs(served.pid) - beforeUs)) / count)
    }
    figures.push(makeFigure(spent, { name: `${name}, processor`, unit: 'µs', better: 'lower' }))
    const bytes = await replyBytes(served, requests.slice(0, 20 * times))
    figures.push(makeFigure([times * bytes], { name: `${name}, reply`, unit: 'bytes', better: 'lower' }))
    say(`${name}: ${Math.round(figures.at(-2)?.value ?? Number.NaN)} µs`)
  }
  figures.push(await connectionMemory(served, makeRequests(['count'])))
  return figures
}

/** Bytes of body and head, without compression. */
const replyBytes = async ({ baseUrl }: Served, requests: readonly LoadRequest[]): Promise<number> => {
  let bytes = 0
  for (const { path, headers = {} } of requests) {
    const reply = await fetch(`${baseUrl}${path}`, { headers: { ...headers, 'accept-encoding': 'identity' } })
    bytes += (await reply.arrayBuffer()).byteLength
    for (const [name, value] of reply.headers) bytes += name.length + value.length + 4
  }
  return bytes / requests.length
}

/** Anonymous memory of the server per idle connection that has had a reply. Socket memory of the kernel is extra. */
const connectionMemory = async (served: Served, requests: readonly LoadRequest[]): Promise<Figure> => {
  const { hostname, port, host } = new URL(served.baseUrl)
  await wait(settleMs)
  const memoryBefore = await served.anonymousMegabytes()
  const sockets: Socket[] = []
  for (let number = 0; number < connections; number++) {
    const request = requests[number % requests.length]
    const socket = connect({ host: hostname, port: Number(port) })
    sockets.push(socket)
    await once(socket, 'connect')
    socket.write(
      `GET ${request?.path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${request?.headers?.authorization}\r\n\r\n`,
    )
    await once(socket, 'data')
    socket.resume()
  }
  const memoryAfter = await served.anonymousMegabytes()
  for (const socket of sockets) socket.destroy()
  return makeFigure([(1024 * (memoryAfter - memoryBefore)) / connections], {
    name: `memory of a connection, of ${connections.toLocaleString('en-US')} that wait`,
    unit: 'kB',
    better: 'lower',
  })
}
