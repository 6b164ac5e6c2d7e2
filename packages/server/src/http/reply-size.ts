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

/** `response`: counts until it is closed. */
export type OpenReplySize = (account: string, response: ServerResponse, bytesMax?: number) => ReplySize

/** Creates the counts of one process. */
export const createReplySizes = (): OpenReplySize => {
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
    const count = (bytes: number): void => {
      // A closed response emits nothing that would end the count.
      if (response.destroyed) throw new Problem('unavailable', 'the client closed the connection')
      const growth = bytes - countedBytes
      if (growth > 0) {
        if ((ofAccounts.get(account) ?? 0) + growth > replyBytesOfAccountMax) throw tooManyLarge()
        if (ofAll + growth > replyBytesOfAllMax) throw overloaded()
      }
      if (countedBytes === 0)
        response.once('close', () => {
          change(account, -countedBytes)
          countedBytes = 0
        })
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

const tooManyLarge = (): Problem =>
  new Problem(
    'too-many-requests',
    `large replies to this account already take ${replyBytesOfAccountMax / mebibyte} MiB: read them first, or request fewer results at once`,
    { headers: { 'retry-after': '1' } },
  )

const overloaded = (): Problem =>
  new Problem(
    'overloaded',
    'too many large replies are being sent: try again, or request fewer results at once',
  )
