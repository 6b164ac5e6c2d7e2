/** What the demo leaves on the terminal once all is ready. */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { queryAddress } from '@querent/client'
import type { Results } from '@querent/contract/query'
import { quoteArgument } from '#command-line/globals'
import type { Connection } from '#connection/connect'
import { bold, dim } from '#terminal/output'
import { resultsTable } from '#terminal/results-table'
import type { Account } from './account.ts'
import { dictionary } from './dictionary.ts'

const noticeFile = fileURLToPath(new URL('../../dictionary/NOTICE', import.meta.url))

export const demoQuery = 'large feline with stripes'
export const demoStack = [{ endpoint: 'search', parameters: [{ name: 'query', value: demoQuery }] }]

/** The two requests of every client, to be pasted into a shell. */
export const curlCommands = (
  { authUrl, baseUrl }: Connection,
  { clientId, clientSecret }: Account,
): string[] => {
  const { workspace, api } = dictionary
  const search = queryAddress(
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

export interface Ending {
  connection: Connection
  account: Account
  results: Results
  total: number
  console: { url: string; email: string; password: string }
  data: string
  seconds: number
  keepsServing: boolean
}

export const closingWords = (ending: Ending): string => {
  const { connection, account, results, total, console } = ending
  return [
    '',
    `${bold(`"${demoQuery}"`)} — which words mean that?`,
    resultsTable(results, total),
    '',
    bold('The same with curl: get a token, then search with it'),
    ...curlCommands(connection, account),
    '',
    `Queries        ${connection.baseUrl}`,
    `Authorization  ${connection.authUrl}`,
    `Console        ${console.url}  (sign in as ${console.email}, password ${console.password})`,
    dim(`WordNet 3.1 Copyright 2011 by Princeton University; its licence: ${shortened(noticeFile)}`),
    '',
    `Ready after ${ending.seconds.toFixed(1)} s. ${ending.keepsServing ? 'Ctrl-C stops it; s' : 'S'}tart it again with the same command; to begin anew remove ${quoteArgument(ending.data)}.`,
  ].join('\n')
}

/** Relative where that is shorter. */
const shortened = (file: string): string => {
  const fromHere = relative(process.cwd(), file)
  return fromHere.startsWith('..') ? file : fromHere
}
