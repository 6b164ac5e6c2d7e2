/** Records that are stored encrypted: what an application asked for may hold tokens and addresses of people. */
import { CompactEncrypt, compactDecrypt, errors } from 'jose'
import type { Keyring } from '#keys/keyring'
import { hashRecordId } from '#storage/oidc-records'

export interface RecordEncryption {
  /** Bound to the record's id: what was sealed for one is no other's. */
  encrypt(id: string, payload: Record<string, unknown>): Promise<string>
  /** Undefined: sealed for another record, or with another key. */
  decrypt(id: string, ciphertext: string): Promise<Record<string, unknown> | undefined>
}

export const createRecordEncryption = (keyring: Pick<Keyring, 'derive'>): RecordEncryption => {
  const key = keyring.derive('records')
  return {
    encrypt: (id, payload) =>
      new CompactEncrypt(Buffer.from(JSON.stringify(payload)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: hashRecordId(id) })
        .encrypt(key),
    async decrypt(id, ciphertext) {
      try {
        const { plaintext, protectedHeader } = await compactDecrypt(ciphertext, key)
        if (protectedHeader.kid !== hashRecordId(id)) return undefined
        // Written by `close` alone; the cipher vouches that it is unchanged.
        return JSON.parse(Buffer.from(plaintext).toString()) as Record<string, unknown>
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
  }
}
