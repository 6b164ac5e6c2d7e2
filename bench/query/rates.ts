/** How many queries a second our server answers, beside its floor and its peers. */
import { cp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { drawn, type Figure, figureOf } from '#bench/figure'
import type { Load, LoadRequest, LoadTask } from '#bench/http/load'
import { type Pinned, serverCore, startPinned } from '#bench/http/pinned'
import type { Served } from '#bench/http/querent'
import { interleave, rateOf, type Say, shareOfFloor, timesPeer } from '#bench/http/rounds'
import { fillOpenSearch, searchBody, startOpenSearch } from '#bench/peers/opensearch'
import { generationSpec } from '#server/documents/entity'
import { collection, readDefinition } from './dictionary.ts'
import { pathOf } from './dictionary-server.ts'
import type { FloorTask } from './floor-process.ts'

const atOnce = 16
/** Short and many: a machine that is shared may change its speed from one second to the next, in the middle of a long round. */
const seconds = 0.5
const times = 20
/** At a set rate a request never waits for a connection, unless so many are on their way. */
const connectionsAtRate = 64
/** OpenSearch compiles itself while it works. */
const warmUpSeconds = 15

type Answers = FloorTask['answers']

/** A copy of a data folder's engine: two processes cannot have one open. */
export const copyEngine = async (data: string, folder: string): Promise<Omit<FloorTask, 'answers'>> => {
  const dataDir = join(folder, 'floor')
  await cp(join(data, 'engine'), dataDir, { recursive: true })
  const [generation] = (await readdir(dataDir, { withFileTypes: true })).filter(each => each.isDirectory())
  if (!generation) throw new Error(`${data} has no generation`)
  return { dataDir, generation: generation.name, spec: generationSpec(await readDefinition(), collection) }
}

export const startFloor = async (task: FloorTask): Promise<Pinned & { url: string }> => {
  const floor = startPinned(serverCore, process.execPath, [join(import.meta.dirname, 'floor-process.ts')])
  const listening = floor.message<{ url: string }>()
  floor.child.send(task)
  return { ...floor, url: (await listening).url }
}

/** Requests that carry a token; `tagged`: and the tag of what they ask for. */
export const requestsOf = (answers: Answers, token: string, tagged = false): LoadRequest[] =>
  answers.map(({ path, tag }) => ({
    path,
    headers: { authorization: `Bearer ${token}`, ...(tagged ? { 'if-none-match': tag } : {}) },
  }))

interface Asked {
  load: Load
  served: Served
  floorUrl: string
  token: string
  results: Answers
  counts: Answers
  say: Say
}

export const floorFigures = async (asked: Asked): Promise<Figure[]> => {
  const { load, served, floorUrl, token, results, counts, say } = asked
  const compare = (task: Pick<LoadTask, 'requests' | 'status'>) => {
    const rate = (url: string) => async () => (await load.run({ url, atOnce, seconds, ...task })).perSecond
    return interleave({ ours: rate(served.baseUrl), floor: rate(floorUrl) }, say, times)
  }
  say('results, beside bare node:http with the same engine call')
  const found = await compare({ requests: requestsOf(results, token) })
  say('at half that rate')
  const half = await atHalf(asked, median(found.ours))
  say('304, beside bare node:http')
  const known = await compare({ requests: requestsOf(results, token, true), status: 304 })
  say('count, beside bare node:http with the same engine call')
  const counted = await compare({ requests: requestsOf(counts, token) })
  return [
    ...beside('results', found.ours, found.floor),
    shareOfFloor('results, of bare node:http', found.ours, found.floor, 75),
    ...half,
    ...beside('304', known.ours, known.floor),
    shareOfFloor('304, of bare node:http', known.ours, known.floor, 60),
    ...beside('count', counted.ours, counted.floor),
    shareOfFloor('count, of bare node:http', counted.ours, counted.floor, 60),
  ]
}

const beside = (name: string, ours: readonly number[], floor: readonly number[]): Figure[] => [
  drawn(rateOf(name, ours), name, 'ours'),
  drawn(rateOf(`bare node:http for ${name}`, floor), name, 'limit', 'bare node:http'),
]

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

/** How long a query takes while the server has time left; the floor's p99 at the same rate tells how much of ours is the machine's. */
const atHalf = async ({ load, served, floorUrl, token, results }: Asked, rate: number): Promise<Figure[]> => {
  const requests = requestsOf(results, token)
  const run = (url: string) =>
    load.run({ url, requests, atOnce: connectionsAtRate, seconds, perSecond: rate / 2 })
  const p50: number[] = []
  const ours = async () => {
    const took = await run(served.baseUrl)
    p50.push(took.p50)
    return took.p99
  }
  const p99 = await interleave({ ours, floor: async () => (await run(floorUrl)).p99 }, undefined, times)
  const about = { unit: 'ms', better: 'lower' } as const
  return [
    figureOf(p50.slice(1), { name: 'results at half that rate p50', ...about }),
    figureOf(p99.ours, { name: 'results at half that rate p99', ...about, goal: 5 }),
    figureOf(p99.floor, { name: 'bare node:http at that rate p99', ...about }),
  ]
}

interface AskedPeers extends Pick<Asked, 'load' | 'served' | 'token' | 'say'> {
  queries: readonly string[]
  documents: string
}

/** The same documents and queries at servers that others made, which ask for no token. */
export const peerFigures = async (asked: AskedPeers): Promise<Figure[]> => {
  const { load, served, token, queries, documents, say } = asked
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
        path: pathOf(words, 'results'),
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
  /** The others stand still: what a JVM does by itself would be taken from whoever is measured. */
  const rate = (name: keyof typeof tasks) => async () => {
    const others = Object.values(pids).filter(pid => pid !== pids[name])
    for (const pid of others) process.kill(pid, 'SIGSTOP')
    try {
      return (await load.run({ ...tasks[name], atOnce, seconds })).perSecond
    } finally {
      for (const pid of others) process.kill(pid, 'SIGCONT')
    }
  }
  const found = await interleave(
    { ours: rate('ours'), openSearch: rate('openSearch'), miniSearch: rate('miniSearch') },
    say,
    times,
  )
  const of = 'ten results for two words'
  return [
    drawn(rateOf('results beside them', found.ours), of, 'ours'),
    drawn(rateOf('results at OpenSearch 3.8', found.openSearch), of, 'peer', 'OpenSearch'),
    timesPeer('results, of OpenSearch 3.8', found.ours, found.openSearch, 4),
    drawn(rateOf('results at MiniSearch 7.2 behind node:http', found.miniSearch), of, 'peer', 'MiniSearch'),
    timesPeer('results, of MiniSearch 7.2 behind node:http', found.ours, found.miniSearch),
  ]
}
