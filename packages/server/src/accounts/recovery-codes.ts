/** Recovery codes: each replaces a second factor once. */
import { randomBytes, randomInt } from 'node:crypto'
import { hashWithSalt } from './password-hash.ts'
import { readTypedCode } from './typed-code.ts'

/** Without characters that look alike. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyz'
const charactersEach = 10
const codesEach = 10

/** Returns 10 new codes such as `7k2mq-x9d4r`, of 49 random bits each. */
const newCodes = (): string[] =>
  Array.from({ length: codesEach }, () => {
    const characters = Array.from({ length: charactersEach }, () => alphabet[randomInt(alphabet.length)])
    return `${characters.slice(0, charactersEach / 2).join('')}-${characters.slice(charactersEach / 2).join('')}`
  })

/** Returns new codes for the person to keep, and their hashes to store. All have one salt, so that one hash finds a code. */
export const createRecoveryCodes = async (): Promise<{
  codes: string[]
  salt: string
  hashes: string[]
}> => {
  const codes = newCodes()
  const salt = randomBytes(16).toString('base64url')
  const hashes: string[] = []
  // One after another: each needs 19 MiB.
  for (const code of codes) hashes.push(await hashRecoveryCode(code, salt))
  return { codes, salt, hashes }
}

/** Ignores case and everything that is no letter or digit. */
export const hashRecoveryCode = (code: string, salt: string): Promise<string> =>
  hashWithSalt(readTypedCode(code).toLowerCase(), salt)
