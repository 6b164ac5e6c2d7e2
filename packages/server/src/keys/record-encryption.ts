/** Encryption of stored records: request parameters, which may contain tokens and personal addresses, and secrets of authenticator apps. */
import { type CompactDecryptResult, CompactEncrypt, compactDecrypt, errors } from 'jose'
import { hashRecordId } from '#storage/oidc-records'
import type { Keyring } from './keyring.ts'

export interface RecordEncryption {
  /** Binds the ciphertext to the record's id. */
  encrypt(id: string, payload: Record<string, unknown>): Promise<string>
  /** Undefined: encrypted for another record or with another key. */
  decrypt(id: string, ciphertext: string): Promise<Record<string, unknown> | undefined>
  /** Like `decrypt`, with the reason why there is no payload. */
  open(id: string, ciphertext: string): Promise<OpenedRecord>
}

/** `other-key`: of a key before `QUERENT_KEY` was replaced. */
export type OpenedRecord =
  | { state: 'readable'; payload: Record<string, unknown> }
  | { state: 'other-record' | 'other-key' }

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
  const open: RecordEncryption['open'] = async (id, ciphertext) => {
    const record = await decryptRecord(ciphertext, key)
    if (!record) return { state: 'other-key' }
    if (record.protectedHeader.kid !== hashRecordId(id)) return { state: 'other-record' }
    // Written only by `encrypt`; the cipher authenticates it.
    const payload = JSON.parse(Buffer.from(record.plaintext).toString()) as Record<string, unknown>
    return { state: 'readable', payload }
  }
  return {
    encrypt: (id, payload) =>
      new CompactEncrypt(Buffer.from(JSON.stringify(payload)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: hashRecordId(id) })
        .encrypt(key),
    open,
    async decrypt(id, ciphertext) {
      const result = await open(id, ciphertext)
      return result.state === 'readable' ? result.payload : undefined
    },
  }
}

/** Reads and writes ciphertexts of any record without its id. */
export const createRecordCipher = (keyring: Pick<Keyring, 'derive'>, purpose: StoredPurpose) => {
  const key = keyring.derive(purpose)
  return {
    /** Undefined: encrypted with another key. */
    read: (ciphertext: string) => decryptRecord(ciphertext, key),
    /** The record stays bound to its id, which the header has. */
    write: ({ plaintext, protectedHeader }: SealedRecord): Promise<string> =>
      new CompactEncrypt(plaintext).setProtectedHeader(protectedHeader).encrypt(key),
  }
}
type SealedRecord = Pick<CompactDecryptResult, 'plaintext' | 'protectedHeader'>

/** Undefined: encrypted with another key. */
const decryptRecord = async (ciphertext: string, key: Uint8Array): Promise<SealedRecord | undefined> => {
  try {
    return await compactDecrypt(ciphertext, key)
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}
