/** Formats the text that the demo prints when it is ready. */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { queryUrl } from '@querent/client'
import type { Results } from '@querent/contract/query'
import { quoteArgument } from '#command-line/globals'
import type { Connection } from '#connection/connect'
import { bold, dim } from '#terminal/output'
import { resultsTable } from '#terminal/results-table'
import type { Account } from './account.ts'
import { dictionary } from './dictionary.ts'

const noticeFile = fileURLToPath(new URL('../../dictionary/NOTICE', import.meta.url))
const citiesNoticeFile = fileURLToPath(new URL('../../cities/NOTICE', import.meta.url))

export const demoQuery = 'large feline with stripes'
export const demoStack = [{ endpoint: 'search', parameters: [{ name: 'query', value: demoQuery }] }]

/** Returns the two requests of every client, ready to paste into a shell. */
export const curlCommands = (
  { authUrl, baseUrl }: Connection,
  { clientId, clientSecret }: Account,
): string[] => {
  const { workspace, api } = dictionary
  const search = queryUrl(
    baseUrl,
    workspace,
    api,
    { kind: 'query', type: 'results', stack: demoStack },
    { count: 3 },
  )
  return [
    `TOKEN=$(curl -s ${authUrl}/oauth/token -d grant_type=client_credentials -d client_id=${clientId} -d client_secret=${clientSecret} -d audience=${baseUrl} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `curl -s -H "Authorization: Bearer $TOKEN" '${search}'`,
  ]
}

export interface DemoSummary {
  connection: Connection
  account: Account
  results: Results
  total: number
  console: { url: string; email: string; password: string }
  /** Address of the page that searches the dictionary. */
  searchPage: string
  /** Address of the page with cities on a map. */
  citiesPage: string
  data: string
  seconds: number
  keepsServing: boolean
}

export const formatSummary = (summary: DemoSummary): string => {
  const { connection, account, results, total, console, searchPage, citiesPage } = summary
  return [
    '',
    ...(summary.keepsServing ? [`${bold(`Open ${searchPage}`)} and search as you type.`, ''] : []),
    `${bold(`"${demoQuery}"`)} — which words mean that?`,
    resultsTable(results, total),
    '',
    bold('The same with curl: get a token, then search with it'),
    ...curlCommands(connection, account),
    '',
    `Search page    ${searchPage}`,
    `Cities page    ${citiesPage}`,
    `Queries        ${connection.baseUrl}`,
    `Authorization  ${connection.authUrl}`,
    `Console        ${console.url}  (sign in as ${console.email}, password ${console.password})`,
    `Tutorial       ${console.url}docs/tutorial.html  (your own search in 20 minutes)`,
    dim(`WordNet 3.1 Copyright 2011 by Princeton University; its license: ${shortenPath(noticeFile)}`),
    dim(`Cities: GeoNames, CC BY 4.0; all licenses: ${shortenPath(citiesNoticeFile)}`),
    '',
    `Ready after ${summary.seconds.toFixed(1)} s. ${summary.keepsServing ? 'Press Ctrl-C to stop. ' : ''}To start again, use the same command. To start over, first remove ${quoteArgument(summary.data)}.`,
  ].join('\n')
}

/** Makes a path inside the current folder relative. */
const shortenPath = (file: string): string => {
  const fromHere = relative(process.cwd(), file)
  return fromHere.startsWith('..') ? file : fromHere
}
