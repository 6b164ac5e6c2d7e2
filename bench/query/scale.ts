/**
 * Both servers with a million documents and 10,000 members: memory under a load of queries and token requests, and the cost of one query of
 * each kind.
 */
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { catalog, corpus } from '#bench/engine/corpus'
import { makeQueries } from '#bench/engine/queries'
import { type Figure, makeFigure } from '#bench/figure'
import { type LoadRequest, startLoad } from '#bench/http/load'
import { loadCore, serverCore } from '#bench/http/pinned'
import {
  type Account,
  fetchToken,
  makeAccount,
  makeDataFolder,
  querent,
  type Served,
  serve,
} from '#bench/http/querent'
import { makeRateFigure, rounds, type Say } from '#bench/http/rounds'
import { tokenRequest } from '#bench/tokens/contender'
import { makeAccounts } from '#bench/tokens/ours'
import { type DocumentAt, importDocuments } from './catalog-documents.ts'
import { queryCosts } from './costs.ts'

const documentCount = 1_000_000
const memberCount = 10_000
/** The account whose token the queries carry. */
const askingCount = 1_000
const queryCount = 1_000
const seed = 7
const fetchedAtOnce = 8
const queriesAtOnce = 16
const tokensAtOnce = 4
const seconds = 10
const lookMs = 100
const { workspace } = catalog

/** `folder` keeps documents and members for the next run. Without it, they are created and deleted. */
export const scaleFigures = async (say: Say, folder?: string): Promise<Figure[]> => {
  const { data, remove } = await dataFolderIn(folder)
  try {
    const documentAt = await corpus()
    const accounts = await filled(data, documentAt, say)
    await using served = await serve(data, { cores: [serverCore, loadCore] })
    const tokens = await fetchTokens(served, accounts.slice(0, askingCount))

    const stacks = makeQueries('two words', queryCount, seed, documentAt).map(([step]) => {
      const words = step?.parameters[0]?.value ?? ''
      return `/4/${workspace}/api/shop/e/search/p/query/${encodeURIComponent(words)}`
    })
    const queries = stacks.map(
      (stack, index): LoadRequest => ({
        path: `${stack}/results`,
        headers: { authorization: `Bearer ${tokens[index % tokens.length]}` },
      }),
    )
    const audience = { audience: `${served.baseUrl}/` }
    const forTokens = accounts.map(account => tokenRequest('/oauth/token', account, audience))
    say('queries and tokens at once')
    await using queryLoad = startLoad()
    await using tokenLoad = startLoad()
    const answerMs: number[] = []
    const issued: number[] = []
    const megabytes: number[] = []
    for (let round = 0; round < rounds; round++) {
      const [query, token, maximum] = await mostMemory(served, [
        queryLoad.run({ url: served.baseUrl, requests: queries, atOnce: queriesAtOnce, seconds }),
        tokenLoad.run({ url: served.authUrl, requests: forTokens, atOnce: tokensAtOnce, seconds }),
      ])
      answerMs.push(query.perSecond)
      issued.push(token.perSecond)
      megabytes.push(maximum)
      say(
        `${Math.round(query.perSecond)} queries and ${Math.round(token.perSecond)} tokens a second, ${Math.round(maximum)} MB`,
      )
    }
    const name = 'memory of both servers, 1,000,000 documents, 10,000 members, under load'
    return [
      makeFigure(megabytes, { name, unit: 'MB', better: 'lower', goal: 600 }),
      makeRateFigure('queries meanwhile', answerMs),
      makeRateFigure('tokens meanwhile', issued),
      ...(await queryCosts(served, queryLoad, { stacks, tokens }, say)),
    ]
  } finally {
    await remove()
  }
}

const fetchTokens = async (served: Served, accounts: readonly Account[]): Promise<string[]> => {
  const tokens: string[] = []
  for (let start = 0; start < accounts.length; start += fetchedAtOnce)
    tokens.push(
      ...(await Promise.all(
        accounts.slice(start, start + fetchedAtOnce).map(account => fetchToken(served, account)),
      )),
    )
  return tokens
}

/** Returns the results of the runs, and the maximum of megabytes until all have ended. */
const mostMemory = async <One, Other>(
  served: Served,
  runs: [Promise<One>, Promise<Other>],
): Promise<[One, Other, number]> => {
  let maxMegabytes = 0
  const timer = setInterval(async () => {
    maxMegabytes = Math.max(maxMegabytes, await served.anonymousMegabytes())
  }, lookMs)
  try {
    const [one, other] = await Promise.all(runs)
    return [one, other, Math.max(maxMegabytes, await served.anonymousMegabytes())]
  } finally {
    clearInterval(timer)
  }
}

/** Returns a data folder with an operator: that of `folder`, created if it is missing. */
const dataFolderIn = async (folder: string | undefined): ReturnType<typeof makeDataFolder> => {
  if (folder === undefined) return makeDataFolder()
  const data = join(folder, 'scale', 'data')
  if (!existsSync(data)) {
    const created = await makeDataFolder()
    await mkdir(dirname(data), { recursive: true })
    await cp(created.data, data, { recursive: true })
    await created.remove()
  }
  return { data, remove: async () => {} }
}

/** Fills it unless it is filled. Returns the accounts. */
const filled = async (data: string, documentAt: DocumentAt, say: Say): Promise<Account[]> => {
  const accountsFile = `${data}-accounts.json`
  if (existsSync(accountsFile)) return JSON.parse(await readFile(accountsFile, 'utf8'))
  await using served = await serve(data, { cores: [serverCore, loadCore] })
  await querent(['apply', '-', '--data', data], JSON.stringify(catalog))
  say('a million documents are imported')
  const importer = await makeAccount(data, workspace, ['data-provider'])
  await importDocuments(served, importer, documentAt, documentCount)
  say(`${memberCount} members are made`)
  const accounts = await makeAccounts(data, workspace, memberCount)
  await writeFile(accountsFile, JSON.stringify(accounts))
  return accounts
}
