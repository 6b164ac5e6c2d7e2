/** Registered public keys of clients, for private_key_jwt (RFC 7523). */
import { type AsymmetricKeyDetails, createPublicKey } from 'node:crypto'
import { assertionAlgorithms } from '@querent/contract/manage'
import type { Path } from '@querent/contract/workspace-source'
import type { PublicKeys } from '#storage/clients'

type Key = PublicKeys['keys'][number]

/** Private members of a JWK (RFC 7518, section 6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
/** RFC 7518, section 3.3. */
const rsaBitsMin = 2048
/** OpenSSL allows up to 16,384; the time of a verification grows with the square. */
const rsaBitsMax = 8192
/** OpenSSL allows 64 for moduli of more than 3,072 bits; real keys use 65537 or 3. */
const rsaExponentBitsMax = 32

/** Finds keys that are private or cannot verify an assertion. */
export const publicKeyFaults = (keys: PublicKeys | undefined): { path: Path; message: string }[] =>
  (keys?.keys ?? []).flatMap((key, index, allKeys) => {
    const message = findKeyProblem(key) ?? findKidProblem(key, allKeys.slice(0, index))
    return message === undefined ? [] : [{ path: ['publicKeys', 'keys', index], message }]
  })

const findKeyProblem = (key: Key): string | undefined => {
  const privateMember = privateMembers.find(name => Object.hasOwn(key, name))
  if (privateMember !== undefined)
    return `"${privateMember}" belongs to a private key: send the public one only`
  const { kty, crv, alg, use, key_ops: operations } = key
  let details: AsymmetricKeyDetails
  try {
    details = createPublicKey({ key, format: 'jwk' }).asymmetricKeyDetails ?? {}
  } catch {
    return 'is not a public key (RFC 7517); allowed: kty RSA, EC and OKP'
  }
  const algorithms = listAlgorithms(key)
  if (algorithms.length === 0)
    return `a key of kty ${quoteValue(kty)} and crv ${quoteValue(crv)} verifies none of ${assertionAlgorithms.join(', ')}: allowed are kty RSA, kty EC with crv P-256, and kty OKP with crv Ed25519`
  const { modulusLength: bits, publicExponent: exponent } = details
  if (bits !== undefined && (bits < rsaBitsMin || bits > rsaBitsMax))
    return `RSA keys must have ${rsaBitsMin} to ${rsaBitsMax} bits; this one has ${bits}`
  if (exponent !== undefined && !isAllowedExponent(exponent))
    return `e: found ${countBits(exponent)} bits, allowed: an odd exponent from 3 of at most ${rsaExponentBitsMax} bits, such as 65537`
  if (alg !== undefined && !algorithms.some(allowed => allowed === alg))
    return `alg: found ${quoteValue(alg)}, allowed for this key: ${algorithms.join(', ')}`
  if (use !== undefined && use !== 'sig')
    return `use: found ${quoteValue(use)}, allowed: "sig", or leave it out`
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    return `key_ops: found ${quoteValue(operations)}, allowed: ["verify"], or leave it out`
  return undefined
}

const countBits = (exponent: bigint): number => exponent.toString(2).length

/** RFC 8017, section 3.1, and the limits of OpenSSL. */
const isAllowedExponent = (exponent: bigint): boolean =>
  exponent >= 3n && exponent % 2n === 1n && countBits(exponent) <= rsaExponentBitsMax

/** Key ids must be unique. */
const findKidProblem = ({ kid }: Key, earlierKeys: readonly Key[]): string | undefined => {
  if (kid === undefined) return undefined
  if (typeof kid !== 'string') return `kid: found ${quoteValue(kid)}, allowed: a string`
  return earlierKeys.some(key => key.kid === kid)
    ? `kid: another key also has ${quoteValue(kid)}; use unique ids`
    : undefined
}

/** Lists the assertion algorithms that such a key verifies. */
const listAlgorithms = ({ kty, crv }: Key): (typeof assertionAlgorithms)[number][] => {
  if (kty === 'RSA') return ['RS256', 'PS256']
  if (kty === 'EC' && crv === 'P-256') return ['ES256']
  return kty === 'OKP' && crv === 'Ed25519' ? ['Ed25519', 'EdDSA'] : []
}

const quoteValue = (value: unknown): string => JSON.stringify(value ?? null).slice(0, 100)
