/**
 * Bounds the size of replies with documents. A page may have 1,000 documents of 1 MiB, so the parts of a reply are counted before the reply is
 * made, and large replies also for the account and for the whole process until they are sent.
 */
import type { ServerResponse } from 'node:http'
import { Problem } from '#errors'

const mebibyte = 1024 * 1024
/** Limit of one reply. A batch is one reply. */
export const replyBytesMax = 64 * mebibyte
/** Limit of the replies of one account that are made or sent. */
export const replyBytesOfAccountMax = 128 * mebibyte
/** Limit of the replies of all accounts that are made or sent. */
export const replyBytesOfAllMax = 512 * mebibyte
/** Smaller replies are not counted for the account. */
const uncountedBytes = mebibyte
/** A counted reply is canceled if nothing of it can be sent for this long, so that clients that don't read give their share back. */
export const stalledReplyMsMax = 60_000

/** The size of one reply so far. */
export interface ReplySize {
  /**
   * Adds a part before it is used. Characters of text count as bytes, because they have at least one byte. Throws Problem
   * `reply-too-large`; `too-many-requests` or `overloaded` if other large replies must be sent first.
   */
  add(bytes: number): void
  /** Takes a part back that the reply will not have. */
  subtract(bytes: number): void
}

/** `response`: counts until it is closed, which {@link stalledReplyMsMax} bounds. */
export type OpenReplySize = (account: string, response: ServerResponse, bytesMax?: number) => ReplySize

export interface ReplySizeSettings {
  /** Number of threads that answer queries. Each has its share of the limits, and at least one full reply. */
  workers: number
  stalledMsMax?: number
}

/** Creates the counts of one worker. */
export const createReplySizes = ({
  workers,
  stalledMsMax = stalledReplyMsMax,
}: ReplySizeSettings): OpenReplySize => {
  const accountBytesMax = Math.max(replyBytesMax, Math.ceil(replyBytesOfAccountMax / workers))
  const allBytesMax = Math.max(replyBytesMax, Math.ceil(replyBytesOfAllMax / workers))
  const ofAccounts = new Map<string, number>()
  let ofAll = 0
  const change = (account: string, bytes: number): void => {
    ofAll += bytes
    const accountBytes = (ofAccounts.get(account) ?? 0) + bytes
    if (accountBytes > 0) ofAccounts.set(account, accountBytes)
    else ofAccounts.delete(account)
  }
  return (account, response, bytesMax = replyBytesMax) => {
    let size = 0
    let countedBytes = 0
    let isCounting = false
    const startCounting = (): void => {
      isCounting = true
      response.once('close', () => {
        change(account, -countedBytes)
        countedBytes = 0
      })
      response.setTimeout(stalledMsMax, () => {
        if (response.headersSent) response.destroy()
        // The reply is still being made, which has limits of its own.
        else response.setTimeout(stalledMsMax)
      })
    }
    const count = (bytes: number): void => {
      // A closed response emits nothing that would end the count.
      if (response.destroyed) throw new Problem('unavailable', 'the client closed the connection')
      const growth = bytes - countedBytes
      if (growth > 0) {
        if ((ofAccounts.get(account) ?? 0) + growth > accountBytesMax) throw tooManyLarge(accountBytesMax)
        if (ofAll + growth > allBytesMax) throw overloaded()
      }
      if (!isCounting) startCounting()
      change(account, growth)
      countedBytes = bytes
    }
    return {
      add(bytes) {
        if (size + bytes > bytesMax) throw replyTooLarge(bytesMax)
        if (size + bytes > uncountedBytes) count(size + bytes)
        size += bytes
      },
      subtract(bytes) {
        size -= bytes
        if (countedBytes > size) {
          change(account, size - countedBytes)
          countedBytes = size
        }
      },
    }
  }
}

export const replyTooLarge = (bytesMax = replyBytesMax): Problem =>
  new Problem(
    'reply-too-large',
    `the reply would have more than ${bytesMax / mebibyte} MiB: request fewer results with "count", or only some "attributes"`,
  )

const tooManyLarge = (bytesMax: number): Problem =>
  new Problem(
    'too-many-requests',
    `large replies to this account already take ${bytesMax / mebibyte} MiB: read them first, or request fewer results at once`,
    { headers: { 'retry-after': '1' } },
  )

const overloaded = (): Problem =>
  new Problem(
    'overloaded',
    'too many large replies are being sent: try again, or request fewer results at once',
  )
