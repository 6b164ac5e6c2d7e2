/** Public keys that clients are registered with, for private_key_jwt (RFC 7523). */
import { createPublicKey } from 'node:crypto'
import type { Path } from '@querent/contract/workspace-source'
import type { PublicKeys } from '#storage/clients'
import { badInput } from './bad-input.ts'

/** The members of a JWK that are secret (RFC 7518, section 6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** Keys that are secret, or none that assertions can be verified with, by their place. */
export const publicKeyFaults = (keys: PublicKeys | undefined): { path: Path; message: string }[] =>
  (keys?.keys ?? []).flatMap((key, index) => {
    const message = problemOf(key)
    return message === undefined ? [] : [{ path: ['publicKeys', 'keys', index], message }]
  })

const problemOf = (key: Record<string, unknown>): string | undefined => {
  const found = privateMembers.find(name => Object.hasOwn(key, name))
  if (found !== undefined) return `"${found}" belongs to a private key: send the public one only`
  try {
    createPublicKey({ key, format: 'jwk' })
    return undefined
  } catch {
    return 'is no public key of RFC 7517: allowed are kty RSA, EC and OKP'
  }
}

/** Throws 400 for the first of them. */
export const refuseBadKeys = (keys: PublicKeys | undefined): void => {
  const [fault] = publicKeyFaults(keys)
  if (fault) throw badInput(fault.path, fault.message)
}
