/** Encryption of stored records: request parameters, which may contain tokens and personal addresses, and secrets of authenticator apps. */
import { CompactEncrypt, compactDecrypt, errors } from 'jose'
import { hashRecordId } from '#storage/oidc-records'
import type { Keyring } from './keyring.ts'

export interface RecordEncryption {
  /** Binds the ciphertext to the record's id. */
  encrypt(id: string, payload: Record<string, unknown>): Promise<string>
  /** Undefined: encrypted for another record or with another key. */
  decrypt(id: string, ciphertext: string): Promise<Record<string, unknown> | undefined>
  /** Whether it was encrypted with this key, for any record. False after `QUERENT_KEY` was replaced. */
  isOfThisKey(ciphertext: string): Promise<boolean>
}

/** `purpose`: records of one purpose cannot be decrypted as another. */
export const createRecordEncryption = (
  keyring: Pick<Keyring, 'derive'>,
  purpose = 'records',
): RecordEncryption => {
  const key = keyring.derive(purpose)
  return {
    encrypt: (id, payload) =>
      new CompactEncrypt(Buffer.from(JSON.stringify(payload)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: hashRecordId(id) })
        .encrypt(key),
    async decrypt(id, ciphertext) {
      try {
        const { plaintext, protectedHeader } = await compactDecrypt(ciphertext, key)
        if (protectedHeader.kid !== hashRecordId(id)) return undefined
        // Written only by `encrypt`; the cipher authenticates it.
        return JSON.parse(Buffer.from(plaintext).toString()) as Record<string, unknown>
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
    async isOfThisKey(ciphertext) {
      try {
        await compactDecrypt(ciphertext, key)
        return true
      } catch (error) {
        if (error instanceof errors.JOSEError) return false
        throw error
      }
    },
  }
}
