/** Our servers with the dictionary, and the load on them. */
import { type Account, makeAccount, querent, type Served, serve } from '#bench/http/querent'
import { readOptions } from '#server/query/options'
import { compileApi } from '#server/query/plan/compile'
import { requestTypeRows } from '#server/query/plan/request-types'
import { api, collection, readDefinition, workspace, workspaceFile } from './dictionary.ts'
import type { FloorTask } from './floor-process.ts'

/** Imports the dictionary into a data folder. Returns an account that may query and import. */
export const fillDataFolder = async (data: string, documents: string): Promise<Account> => {
  await using _ = await serve(data)
  await querent(['apply', workspaceFile, '--data', data])
  await querent(['import', workspace, collection, documents, '--data', data])
  return await makeAccount(data, workspace, ['api', 'data-provider'])
}

export const queryPath = (words: string, type: 'results' | 'count'): string =>
  `/4/${workspace}/api/${api}/e/search/p/query/${encodeURIComponent(words)}/${type}`

/** Returns our reply to each query, and the engine call behind it, for the floor. */
export const recordAnswers = async (
  { baseUrl }: Served,
  token: string,
  queries: readonly string[],
  type: 'results' | 'count',
): Promise<FloorTask['answers']> => {
  const compiled = compileApi(await readDefinition(), api)
  const options = readOptions('')
  const answers: FloorTask['answers'] = []
  for (const words of queries) {
    const path = queryPath(words, type)
    // With the same Accept-Encoding as the load, because each encoding has its own tag.
    const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'identity' }
    const reply = await fetch(`${baseUrl}${path}`, { headers })
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
    const tag = reply.headers.get('etag') ?? ''
    const conditionalReply = await fetch(`${baseUrl}${path}`, {
      headers: { ...headers, 'if-none-match': tag },
    })
    if (conditionalReply.status !== 304)
      throw new Error(`${path}: ${conditionalReply.status} for its own tag`)
    const stack = [{ endpoint: 'search', parameters: [{ name: 'query', value: words }] }]
    const { plan } = compiled.plan({
      stack,
      filters: [],
      cutoff: 0,
      ...requestTypeRows[type].makeRequest(options),
    })
    answers.push({
      path,
      plan,
      tag,
      body: await reply.text(),
      headers: sentHeaders(reply),
      knownHeaders: sentHeaders(conditionalReply),
    })
  }
  return answers
}

/** Headers that Node does not write by itself. */
const sentHeaders = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !ownHeaders.has(name)))
const ownHeaders = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding'])
