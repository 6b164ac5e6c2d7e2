/** Encryption of stored records: request parameters, which may contain tokens and personal addresses, and secrets of authenticator apps. */
import { type CompactDecryptResult, CompactEncrypt, compactDecrypt, errors } from 'jose'
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

/** Purposes of stored records. Each has its column in sealed-columns.ts, so that a change of the key finds it. */
export type StoredPurpose =
  | 'records'
  | 'authenticator apps'
  | 'provider secrets'
  | 'provider tokens'
  | 'replies to forms'
  | 'mails'
/** Purposes of cookies, which a browser keeps for minutes. */
type CookiePurpose = 'page secrets' | 'sign-ins at providers'

/** Records of one purpose cannot be decrypted as another. */
export const createRecordEncryption = (
  keyring: Pick<Keyring, 'derive'>,
  purpose: StoredPurpose | CookiePurpose = 'records',
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

/** Reads and writes ciphertexts of any record without its id. */
export const createRecordCipher = (keyring: Pick<Keyring, 'derive'>, purpose: StoredPurpose) => {
  const key = keyring.derive(purpose)
  return {
    /** Undefined: encrypted with another key. */
    async read(ciphertext: string): Promise<SealedRecord | undefined> {
      try {
        return await compactDecrypt(ciphertext, key)
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
    /** The record stays bound to its id, which the header has. */
    write: ({ plaintext, protectedHeader }: SealedRecord): Promise<string> =>
      new CompactEncrypt(plaintext).setProtectedHeader(protectedHeader).encrypt(key),
  }
}
type SealedRecord = Pick<CompactDecryptResult, 'plaintext' | 'protectedHeader'>
