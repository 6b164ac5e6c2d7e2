/** Hashes passwords on the calling thread, which is one of a pool (password-hash.ts). */
import { hashRawSync, hashSync, type Options, verifySync } from '@node-rs/argon2'

export const hashText = ({ text, options }: { text: string; options: Options }): string =>
  hashSync(text, options)

/** `salt` and the result are in base64url. */
export const hashWithTextSalt = ({
  text,
  salt,
  options,
}: {
  text: string
  salt: string
  options: Options
}): string => hashRawSync(text, { ...options, salt: Buffer.from(salt, 'base64url') }).toString('base64url')

export const verifyText = ({ hash, text }: { hash: string; text: string }): boolean => verifySync(hash, text)
