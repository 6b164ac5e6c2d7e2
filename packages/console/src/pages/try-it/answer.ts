/** The answer to a query, with what its headers say. */
import type { StackedEndpoint } from '@querent/contract/paths'
import type { PreviewChanges } from '@querent/contract/preview-changes'
import type { Results, Statistics } from '@querent/contract/query'
import { createQueryApi } from '#api/query.ts'
import { pageSize } from './search.ts'

export interface Answer {
  reply: [Results, Statistics]
  /** Undefined if a proxy has removed the header. */
  requestId: string | undefined
  /** Time in the server until the reply was ready; undefined like the id. */
  serverMs: number | undefined
  /** Time from the request to the whole reply, as the browser sees it. */
  totalMs: number
}

/** The query in the address, which all views of its results show. */
export interface ShownQuery {
  workspace: string
  api: string
  stack: StackedEndpoint[]
  config: string | undefined
  offset: number
  /** The member whose view is previewed: an e-mail address or a Client ID. */
  previewedMember: string | undefined
}

interface AnswerRequest extends ShownQuery {
  /** Default: one page. */
  count?: number
  /** Asks which part of a mix found each document, which costs a search of each part. */
  explainsParts?: boolean | undefined
  /** Unsaved changes of the definition to query with. */
  changes?: PreviewChanges | undefined
  signal: AbortSignal
}

export const fetchAnswer = async ({
  workspace,
  api,
  stack,
  config,
  offset,
  count = pageSize,
  previewedMember: as,
  explainsParts,
  changes,
  signal,
}: AnswerRequest): Promise<Answer> => {
  let headers = new Headers()
  const onHeaders = (received: Headers) => {
    headers = received
  }
  const queries = createQueryApi(workspace, api, { as, changes, signal, onHeaders })
  const startedMs = performance.now()
  const options = { count, offset, highlight: true, config }
  const reply = await queries.resultsCount(stack, explainsParts ? { ...options, parts: true } : options)
  return {
    reply,
    requestId: headers.get('x-request-id') ?? undefined,
    serverMs: readServerTiming(headers.get('server-timing')),
    totalMs: performance.now() - startedMs,
  }
}

/** Reads `total;dur=3` (https://www.w3.org/TR/server-timing/). */
const readServerTiming = (header: string | null): number | undefined => {
  const [, duration] = /\btotal;dur=([\d.]+)/.exec(header ?? '') ?? []
  return duration === undefined ? undefined : Number(duration)
}
