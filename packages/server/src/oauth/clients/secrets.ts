/** Client Secrets: constant-time comparison, and time of last use. */

import { hash, timingSafeEqual } from 'node:crypto'
import { openBatchedWriter } from '#memory/batched-writer'
import type { LoadedSecret } from '#oauth/library/loaded-client'
import type { Log } from '#oauth/library/log'
import { type SecretRow, touchSecrets } from '#storage/clients'
import type { Storage } from '#storage/db'

/** Decodes once instead of on each use. */
export const decodeSecret = ({ id, hash: stored, expiresAt }: SecretRow): LoadedSecret => ({
  id,
  digest: Buffer.from(stored, 'base64url'),
  expiresAt,
})

/** Compared for clients without secrets and unknown clients, so that the work is the same. */
const placeholderSecrets: readonly LoadedSecret[] = [{ id: '', digest: Buffer.alloc(32), expiresAt: 0 }]

/** Returns the id of the matching secret, unless expired. Always compares all of them. */
export const matchingSecret = (secrets: readonly LoadedSecret[], secret: string): string | undefined => {
  const givenDigest = hash('sha256', secret, 'buffer')
  const now = Date.now()
  let matchingId: string | undefined
  for (const { id, digest, expiresAt } of secrets.length > 0 ? secrets : placeholderSecrets) {
    const isSame = timingSafeEqual(givenDigest, digest)
    if (isSame && (expiresAt === null || expiresAt > now)) matchingId = id
  }
  return matchingId
}

export interface SecretUses {
  /** Records that a secret was used now. Costs a map entry; written later in a batch. */
  recordUse(secretId: string): void
  /** Writes the recorded uses. */
  close(): Promise<void>
}

/** Beyond this many, uses are dropped until the secret's next use: they are informational. */
const usesMax = 10_000
const writeEveryMs = 5000

export const openSecretUses = (storage: Storage, log: Log): SecretUses => {
  let lastUsedById = new Map<string, number>()
  const { close } = openBatchedWriter({
    everyMs: writeEveryMs,
    hasPending: () => lastUsedById.size > 0,
    async write() {
      if (lastUsedById.size === 0) return
      const batch = lastUsedById
      lastUsedById = new Map()
      await touchSecrets(storage, batch)
    },
    onFailure: err => log.warn({ err }, 'the last uses of secrets could not be written'),
  })
  return {
    recordUse(secretId) {
      if (lastUsedById.size < usesMax || lastUsedById.has(secretId)) lastUsedById.set(secretId, Date.now())
    },
    close,
  }
}
