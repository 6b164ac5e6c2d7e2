/**
 * Hashes and encrypts the texts of searches, so that neither the database nor its backups contain them in clear. A database keeps
 * remains of removed rows for a while; these are unreadable too.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

export interface SearchPlace {
  workspaceId: string
  /** Days since 1970. */
  day: number
}

export interface SearchCipher {
  /** Returns the same hash for the same path in a workspace. */
  hash(workspaceId: string, path: string): string
  encrypt(place: SearchPlace, text: string): string
  /** Returns undefined for a text of another workspace, day or server. */
  decrypt(place: SearchPlace, encrypted: string): string | undefined
}

/** Longest text of a search; its hash is that of the whole path. */
export const searchTextCharsMax = 1024

const hashPrefix = 'hmac-sha256:'
const ivBytes = 12
const tagBytes = 16

/** `serverKey` is derived from the key of the server. */
export const createSearchCipher = (serverKey: Buffer): SearchCipher => {
  /** A key of one day encrypts too few texts for two of them to share a random IV (NIST SP 800-38D, section 8.3). */
  const deriveDayKey = ({ workspaceId, day }: SearchPlace) =>
    createHmac('sha256', serverKey).update(`text ${workspaceId} ${day}`).digest()
  return {
    hash: (workspaceId, path) =>
      hashPrefix + createHmac('sha256', serverKey).update(`${workspaceId} ${path}`).digest('base64url'),
    encrypt(place, text) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', deriveDayKey(place), iv)
      return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString(
        'base64url',
      )
    },
    decrypt(place, encrypted) {
      const bytes = Buffer.from(encrypted, 'base64url')
      if (bytes.length < ivBytes + tagBytes) return undefined
      const decipher = createDecipheriv('aes-256-gcm', deriveDayKey(place), bytes.subarray(0, ivBytes))
      decipher.setAuthTag(bytes.subarray(-tagBytes))
      try {
        return decipher.update(bytes.subarray(ivBytes, -tagBytes)).toString() + decipher.final('utf8')
      } catch {
        return undefined
      }
    },
  }
}
