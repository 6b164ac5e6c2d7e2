/**
 * The checks of a token, in the order of "Why was I refused?" (query-service.md). A query stops at the first failed check; an inspection runs
 * them all.
 */
import type { Check } from '@querent/contract/manage'
import { compactVerify, errors as joseErrors } from 'jose'
import type { Keyring } from '#keys/keyring'
import type { ClientRow } from '#storage/clients'
import type { AccountLookups, Directory } from '#storage/directory'
import { type AccessToken, type DecodedToken, readText } from './access-token.ts'
import { audienceCovers } from './audience.ts'
import { redactAddress } from './query-path.ts'

/** Allowed difference between clocks (authorization-server.md, Habits of real clients). */
const clockSkewSeconds = 60

export const passedCheck = (name: Check['name'], message: string): Check => ({ name, passed: true, message })
export const failedCheck = (
  name: Check['name'],
  message: string,
  expected?: string,
  found?: string,
): Check => ({
  name,
  passed: false,
  message,
  ...(expected === undefined ? {} : { expected }),
  ...(found === undefined ? {} : { found }),
})

const formatSeconds = (value: number): string => new Date(value * 1000).toISOString()

interface Dependencies {
  keyring: Keyring
  directory: Directory
  /** With a slash at the end. */
  issuer: string
  baseUrl: string
}

export type TokenChecks = ReturnType<typeof makeTokenChecks>

export const makeTokenChecks = ({ keyring, directory, issuer, baseUrl }: Dependencies) => {
  const checkForm = (decoded: DecodedToken | undefined, token: AccessToken | undefined): Check => {
    if (!decoded) return failedCheck('token', 'the token is malformed: it is no JWT', 'a JWT access token')
    if (decoded.header.typ !== 'at+jwt')
      return failedCheck(
        'token',
        'the token is no access token',
        'typ at+jwt',
        `typ ${String(decoded.header.typ)}`,
      )
    if (!token) return failedCheck('token', 'the token is malformed: a claim of RFC 9068 is missing')
    return passedCheck('token', 'is a JWT access token')
  }
  const checkIssuer = (tokenIssuer: string): Check =>
    tokenIssuer === issuer
      ? passedCheck('issuer', 'is this authorization server')
      : failedCheck('issuer', 'the token is of another issuer', issuer, tokenIssuer)
  /** Reads memory only. */
  const checkKey = (header: Record<string, unknown>): Check => {
    const kid = readText(header.kid)
    return keyring.verifier(kid)
      ? passedCheck('signature', 'is with a key of ours')
      : failedCheck('signature', 'the token is signed with a key that is not ours', undefined, `kid ${kid}`)
  }
  const checkSignature = async (jwt: string, header: Record<string, unknown>): Promise<Check> => {
    const kid = readText(header.kid)
    if (!keyring.verifier(kid)) await keyring.reloadForUnknownKid()
    const key = keyring.verifier(kid)
    if (!key) return checkKey(header)
    try {
      await compactVerify(jwt, key.key, { algorithms: [key.alg] })
      return passedCheck('signature', 'is good')
    } catch (error) {
      if (!(error instanceof joseErrors.JOSEError)) throw error
      const tokenAlgorithm = readText(header.alg)
      return tokenAlgorithm === key.alg
        ? failedCheck('signature', 'the signature is not of this text: the token was changed or cut off')
        : failedCheck('signature', 'the signature of the token is wrong', key.alg, tokenAlgorithm)
    }
  }
  const checkAudience = (token: AccessToken, address: string): Check => {
    if (token.audience.some(audience => audienceCovers(audience, address)))
      return passedCheck('audience', 'covers the address')
    // Refusals are stored, and addresses of queries contain search terms, so redact them.
    const tokenAudience = token.audience.map(redactAddress).join(' ') || '(none)'
    const expected = redactAddress(address)
    const isForAuthorizationServer = token.audience.every(audience => audienceCovers(issuer, audience))
    if (isForAuthorizationServer && !audienceCovers(issuer, address))
      return failedCheck(
        'audience',
        `the token is not for this service: ask for one with audience=${baseUrl}`,
        expected,
        tokenAudience,
      )
    const expectedAudience = audienceCovers(issuer, address) ? `${issuer}manage/` : baseUrl
    return failedCheck(
      'audience',
      `the token is for another audience, ${tokenAudience.slice(0, 200)}: ask for one with audience=${expectedAudience}`,
      expected,
      tokenAudience,
    )
  }
  const checkRevocation = async (
    token: AccessToken,
    lookups: Pick<AccountLookups, 'grantRevoked' | 'tokenRevoked'> = directory,
  ): Promise<Check> => {
    const grantRevoked = token.grantId !== undefined && (await lookups.grantRevoked(token.grantId))
    if (grantRevoked || (await lookups.tokenRevoked(token.jti)))
      return failedCheck('revocation', 'the token was revoked')
    return passedCheck('revocation', 'was not revoked')
  }
  return {
    checkForm,
    checkIssuer,
    checkKey,
    checkSignature,
    checkAudience,
    checkClock,
    checkRevocation,
    checkClient,
  }
}

const checkClock = (token: AccessToken, now: number): Check => {
  if (token.expiresAt + clockSkewSeconds <= now)
    return failedCheck(
      'clock',
      'the token has expired',
      `after ${formatSeconds(now)}`,
      formatSeconds(token.expiresAt),
    )
  if (token.issuedAt - clockSkewSeconds > now)
    return failedCheck(
      'clock',
      'the token is from the future',
      `before ${formatSeconds(now)}`,
      formatSeconds(token.issuedAt),
    )
  return passedCheck('clock', 'is within its time')
}

const checkClient = (client: ClientRow | undefined): Check => {
  if (!client) return failedCheck('client', 'the account or application of the token was deleted')
  if (client.disabled) return failedCheck('client', 'the account or application of the token is disabled')
  return passedCheck('client', 'is there and enabled')
}
