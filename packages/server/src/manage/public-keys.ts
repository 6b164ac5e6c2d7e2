/** Public keys that clients are registered with, for private_key_jwt (RFC 7523). */
import { createPublicKey } from 'node:crypto'
import { assertionAlgorithms } from '@querent/contract/manage'
import type { Path } from '@querent/contract/workspace-source'
import type { PublicKeys } from '#storage/clients'
import { badInput } from './bad-input.ts'

type Key = PublicKeys['keys'][number]

/** The members of a JWK that are secret (RFC 7518, section 6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
/** RFC 7518, section 3.3. */
const rsaBitsMin = 2048

/** Keys that are secret, or that no assertion can be verified with, by their place. */
export const publicKeyFaults = (keys: PublicKeys | undefined): { path: Path; message: string }[] =>
  (keys?.keys ?? []).flatMap((key, index, all) => {
    const message = problemOf(key) ?? problemOfKid(key, all.slice(0, index))
    return message === undefined ? [] : [{ path: ['publicKeys', 'keys', index], message }]
  })

const problemOf = (key: Key): string | undefined => {
  const found = privateMembers.find(name => Object.hasOwn(key, name))
  if (found !== undefined) return `"${found}" belongs to a private key: send the public one only`
  const { kty, crv, alg, use, key_ops: operations } = key
  let bits: number | undefined
  try {
    bits = createPublicKey({ key, format: 'jwk' }).asymmetricKeyDetails?.modulusLength
  } catch {
    return 'is no public key of RFC 7517: allowed are kty RSA, EC and OKP'
  }
  const algorithms = algorithmsOf(key)
  if (algorithms.length === 0)
    return `a key of kty ${told(kty)} and crv ${told(crv)} verifies none of ${assertionAlgorithms.join(', ')}: allowed are kty RSA, kty EC with crv P-256, and kty OKP with crv Ed25519`
  if (bits !== undefined && bits < rsaBitsMin)
    return `an RSA key has at least ${rsaBitsMin} bits, this one has ${bits}`
  if (alg !== undefined && !algorithms.some(allowed => allowed === alg))
    return `alg: found ${told(alg)}, allowed for this key: ${algorithms.join(', ')}`
  if (use !== undefined && use !== 'sig') return `use: found ${told(use)}, allowed: "sig", or leave it out`
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    return `key_ops: found ${told(operations)}, allowed: ["verify"], or leave it out`
  return undefined
}

/** Of two keys of one name, which is meant? */
const problemOfKid = ({ kid }: Key, before: readonly Key[]): string | undefined => {
  if (kid === undefined) return undefined
  if (typeof kid !== 'string') return `kid: found ${told(kid)}, allowed: a string`
  return before.some(key => key.kid === kid)
    ? `kid: another key has ${told(kid)} too: give each its own`
    : undefined
}

/** Those of the assertions that a key like this verifies. */
const algorithmsOf = ({ kty, crv }: Key): (typeof assertionAlgorithms)[number][] => {
  if (kty === 'RSA') return ['RS256', 'PS256']
  if (kty === 'EC' && crv === 'P-256') return ['ES256']
  return kty === 'OKP' && crv === 'Ed25519' ? ['Ed25519', 'EdDSA'] : []
}

const told = (value: unknown): string => JSON.stringify(value ?? null).slice(0, 100)

/** Throws 400 for the first of them. */
export const refuseBadKeys = (keys: PublicKeys | undefined): void => {
  const [fault] = publicKeyFaults(keys)
  if (fault) throw badInput(fault.path, fault.message)
}
