/**
 * Verifies DPoP proofs (RFC 9449, section 4.3). Uses node:crypto, because jose imports the key and computes its thumbprint for each proof.
 * Keys are cached by the header of the proof, which a client sends unchanged with each request.
 */
import { constants, createPublicKey, hash, type KeyObject, verify } from 'node:crypto'
import { promisify } from 'node:util'
import type { Check } from '@querent/contract/manage'
import { LRUCache } from 'lru-cache'
import { toContractPath } from '#http/path-versions'
import { lruLimit } from '#memory/lru-limit'
import { readText } from './access-token.ts'
import { redactAddress } from './query-path.ts'
import { failedCheck } from './token-checks.ts'

/** Signature algorithms of proofs: asymmetric ones only (RFC 9449, section 11.6). */
export const proofAlgorithms = ['ES256', 'EdDSA', 'Ed25519', 'PS256'] as const
type ProofAlgorithm = (typeof proofAlgorithms)[number]

/** Age of a proof, and allowed difference between clocks (authorization-server.md, Habits of real clients). */
export const proofWindowSeconds = 60

/** A verified proof. The caller must refuse one that was used before. */
export interface Proof {
  jti: string
  /** Seconds since 1970. */
  issuedAt: number
}

/** The request that a proof must be for. */
export interface ProvenRequest {
  method: string
  /** Public URL without query and fragment. */
  address: string
  accessToken: string
  /** Thumbprint of the key that the token is bound to (`cnf.jkt`). */
  keyThumbprint: string
}

interface ProofKey {
  algorithm: ProofAlgorithm
  key: KeyObject
  /** RFC 7638, with SHA-256. */
  thumbprint: string
}

const proofCharsMax = 8 * 1024
const jtiCharsMax = 512
const cachedKeysMax = 10_000
const rsaBitsMin = 2048
const rsaBitsMax = 4096
const compactJws = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/

/** Members of a private or symmetric key (RFC 7518, section 6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

const refuse = (message: string, expected?: string, found?: string): { check: Check } => ({
  check: failedCheck('proof', message, expected, found?.slice(0, 300)),
})

export const createProofVerifier = (pathVersions: readonly string[] = []) => {
  const cachedKeys = new LRUCache<string, ProofKey>(lruLimit(cachedKeysMax))

  const findKey = (header: string): ProofKey | string => {
    const cachedKey = cachedKeys.get(header)
    if (cachedKey) return cachedKey
    const key = readProofKey(header)
    if (typeof key !== 'string') cachedKeys.set(header, key)
    return key
  }

  /** Returns the proof, or the failed check. */
  return async (
    proof: string | undefined,
    request: ProvenRequest,
  ): Promise<{ proof: Proof } | { check: Check }> => {
    const parts = splitProof(proof)
    if (typeof parts === 'string') return refuse(parts)
    const { header, payload, signature } = parts
    const key = findKey(header)
    if (typeof key === 'string') return refuse(key)
    const claims = decodeJson(payload)
    if (!claims) return refuse('the DPoP proof is malformed: its claims are no JSON object')
    const { jti, iat } = claims
    if (key.thumbprint !== request.keyThumbprint)
      return refuse('the DPoP proof has another key than the token', request.keyThumbprint, key.thumbprint)
    const refusal = findForeignClaim(claims, request, pathVersions)
    if (refusal) return refusal
    if (!isTokenId(jti)) return refuse(`the DPoP proof has no jti of 1 to ${jtiCharsMax} characters`)
    if (typeof iat !== 'number') return refuse('the DPoP proof has no iat')
    const timeProblem = findTimeProblem(iat, claims.exp, Date.now() / 1000)
    if (timeProblem) return refuse(...timeProblem)
    if (!(await isSignedBy(key, `${header}.${payload}`, signature)))
      return refuse('the signature of the DPoP proof is wrong')
    return { proof: { jti, issuedAt: iat } }
  }
}

/** Returns the parts of the JWT, or what is wrong with it. */
const splitProof = (proof: string | undefined) => {
  if (!proof) return 'the header DPoP is missing: send a fresh proof with each request'
  // Node joins repeated headers.
  if (proof.includes(',')) return 'the header DPoP appears twice; it is allowed once'
  const [, header, payload, signature] = (proof.length <= proofCharsMax && compactJws.exec(proof)) || []
  return header && payload && signature
    ? { header, payload, signature }
    : 'the DPoP proof is malformed: it is no signed JWT'
}

const isTokenId = (jti: unknown): jti is string =>
  typeof jti === 'string' && jti !== '' && jti.length <= jtiCharsMax

/** Refuses a proof for another request: method, address or access token. */
const findForeignClaim = (
  { htm, htu, ath }: Record<string, unknown>,
  { method, address, accessToken }: ProvenRequest,
  pathVersions: readonly string[],
): { check: Check } | undefined => {
  if (htm !== method) return refuse('the DPoP proof is for another method (htm)', method, readText(htm))
  if (!isSameAddress(readText(htu), address, pathVersions))
    return refuse(
      'the DPoP proof is for another URL (htu)',
      redactAddress(address),
      redactAddress(readText(htu)),
    )
  if (ath !== hash('sha256', accessToken, 'base64url'))
    return refuse('the DPoP proof is for another access token (ath)')
  return undefined
}

