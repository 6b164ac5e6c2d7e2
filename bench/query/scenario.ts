/** The query service with 117,000 documents, as clients see it: the English WordNet of `querent demo`. */
import { dirname, join } from 'node:path'
import { type Figure, makeFigure } from '#bench/figure'
import { startLoad } from '#bench/http/load'
import { pinningNote } from '#bench/http/pinned'
import { type Account, fetchToken, makeAccount, makeDataFolder, serve } from '#bench/http/querent'
import type { Say } from '#bench/http/rounds'
import { addFacet, batchFigures } from './batch.ts'
import { coldStartFigures } from './cold-start.ts'
import { coresFigures } from './cores.ts'
import { workspace, writeDictionary } from './dictionary.ts'
import { fillDataFolder, queryPath, recordAnswers } from './dictionary-server.ts'
import { dpopFigures } from './dpop.ts'
import { fairnessFigures } from './fairness.ts'
import { importFigures, meanwhileFigures } from './imports.ts'
import { mcpFigures } from './mcp.ts'
import { copyEngine, floorFigures, peerFigures, startFloor } from './rates.ts'

/** Distinct pairs of words, used in rotation. */
const queryCount = 500

interface Filled {
  /** Folder for the files of a part, deleted at the end. */
  folder: string
  data: string
  account: Account
  /** The imported file. */
  documents: string
  queries: string[]
  say: Say
}

/** Runs a part of the bench on a data folder with the dictionary. */
const onDictionary =
  (measure: (filled: Filled) => Promise<Figure[]>) =>
  async (say: Say): Promise<Figure[]> => {
    if (pinningNote !== undefined) say(pinningNote)
    const { data, remove } = await makeDataFolder()
    try {
      const folder = dirname(data)
      const documents = join(folder, 'dictionary.ndjson')
      const queries = await writeDictionary(documents, queryCount)
      say('the dictionary is imported')
      const account = await fillDataFolder(data, documents)
      return await measure({ folder, data, account, documents, queries, say })
    } finally {
      await remove()
    }
  }

/** Queries per second next to the floor, and their latency. */
export const queryFigures = onDictionary(async ({ folder, data, account, queries, say }) => {
  await using load = startLoad()
  const engine = await copyEngine(data, folder)
  await using served = await serve(data)
  const token = await fetchToken(served, account)
  const results = await recordAnswers(served, token, queries, 'results')
  const counts = await recordAnswers(served, token, queries, 'count')
  await using floor = await startFloor({ ...engine, answers: [...results, ...counts] })
  const figures = await floorFigures({ load, served, floorUrl: floor.url, token, results, counts, say })
  const memory = { name: 'memory of both servers, after that', unit: 'MB', better: 'lower' } as const
  return [...figures, makeFigure([await served.anonymousMegabytes()], memory)]
})

/** Queries with tokens bound to a key, next to those by bearer tokens. */
export const dpopPart = onDictionary(async ({ data, account, queries, say }) => {
  await using load = startLoad()
  await using served = await serve(data)
  const token = await fetchToken(served, account)
  const paths = queries.map(words => queryPath(words, 'results'))
  return await dpopFigures({ load, served, account, token, paths, say })
})

/** Pages with facets in one request, next to the same requests alone. */
export const batchPart = onDictionary(async ({ data, account, queries, say }) => {
  await using load = startLoad()
  await using served = await serve(data)
  await addFacet(data)
  const token = await fetchToken(served, account)
  return await batchFigures({ load, served, token, queries, say })
})

/** Calls of an MCP tool, next to the same queries. */
export const mcpPart = onDictionary(async ({ data, account, queries, say }) => {
  await using load = startLoad()
  await using served = await serve(data)
  const token = await fetchToken(served, account)
  return await mcpFigures({ load, served, token, queries, say })
})

/** Queries per second next to other servers. */
export const peersFigures = onDictionary(async ({ data, account, documents, queries, say }) => {
  await using load = startLoad()
  await using served = await serve(data)
  const token = await fetchToken(served, account)
  return await peerFigures({ load, served, token, queries, documents, say })
})

/** Latency of one account while another sends a burst. */
export const fairnessPart = onDictionary(async ({ data, account, queries, say }) => {
  // A slow machine must not abandon queries.
  await using served = await serve(data, { flags: ['--query-timeout-ms', '60000'] })
  const otherAccount = await makeAccount(data, workspace, ['api'], 'other')
  const tokens = { burst: await fetchToken(served, account), other: await fetchToken(served, otherAccount) }
  return await fairnessFigures({
    served,
    tokens,
    paths: queries.map(words => queryPath(words, 'results')),
    say,
  })
})

/** Cold starts and memory. */
export const startFigures = onDictionary(async ({ data, account, say }) =>
  coldStartFigures(data, account, queryPath('striped cat', 'results'), say),
)

/** Queries and tokens per second on one core and on two. */
export const coresPart = onDictionary(async ({ data, account, queries, say }) =>
  coresFigures(data, account, queries, say),
)

/** Imports over HTTP, and queries meanwhile. */
export const importsFigures = onDictionary(async filled => {
  await using load = startLoad()
  return [...(await importFigures(filled)), ...(await meanwhileFigures(filled, load))]
})
