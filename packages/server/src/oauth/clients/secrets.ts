/** Client Secrets: comparison in constant time, and when each was last used. */
import { hash, timingSafeEqual } from 'node:crypto'
import { type SecretRow, touchSecrets } from '#storage/clients'
import type { Storage } from '#storage/db'

/** A secret as it is compared with. */
export interface LoadedSecret {
  id: string
  digest: Buffer
  /** Milliseconds since 1970; null: never. */
  expiresAt: number | null
}

/** Decoded once, not at each use. */
export const decodeSecret = ({ id, hash: stored, expiresAt }: SecretRow): LoadedSecret => ({
  id,
  digest: Buffer.from(stored, 'base64url'),
  expiresAt,
})

/** Compared with where a client has no secret, or does not exist, so that the work is the same. */
const placeholderSecrets: readonly LoadedSecret[] = [{ id: '', digest: Buffer.alloc(32), expiresAt: 0 }]

/** The one of `secrets` that `given` is, unless it has expired. Every secret is looked at, whichever fits. */
export const matchingSecret = (secrets: readonly LoadedSecret[], given: string): string | undefined => {
  const givenDigest = hash('sha256', given, 'buffer')
  const now = Date.now()
  let matchingId: string | undefined
  for (const { id, digest, expiresAt } of secrets.length > 0 ? secrets : placeholderSecrets) {
    const isSame = timingSafeEqual(givenDigest, digest)
    if (isSame && (expiresAt === null || expiresAt > now)) matchingId = id
  }
  return matchingId
}

export interface SecretUses {
  /** Notes that a secret was used now. Costs a map entry; written later, together. */
  recordUse(secretId: string): void
  /** Writes what was noted. */
  flush(): Promise<void>
}

/** Beyond this many, uses wait for the next time that their secret is used: what is shown is a help, no record. */
const usesMax = 10_000

export const openSecretUses = (storage: Storage): SecretUses => {
  let lastUsedById = new Map<string, number>()
  return {
    recordUse(secretId) {
      if (lastUsedById.size < usesMax || lastUsedById.has(secretId)) lastUsedById.set(secretId, Date.now())
    },
    async flush() {
      if (lastUsedById.size === 0) return
      const batch = lastUsedById
      lastUsedById = new Map()
      await touchSecrets(storage, batch)
    },
  }
}
