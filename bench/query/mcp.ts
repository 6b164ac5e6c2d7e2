/** Calls of an MCP tool (docs/agents.md), next to the same query by GET. */
import type { Figure } from '#bench/figure'
import type { Load, LoadRequest } from '#bench/http/load'
import type { Served } from '#bench/http/querent'
import { interleave, makeRateFigure, type Say, shareOfFloor } from '#bench/http/rounds'
import { api, workspace } from './dictionary.ts'

const clientsAtOnce = 16
const secondsPerRound = 1

export const mcpFigures = async ({
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
  const calls = queries.map(query => ({
    method: 'POST',
    path: `${address}mcp`,
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search', arguments: { query } },
    }),
  }))
  const plain = queries.map(words => ({
    path: `${address}e/search/p/query/${encodeURIComponent(words)}/results,count?highlight=true`,
    headers,
  }))
  await checkReply(served, calls[0])
  const measure = (requests: readonly LoadRequest[]) =>
    load.run({ url: served.baseUrl, requests, atOnce: clientsAtOnce, seconds: secondsPerRound })
  const rates = await interleave(
    {
      tools: async () => (await measure(calls)).perSecond,
      plain: async () => (await measure(plain)).perSecond,
    },
    say,
    10,
  )
  return [
    makeRateFigure('calls of an MCP tool, 16 at once', rates.tools),
    makeRateFigure('the same queries by GET, 16 at once', rates.plain),
    shareOfFloor('calls of an MCP tool', rates.tools, rates.plain),
  ]
}

/** Throws if the call fails, because the reply itself is 200 then too. */
const checkReply = async ({ baseUrl }: Served, call: LoadRequest | undefined): Promise<void> => {
  if (!call) throw new Error('there is no query')
  const { path, ...init } = call
  const reply = await fetch(`${baseUrl}${path}`, init)
  const text = await reply.text()
  if (reply.status !== 200 || !text.includes('"structuredContent"') || text.includes('"isError":true'))
    throw new Error(`${path}: ${reply.status} ${text.slice(0, 500)}`)
}
