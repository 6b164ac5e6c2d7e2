/**
 * Cursors page through a whole result (query-service.md, Query parameters: `cursor`), or through the found documents of a collection. A cursor holds the position of the last item of its page, and a MAC (RFC 2104) over
 * it and over the query that it belongs to, so that nobody can make one up or use it for another query.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Problem } from '#errors'

/** Where a page starts. */
export interface PageStart {
  /** Number of items before the page. */
  items: number
  /** The engine's position (`Plan.after`), '' for the first page. Null: the page starts after `items` items. */
  after: string | null
  /** The time of the first page in milliseconds since 1970, if the order depends on the time. */
  nowMs?: number
}

/** The cursor of the first page. */
const firstCursor = '*'
const macBytes = 16
/** Longer positions would make the URL too long. They occur only when results are sorted by very long keywords. */
const positionCharsMax = 6_000

/**
 * `scope` is everything that the order of the results depends on, except the documents. Throws Problem `bad-option`, which names the
 * option that holds the cursor.
 */
export const readCursor = (key: Buffer, scope: string, cursor: string, option = 'cursor'): PageStart => {
  if (cursor === firstCursor) return { items: 0, after: '' }
  const bytes = Buffer.from(cursor, 'base64url')
  const payload = bytes.subarray(macBytes)
  const isOwn =
    bytes.length > macBytes &&
    bytes.toString('base64url') === cursor &&
    timingSafeEqual(bytes.subarray(0, macBytes), makeMac(key, scope, payload))
  if (!isOwn)
    throw new Problem(
      'bad-option',
      `the option "${option}" is ${JSON.stringify(cursor.slice(0, 100))}; allowed is *, or the "next" of the previous page of the same query`,
    )
  // The MAC proves that `writeCursor` wrote it.
  const [items, after, nowMs] = JSON.parse(payload.toString()) as [number, string | null, number?]
  return { items, after, ...(nowMs !== undefined && { nowMs }) }
}

export const writeCursor = (key: Buffer, scope: string, { items, after, nowMs }: PageStart): string => {
  const position = after !== null && after.length > positionCharsMax ? null : after
  const payload = Buffer.from(JSON.stringify([items, position, ...(nowMs === undefined ? [] : [nowMs])]))
  return Buffer.concat([makeMac(key, scope, payload), payload]).toString('base64url')
}

const makeMac = (key: Buffer, scope: string, payload: Buffer): Buffer =>
  createHmac('sha256', key)
    .update(`${scope.length} `)
    .update(scope)
    .update(payload)
    .digest()
    .subarray(0, macBytes)
