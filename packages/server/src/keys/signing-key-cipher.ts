/** Encrypts private signing keys with AES-256-GCM under the server's key. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Returns `iv.tag.ciphertext`, base64url. Bound to the kid, so that stored keys cannot be swapped. */
export const encryptSigningKey = (text: string, secretKey: Buffer, kid: string): string => {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', secretKey, iv).setAAD(Buffer.from(kid))
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return [iv, cipher.getAuthTag(), ciphertext].map(part => part.toString('base64url')).join('.')
}

/** Throws if it was encrypted with another key, or for another kid. */
export const decryptSigningKey = (stored: string, secretKey: Buffer, kid: string): string => {
  const [iv, tag, ciphertext] = stored.split('.').map(part => Buffer.from(part, 'base64url'))
  try {
    if (!iv || !tag || !ciphertext) throw new Error('it is not of the form iv.tag.ciphertext')
    const decipher = createDecipheriv('aes-256-gcm', secretKey, iv, { authTagLength: 16 })
    decipher.setAAD(Buffer.from(kid)).setAuthTag(tag)
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
  } catch (cause) {
    throw new Error(
      "the signing keys in the storage cannot be decrypted: they were encrypted with another key. Set the same QUERENT_KEY, or restore the key file in the data folder. After a change of the key, run 'querent keys re-encrypt' with the old one in QUERENT_OLD_KEY",
      { cause },
    )
  }
}
