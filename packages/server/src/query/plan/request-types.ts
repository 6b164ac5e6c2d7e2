/** The request types: what each wants of the engine, and its reply. A new one is a row here (query-service.md, Paths and Replies). */
import type { RequestType } from '@querent/contract/paths'
import type { Reply } from '#engines/engine'
import { Problem } from '#errors'
import { acceptedFormat, type Format } from '#query/formats/formats'
import { type QueryOptions, rankMax } from '#query/options'
import { countText, resultItemText, resultPageText, resultsText, statisticsOf } from './results.ts'

export interface Wanted {
  offset: number
  count: number
  statistics: boolean
  /** Whether the reply says how many results there are. */
  total: boolean
  highlight?: boolean
}

export interface RequestTypeRow {
  wants(options: QueryOptions): Wanted
  /** Comes in other formats than JSON too. */
  formats?: true
  /** JSON text. Throws {@link Problem}. */
  reply(reply: Reply, options: QueryOptions): string
}

const page = ({ offset, count, highlight }: QueryOptions): Wanted => ({
  offset,
  count,
  statistics: false,
  total: false,
  highlight,
})

/** A place that was asked for; one of many digits is no number that could be written. */
const shown = (place: number): string =>
  Number.isSafeInteger(place) ? String(place) : `above ${Number.MAX_SAFE_INTEGER}`

export const requestTypeRows: Readonly<Record<RequestType, RequestTypeRow>> = {
  results: { wants: page, formats: true, reply: resultsText },
  count: { wants: () => ({ offset: 0, count: 0, statistics: false, total: true }), reply: countText },
  statistics: {
    wants: () => ({ offset: 0, count: 0, statistics: true, total: true }),
    reply: reply => JSON.stringify(statisticsOf(reply)),
  },
  'results,count': {
    wants: options => ({ ...page(options), statistics: true, total: true }),
    formats: true,
    reply: (reply, options) => `[${resultsText(reply, options)},${JSON.stringify(statisticsOf(reply))}]`,
  },
  resultpage: { wants: page, reply: resultPageText },
  resultitem: {
    wants: ({ rank }) => ({
      offset: Math.min(rank, rankMax) - 1,
      count: rank > rankMax ? 0 : 1,
      statistics: false,
      total: false,
    }),
    reply(reply, { rank, column }) {
      if (rank > rankMax)
        throw new Problem(
          'no-such-resource',
          `there is no result of rank ${shown(rank)}: ranks go to ${rankMax}`,
        )
      if (column !== 1)
        throw new Problem(
          'no-such-resource',
          `there is no column ${shown(column)}: the tuples have one column, 1`,
        )
      const text = resultItemText(reply)
      if (text === undefined) throw new Problem('no-such-resource', `there is no result of rank ${rank}`)
      return text
    },
  },
}

/** The format that the option names, else the one that `Accept` prefers. */
export const formatOf = (
  { formats }: RequestTypeRow,
  { format }: QueryOptions,
  accept: string | undefined,
): Format => (formats ? (format ?? acceptedFormat(accept)) : 'json')
