/**
 * Signs access tokens with node:crypto, which takes a third of the time of the library's WebCrypto
 * (bench/notes/performance.md, What a token costs).
 */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import type { Keyring } from '#keys/keyring'

/** Turns claims into a JWT (RFC 7515, section 7.1; RFC 9068, section 2.1). */
export type TokenSigner = (claims: object) => string

/** Uses the current signing key. Throws if there is none for the algorithm. */
export const createTokenSigner = (
  keyring: Pick<Keyring, 'privateJwks'>,
  algorithm: 'ES256' | 'EdDSA',
): TokenSigner => {
  // As the library does.
  const jwk = keyring.privateJwks().find(({ alg }) => alg === algorithm)
  if (!jwk?.kid) throw new Error(`there is no key for ${algorithm}`)
  const key = createPrivateKey({ key: { ...jwk }, format: 'jwk' })
  const header = encodeJson({ alg: algorithm, typ: 'at+jwt', kid: jwk.kid })
  const signBytes = algorithm === 'EdDSA' ? signEdDsa : signEs256
  return claims => {
    const signingInput = `${header}.${encodeJson(claims)}`
    return `${signingInput}.${signBytes(Buffer.from(signingInput, 'latin1'), key).toString('base64url')}`
  }
}

const encodeJson = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const signEdDsa = (bytes: Buffer, key: KeyObject): Buffer => sign(null, bytes, key)

/** `dsaEncoding: 'ieee-p1363'` takes twice as long in Node.js 24. */
const signEs256 = (bytes: Buffer, key: KeyObject): Buffer => toJoseSignature(sign('sha256', bytes, key))

/** Bytes of each number of an ES256 signature (RFC 7518, section 3.4). */
const numberBytes = 32

/** Converts OpenSSL's DER, SEQUENCE { INTEGER r, INTEGER s } (RFC 3279, section 2.2.3), to the JOSE form. */
const toJoseSignature = (der: Buffer): Buffer => {
  const signature = Buffer.alloc(2 * numberBytes)
  // Tag and length of the sequence; all lengths of P-256 take one byte.
  let offset = 2
  for (const end of [numberBytes, 2 * numberBytes]) {
    const length = der.readUInt8(offset + 1)
    const last = offset + 2 + length
    // A number with its first bit set has a leading zero; a small one is shorter.
    const number = der.subarray(Math.max(offset + 2, last - numberBytes), last)
    signature.set(number, end - number.length)
    offset = last
  }
  return signature
}

/** Adds claims that the library leaves out of access tokens. */
export const completeClaims = (
  claims: { scope?: unknown; grant_id?: unknown },
  grantId: string | undefined,
): void => {
  // `scope` is always among the claims, even if empty.
  claims.scope ??= ''
  // Replaying a code or refresh token ends the tokens of its grant, also at the query service.
  if (grantId !== undefined) claims.grant_id = grantId
}
