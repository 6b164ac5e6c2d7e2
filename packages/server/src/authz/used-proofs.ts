/**
 * Accepts each DPoP proof once (RFC 9449, section 11.1), also if several nodes share the storage. Each proof costs a row in the storage.
 * Requests that arrive during a write share the next one, so the number of transactions stays far below that of requests.
 */
import { hash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { Problem } from '#errors'
import { lruLimit } from '#memory/lru-limit'
import type { Storage } from '#storage/db'
import { addUsedProofs, pruneUsedProofs, type UsedProof } from '#storage/dpop-proofs'

export interface UsedProofs {
  /**
   * True if the proof is used for the first time. `issuedAt` is in seconds since 1970. Throws 503 if the storage cannot tell.
   */
  use(proof: { keyThumbprint: string; jti: string; issuedAt: number }): Promise<boolean>
}

/** Replays on the same node need no write. */
const rememberedMax = 50_000
const waitingMax = 10_000
const rowsPerWrite = 500
const pruneEveryMs = 10_000
/** How long a proof is valid for a node whose clock is a minute behind. */
const keptSeconds = 3 * 60

/** The longest wait between writes, which adds to the latency of a request. */
const pauseMsMax = 8

/**
 * Returns how long to collect proofs before the next write, in milliseconds. A write waits for the disk and on SQLite stops this thread, so
 * under load a few large ones are cheaper than many small ones. The pause grows with the rows of the last write: a client that sends one request after
 * another waits for nothing.
 */
const choosePause = (rows: number, writeMs: number): number => Math.min((rows - 1) * writeMs, pauseMsMax)

interface WaitingProof extends UsedProof {
  resolve(isNew: boolean): void
  reject(error: unknown): void
}

export const createUsedProofs = (storage: Pick<Storage, 'db' | 'kind' | 'isAway'>): UsedProofs => {
  const remembered = new LRUCache<string, true>(lruLimit(rememberedMax))
  const waiting: WaitingProof[] = []
  let isWriting = false
  let prunedAt = Date.now()

  const write = async (batch: WaitingProof[]): Promise<void> => {
    try {
      const added = await addUsedProofs(storage.db, batch)
      for (const { id, resolve } of batch) resolve(added.has(id))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  const writeAll = async (): Promise<void> => {
    isWriting = true
    // Requests that have already arrived join the first write.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const startedMs = performance.now()
      const batch = waiting.splice(0, rowsPerWrite)
      await write(batch)
      const pauseMs = choosePause(batch.length, performance.now() - startedMs)
      if (pauseMs >= 1) await wait(pauseMs)
    }
    isWriting = false
    if (Date.now() - prunedAt < pruneEveryMs) return
    prunedAt = Date.now()
    // The next attempt removes what this one left.
    await pruneUsedProofs(storage).catch(() => {})
  }

  return {
    use({ keyThumbprint, jti, issuedAt }) {
      const id = hash('sha256', `${keyThumbprint}.${jti}`, 'base64url')
      if (remembered.has(id)) return Promise.resolve(false)
      if (storage.isAway() || waiting.length >= waitingMax)
        return Promise.reject(
          new Problem(
            'unavailable',
            'the server cannot check now whether the DPoP proof was used before; try again shortly',
          ),
        )
      remembered.set(id, true)
      return new Promise((resolve, reject) => {
        waiting.push({ id, expiresAt: (Math.floor(issuedAt) + keptSeconds) * 1000, resolve, reject })
        if (!isWriting) void writeAll()
      })
    },
  }
}
