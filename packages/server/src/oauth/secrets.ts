/** Client Secrets: comparison in constant time, and when each was last used. */
import { hash, timingSafeEqual } from 'node:crypto'
import { type SecretRow, touchSecrets } from '#storage/clients'
import type { Storage } from '#storage/db'

/** A secret as it is compared with. */
export interface KnownSecret {
  id: string
  digest: Buffer
  /** Milliseconds since 1970; null: never. */
  expiresAt: number | null
}

/** Decoded once, not at each use. */
export const knownSecret = ({ id, hash: stored, expiresAt }: SecretRow): KnownSecret => ({
  id,
  digest: Buffer.from(stored, 'base64url'),
  expiresAt,
})

/** Compared with where a client has no secret, or does not exist, so that the work is the same. */
const nobodys: readonly KnownSecret[] = [{ id: '', digest: Buffer.alloc(32), expiresAt: 0 }]

/** The one of `secrets` that `given` is, unless it has expired. Every secret is looked at, whichever fits. */
export const matchingSecret = (secrets: readonly KnownSecret[], given: string): string | undefined => {
  const sent = hash('sha256', given, 'buffer')
  const now = Date.now()
  let found: string | undefined
  for (const { id, digest, expiresAt } of secrets.length > 0 ? secrets : nobodys) {
    const same = timingSafeEqual(sent, digest)
    if (same && (expiresAt === null || expiresAt > now)) found = id
  }
  return found
}

export interface SecretUses {
  /** Notes that a secret was used now. Costs a map entry; written later, together. */
  note(secretId: string): void
  /** Writes what was noted. */
  flush(): Promise<void>
}

/** Beyond this many, uses wait for the next time that their secret is used: what is shown is a help, no record. */
const notedMax = 10_000

export const openSecretUses = (storage: Storage): SecretUses => {
  let noted = new Map<string, number>()
  return {
    note(secretId) {
      if (noted.size < notedMax || noted.has(secretId)) noted.set(secretId, Date.now())
    },
    async flush() {
      if (noted.size === 0) return
      const writing = noted
      noted = new Map()
      await touchSecrets(storage, writing)
    },
  }
}
