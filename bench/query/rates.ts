/** Queries per second of our server, next to its floor and its peers. */
import { cp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Figure, makeFigure, withBar } from '#bench/figure'
import type { Load, LoadRequest, LoadTask } from '#bench/http/load'
import { type Pinned, serverCore, startPinned } from '#bench/http/pinned'
import type { Served } from '#bench/http/querent'
import { interleave, makeRateFigure, type Say, shareOfFloor, timesPeer } from '#bench/http/rounds'
import { fillOpenSearch, searchBody, startOpenSearch } from '#bench/peers/opensearch'
import { generationSpec } from '#server/collections/generation-spec'
import { collection, readDefinition } from './dictionary.ts'
import { queryPath } from './dictionary-server.ts'
import type { FloorTask } from './floor-process.ts'

const atOnce = 16
/** Short and many rounds, because the speed of a shared machine may change from one second to the next. */
const seconds = 0.5
const times = 20
/** At a fixed rate, a request never waits for a connection unless all of these are in use. */
const connectionsAtRate = 64
/** The JVM compiles OpenSearch while it runs. */
const warmUpSeconds = 15

type Answers = FloorTask['answers']

/** Copies a data folder's engine, because two processes cannot open one. */
export const copyEngine = async (data: string, folder: string): Promise<Omit<FloorTask, 'answers'>> => {
  const dataDir = join(folder, 'floor')
  await cp(join(data, 'engine'), dataDir, { recursive: true })
  const [generation] = (await readdir(dataDir, { withFileTypes: true })).filter(entry => entry.isDirectory())
  if (!generation) throw new Error(`${data} has no generation`)
  return { dataDir, generation: generation.name, spec: generationSpec(await readDefinition(), collection) }
}

export const startFloor = async (task: FloorTask): Promise<Pinned & { url: string }> => {
  const floor = startPinned(serverCore, process.execPath, [join(import.meta.dirname, 'floor-process.ts')])
  const listening = floor.message<{ url: string }>()
  floor.child.send(task)
  return { ...floor, url: (await listening).url }
}

/** Requests with a token, and with `tagged` also with the ETag of their reply. */
export const makeRequests = (answers: Answers, token: string, tagged = false): LoadRequest[] =>
  answers.map(({ path, tag }) => ({
    path,
    headers: { authorization: `Bearer ${token}`, ...(tagged ? { 'if-none-match': tag } : {}) },
  }))

interface RateOptions {
  load: Load
  served: Served
  floorUrl: string
  token: string
  results: Answers
  counts: Answers
  say: Say
}

export const floorFigures = async (options: RateOptions): Promise<Figure[]> => {
  const { load, served, floorUrl, token, results, counts, say } = options
  const compare = (task: Pick<LoadTask, 'requests' | 'status'>) => {
    const rate = (url: string) => async () => (await load.run({ url, atOnce, seconds, ...task })).perSecond
    return interleave({ ours: rate(served.baseUrl), floor: rate(floorUrl) }, say, times)
  }
  say('results, beside bare node:http with the same engine call')
  const resultRates = await compare({ requests: makeRequests(results, token) })
  say('at half that rate')
  const half = await atHalf(options, median(resultRates.ours))
  say('304, beside bare node:http')
  const notModifiedRates = await compare({ requests: makeRequests(results, token, true), status: 304 })
  say('count, beside bare node:http with the same engine call')
  const countRates = await compare({ requests: makeRequests(counts, token) })
  return [
    ...makeSharePair('results', resultRates.ours, resultRates.floor),
    shareOfFloor('results, of bare node:http', resultRates.ours, resultRates.floor, 75),
    ...half,
    ...makeSharePair('304', notModifiedRates.ours, notModifiedRates.floor),
    shareOfFloor('304, of bare node:http', notModifiedRates.ours, notModifiedRates.floor, 60),
    ...makeSharePair('count', countRates.ours, countRates.floor),
    shareOfFloor('count, of bare node:http', countRates.ours, countRates.floor, 60),
  ]
}

