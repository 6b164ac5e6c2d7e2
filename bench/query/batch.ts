/** A page of results with three facets in one `batch`, next to the same four requests sent alone. */
import { readFile } from 'node:fs/promises'
import type { Figure } from '#bench/figure'
import type { Load, LoadRequest } from '#bench/http/load'
import { querent, type Served } from '#bench/http/querent'
import { interleave, makeRateFigure, type Say, timesPeer } from '#bench/http/rounds'
import { api, workspace, workspaceFile } from './dictionary.ts'

const clientsAtOnce = 16
const secondsPerRound = 1
/** Like a browser that sends nothing else: the next request starts when the previous one is answered. */
const oneClient = 1
const goalTimes = 2

/** 45, 4 and 20,484 values. */
const facets = ['domain', 'partOfSpeech', 'broader']

/** Adds the third facet to the dictionary's API. */
export const addFacet = async (data: string): Promise<void> => {
  const text = await readFile(workspaceFile, 'utf8')
  const input = text.replace(
    /^( +)partOfSpeech: \{ kind: facet.*$/m,
    '$&\n$1broader: { kind: facet, field: broader }',
  )
  await querent(['apply', '-', '--data', data], input)
}

export const batchFigures = async ({
  load,
  served,
  token,
  queries,
  say,
}: {
  load: Load
  served: Served
  token: string
  /** Words. */
  queries: readonly string[]
  say: Say
}): Promise<Figure[]> => {
  const address = `/4/${workspace}/api/${api}/`
  const headers = { authorization: `Bearer ${token}` }
  const pages = queries.map(words => {
    const stack = `e/search/p/query/${encodeURIComponent(words)}`
    return [`${stack}/results`, ...facets.map(facet => `${stack}/options/${facet}`)]
  })
  const batches = pages.map(requests => ({
    method: 'POST',
    path: `${address}batch`,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ requests }),
  }))
  const alone = pages.flat().map(path => ({ path: `${address}${path}`, headers }))
  await checkReply(served, batches[0])
  const measure = (requests: readonly LoadRequest[], atOnce: number) =>
    load.run({ url: served.baseUrl, requests, atOnce, seconds: secondsPerRound })
  const requestsPerPage = 1 + facets.length
  const rates = await interleave(
    {
      batch: async () => (await measure(batches, clientsAtOnce)).perSecond,
      alone: async () => (await measure(alone, clientsAtOnce)).perSecond / requestsPerPage,
    },
    say,
    10,
  )
  const oneClientRates = await interleave(
    {
      batch: async () => (await measure(batches, oneClient)).perSecond,
      alone: async () => (await measure(alone, oneClient)).perSecond / requestsPerPage,
    },
    say,
    10,
  )
  return [
    makeRateFigure('pages with three facets, one batch each, 16 at once', rates.batch),
    makeRateFigure('pages with three facets, four requests each, 16 at once', rates.alone),
    timesPeer('batches, of four requests each, 16 at once', rates.batch, rates.alone, goalTimes),
    makeRateFigure('pages with three facets, one batch each, one client', oneClientRates.batch),
    makeRateFigure('pages with three facets, four requests each, one client', oneClientRates.alone),
    timesPeer(
      'batches, of four requests in sequence, one client',
      oneClientRates.batch,
      oneClientRates.alone,
      goalTimes,
    ),
  ]
}

/** Throws if one of the queries fails, because the reply of the batch itself is 200 then too. */
const checkReply = async ({ baseUrl }: Served, batch: LoadRequest | undefined): Promise<void> => {
  if (!batch) throw new Error('there is no query')
  const { path, ...init } = batch
  const reply = await fetch(`${baseUrl}${path}`, init)
  const text = await reply.text()
  if (reply.status !== 200 || !/^\{"responses":\[/.test(text) || /"status":[45]\d\d/.test(text))
    throw new Error(`${path}: ${reply.status} ${text.slice(0, 500)}`)
}
