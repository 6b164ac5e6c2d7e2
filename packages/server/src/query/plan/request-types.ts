/** The request types: what each requests from the engine, and its reply (query-service.md, Paths and Replies). To add one, add a row. */
import type { RequestType } from '@querent/contract/paths'
import { type Format, rankMax } from '@querent/contract/query-options'
import type { Reply } from '#engines/engine'
import { Problem } from '#errors'
import { acceptedFormat } from '#query/formats/formats'
import type { QueryOptions } from '#query/options'
import {
  countText,
  makeStatistics,
  type PageOptions,
  resultItemText,
  resultPageParts,
  resultsParts,
  resultsWithCountParts,
  type TextParts,
} from './results.ts'

export interface ResultsRequest {
  offset: number
  count: number
  statistics: boolean
  /** True if the reply contains the number of results. */
  total: boolean
  highlight?: boolean
  suggest?: boolean
}

export interface RequestTypeRow {
  makeRequest(options: QueryOptions): ResultsRequest
  /** Supports other formats than JSON. */
  formats?: true
  /** Can page through the whole result with a cursor. */
  hasCursor?: true
  /** JSON text, or its parts. Throws {@link Problem}. */
  reply(reply: Reply, options: PageOptions): string | TextParts
}

const page = ({ offset, count, highlight }: QueryOptions): ResultsRequest => ({
  offset,
  count,
  statistics: false,
  total: false,
  highlight,
  suggest: true,
})

/** Formats a position of the request; JavaScript cannot represent very large ones. */
const formatPosition = (position: number): string =>
  Number.isSafeInteger(position) ? String(position) : `above ${Number.MAX_SAFE_INTEGER}`

export const requestTypeRows: Readonly<Record<RequestType, RequestTypeRow>> = {
  results: { makeRequest: page, formats: true, hasCursor: true, reply: resultsParts },
  count: { makeRequest: () => ({ offset: 0, count: 0, statistics: false, total: true }), reply: countText },
  statistics: {
    makeRequest: () => ({ offset: 0, count: 0, statistics: true, total: true }),
    reply: (reply, options) => JSON.stringify(makeStatistics(reply, options)),
  },
  'results,count': {
    makeRequest: options => ({ ...page(options), statistics: true, total: true }),
    formats: true,
    hasCursor: true,
    reply: resultsWithCountParts,
  },
  resultpage: { makeRequest: page, hasCursor: true, reply: resultPageParts },
  resultitem: {
    makeRequest: ({ rank }) => ({
      offset: Math.min(rank, rankMax) - 1,
      count: rank > rankMax ? 0 : 1,
      statistics: false,
      total: false,
    }),
    reply(reply, { rank, column }) {
      if (rank > rankMax)
        throw new Problem(
          'no-such-resource',
          `there is no result of rank ${formatPosition(rank)}: ranks go to ${rankMax}`,
        )
      if (column !== 1)
        throw new Problem(
          'no-such-resource',
          `there is no column ${formatPosition(column)}: tuples have one column, 1`,
        )
      const text = resultItemText(reply)
      if (text === undefined) throw new Problem('no-such-resource', `there is no result of rank ${rank}`)
      return text
    },
  },
}

/** Returns the format that the option names, or the one that `Accept` prefers. */
export const chooseFormat = (
  { formats }: RequestTypeRow,
  { format }: QueryOptions,
  accept: string | undefined,
): Format => (formats ? (format ?? acceptedFormat(accept)) : 'json')