const makeSharePair = (name: string, ours: readonly number[], floor: readonly number[]): Figure[] => [
  withBar(makeRateFigure(name, ours), name, 'ours'),
  withBar(makeRateFigure(`bare node:http for ${name}`, floor), name, 'limit', 'bare node:http'),
]

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

/** Query latency of a server with spare time. The floor's p99 at the same rate shows the machine's part. */
const atHalf = async (
  { load, served, floorUrl, token, results }: RateOptions,
  rate: number,
): Promise<Figure[]> => {
  const requests = makeRequests(results, token)
  const run = (url: string) =>
    load.run({ url, requests, atOnce: connectionsAtRate, seconds, perSecond: rate / 2 })
  const p50: number[] = []
  const ours = async () => {
    const durations = await run(served.baseUrl)
    p50.push(durations.p50)
    return durations.p99
  }
  const p99 = await interleave({ ours, floor: async () => (await run(floorUrl)).p99 }, undefined, times)
  const details = { unit: 'ms', better: 'lower' } as const
  return [
    makeFigure(p50.slice(1), { name: 'results at half that rate p50', ...details }),
    makeFigure(p99.ours, { name: 'results at half that rate p99', ...details, goal: 5 }),
    makeFigure(p99.floor, { name: 'bare node:http at that rate p99', ...details }),
  ]
}

interface AskedPeers extends Pick<RateOptions, 'load' | 'served' | 'token' | 'say'> {
  queries: readonly string[]
  documents: string
}

/** The same documents and queries on other servers, which need no token. */
export const peerFigures = async (options: AskedPeers): Promise<Figure[]> => {
  const { load, served, token, queries, documents, say } = options
  say('OpenSearch starts and reads the documents')
  await using openSearch = await startOpenSearch()
  await fillOpenSearch(openSearch, documents)
  say('MiniSearch reads the documents')
  await using miniSearch = startPinned(serverCore, process.execPath, [
    join(import.meta.dirname, '..', 'peers', 'minisearch-process.ts'),
    documents,
  ])
  const { url: miniUrl } = await miniSearch.message<{ url: string }>()
  const tasks = {
    ours: {
      url: served.baseUrl,
      requests: queries.map(words => ({
        path: queryPath(words, 'results'),
        headers: { authorization: `Bearer ${token}` },
      })),
    },
    openSearch: {
      url: openSearch.url,
      requests: queries.map(words => ({
        method: 'POST',
        path: '/entries/_search',
        headers: { 'content-type': 'application/json' },
        body: searchBody(words),
      })),
    },
    miniSearch: {
      url: miniUrl,
      requests: queries.map(words => ({ path: `/?query=${encodeURIComponent(words)}` })),
    },
  } satisfies Record<string, Pick<LoadTask, 'url' | 'requests'>>
  await load.run({ ...tasks.openSearch, atOnce, seconds: warmUpSeconds })
  const pids = { ours: served.pid, openSearch: openSearch.pid, miniSearch: miniSearch.pid }
  /** Pauses the other servers, because background work of a JVM would take time from the measured one. */
  const rate = (name: keyof typeof tasks) => async () => {
    const otherPids = Object.values(pids).filter(pid => pid !== pids[name])
    for (const pid of otherPids) process.kill(pid, 'SIGSTOP')
    try {
      return (await load.run({ ...tasks[name], atOnce, seconds })).perSecond
    } finally {
      for (const pid of otherPids) process.kill(pid, 'SIGCONT')
    }
  }
  const rates = await interleave(
    { ours: rate('ours'), openSearch: rate('openSearch'), miniSearch: rate('miniSearch') },
    say,
    times,
  )
  const query = 'ten results for two words'
  return [
    withBar(makeRateFigure('results beside them', rates.ours), query, 'ours'),
    withBar(makeRateFigure('results at OpenSearch 3.8', rates.openSearch), query, 'peer', 'OpenSearch'),
    timesPeer('results, of OpenSearch 3.8', rates.ours, rates.openSearch, 4),
    withBar(
      makeRateFigure('results at MiniSearch 7.2 behind node:http', rates.miniSearch),
      query,
      'peer',
      'MiniSearch',
    ),
    timesPeer('results, of MiniSearch 7.2 behind node:http', rates.ours, rates.miniSearch),
  ]
}