const findTimeProblem = (
  iat: number,
  exp: unknown,
  now: number,
): [message: string, expected?: string, found?: string] | undefined => {
  const format = (seconds: number) => new Date(Math.min(Math.max(seconds, 0), 8e12) * 1000).toISOString()
  if (iat + proofWindowSeconds < now)
    return ['the DPoP proof is too old (iat)', `after ${format(now - proofWindowSeconds)}`, format(iat)]
  if (iat - proofWindowSeconds > now)
    return [
      'the DPoP proof is from the future (iat)',
      `before ${format(now + proofWindowSeconds)}`,
      format(iat),
    ]
  if (exp !== undefined && (typeof exp !== 'number' || exp + proofWindowSeconds <= now))
    return ['the DPoP proof has expired (exp)']
  return undefined
}

const decodeJson = (segment: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(segment, 'base64url').toString())
    // An object has string keys.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Returns the key of a proof's header, or what is wrong with the header. */
const readProofKey = (segment: string): ProofKey | string => {
  const header = decodeJson(segment)
  if (!header) return 'the DPoP proof is malformed: its header is no JSON object'
  if (header.typ !== 'dpop+jwt') return 'the DPoP proof must have typ dpop+jwt'
  const algorithm = proofAlgorithms.find(name => name === header.alg)
  if (!algorithm) return `the DPoP proof must be signed with one of ${proofAlgorithms.join(', ')}`
  if (header.crit !== undefined || header.b64 !== undefined)
    return 'the DPoP proof must not have the header parameters crit and b64'
  const { jwk } = header
  if (typeof jwk !== 'object' || jwk === null) return 'the DPoP proof must have its public key as jwk'
  if (privateMembers.some(name => name in jwk)) return 'the jwk of the DPoP proof must not be a private key'
  const key = importKey(algorithm, jwk)
  return key ?? `the jwk of the DPoP proof is no public key for ${algorithm}`
}

const importKey = (algorithm: ProofAlgorithm, jwk: object): ProofKey | undefined => {
  const { kty, crv, x, y, n, e } = jwk as Record<string, unknown>
  /** In the order of RFC 7638, section 3.2. */
  let members: Record<string, unknown>
  if (algorithm === 'ES256' && kty === 'EC' && crv === 'P-256') members = { crv, kty, x, y }
  else if (algorithm === 'PS256' && kty === 'RSA') members = { e, kty, n }
  else if (algorithm !== 'ES256' && algorithm !== 'PS256' && kty === 'OKP' && crv === 'Ed25519')
    members = { crv, kty, x }
  else return undefined
  try {
    const key = createPublicKey({ key: members, format: 'jwk' })
    const bits = key.asymmetricKeyDetails?.modulusLength
    if (bits !== undefined && (bits < rsaBitsMin || bits > rsaBitsMax)) return undefined
    return { algorithm, key, thumbprint: hash('sha256', JSON.stringify(members), 'base64url') }
  } catch {
    return undefined
  }
}

/** Verifies off the JavaScript thread. */
const verifySignature = promisify<string | null, Buffer, Parameters<typeof verify>[2], Buffer, boolean>(
  verify,
)

const isSignedBy = ({ algorithm, key }: ProofKey, text: string, signature: string): Promise<boolean> => {
  const bytes = Buffer.from(text, 'latin1')
  const signatureBytes = Buffer.from(signature, 'base64url')
  switch (algorithm) {
    case 'ES256':
      return signatureBytes.length === 2 * numberBytes
        ? verifySignature('sha256', bytes, key, toDerSignature(signatureBytes))
        : Promise.resolve(false)
    case 'PS256':
      return verifySignature(
        'sha256',
        bytes,
        { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
        signatureBytes,
      )
    default:
      return verifySignature(null, bytes, key, signatureBytes)
  }
}

/** Bytes of each number of an ES256 signature (RFC 7518, section 3.4). */
const numberBytes = 32
const derInteger = 0x02
const derSequence = 0x30

/** Converts r and s to SEQUENCE { INTEGER, INTEGER }: `dsaEncoding: 'ieee-p1363'` takes half as long again in Node.js 24. */
const toDerSignature = (signature: Buffer): Buffer => {
  const numbers = [signature.subarray(0, numberBytes), signature.subarray(numberBytes)].flatMap(bytes => {
    const start = bytes.findIndex(byte => byte !== 0)
    const digits = start < 0 ? bytes.subarray(-1) : bytes.subarray(start)
    // A first bit would make it negative.
    const padding = (digits[0] ?? 0) > 0x7f ? [0] : []
    return [Buffer.from([derInteger, padding.length + digits.length, ...padding]), digits]
  })
  const body = Buffer.concat(numbers)
  return Buffer.concat([Buffer.from([derSequence, body.length]), body])
}

/** Segments that a URL parser would resolve. */
const dotSegment = /\/(?:\.|%2e){1,2}(?:\/|$)/i

/** Compares after normalization, with the version of the contract, without query and fragment of `htu` (RFC 9449, section 4.3, item 9). */
const isSameAddress = (htu: string, address: string, pathVersions: readonly string[]): boolean => {
  if (htu === address) return true
  const url = URL.parse(htu)
  const requestUrl = URL.parse(address)
  if (!url || !requestUrl || dotSegment.test(address)) return false
  url.search = ''
  url.hash = ''
  // A base address that ends with a slash gives two.
  url.pathname = toContractPath(url.pathname.replace(/^\/+/, '/'), pathVersions)
  return normalizeEncoding(url.href) === normalizeEncoding(requestUrl.href)
}

/** Decodes unreserved characters and writes the other codes in capitals (RFC 3986, section 6.2.2). */
const normalizeEncoding = (address: string): string =>
  address.replaceAll(/%[\da-f]{2}/gi, encoded => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase()
  })
