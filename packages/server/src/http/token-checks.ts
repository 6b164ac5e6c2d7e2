/**
 * The checks of a token, each on its own, in the order of "Why was I refused?" (query-service.md). A query stops at the first that
 * fails; an inspection goes through them all.
 */
import type { Check } from '@querent/contract/manage'
import { compactVerify, errors as joseErrors } from 'jose'
import type { ClientRow } from '#storage/clients'
import type { Directory } from '#storage/directory'
import { type AccessToken, type Decoded, text } from './access-token.ts'
import { covers } from './address.ts'
import type { Keyring } from './keyring.ts'
import { withoutValues } from './query-path.ts'
import { known, type Recipe } from './recipe.ts'

/** Clocks may differ by so much (authorization-server.md, Habits of real clients). */
const clockSkewSeconds = 60

export const passed = (name: Check['name'], message: string): Check => ({ name, passed: true, message })
export const failed = (name: Check['name'], message: string, expected?: string, found?: string): Check => ({
  name,
  passed: false,
  message,
  ...(expected === undefined ? {} : { expected }),
  ...(found === undefined ? {} : { found }),
})

const seconds = (value: number): string => new Date(value * 1000).toISOString()

interface Dependencies {
  keyring: Keyring
  directory: Directory
  /** With a slash at the end. */
  issuer: string
  baseUrl: string
}

export const tokenChecks = ({ keyring, directory, issuer, baseUrl }: Dependencies) => {
  const checkForm = (decoded: Decoded | undefined, token: AccessToken | undefined): Check => {
    if (!decoded) return failed('token', 'the token is malformed: it is no JWT', 'a JWT access token')
    if (decoded.header.typ !== 'at+jwt')
      return failed(
        'token',
        'the token is no access token',
        'typ at+jwt',
        `typ ${String(decoded.header.typ)}`,
      )
    if (!token) return failed('token', 'the token is malformed: a claim of RFC 9068 is missing')
    return passed('token', 'is a JWT access token')
  }
  const checkIssuer = (found: string): Check =>
    found === issuer
      ? passed('issuer', 'is this authorization server')
      : failed('issuer', 'the token is of another issuer', issuer, found)
  /** From memory. */
  const checkKey = (header: Record<string, unknown>): Check => {
    const kid = text(header.kid)
    return keyring.verifier(kid)
      ? passed('signature', 'is with a key of ours')
      : failed('signature', 'the token is signed with a key that is not ours', undefined, `kid ${kid}`)
  }
  const checkSignature = async (jwt: string, header: Record<string, unknown>): Promise<Check> => {
    const kid = text(header.kid)
    if (!keyring.verifier(kid)) await keyring.lookAgain()
    const key = keyring.verifier(kid)
    if (!key) return checkKey(header)
    try {
      await compactVerify(jwt, key.key, { algorithms: [key.alg] })
      return passed('signature', 'is good')
    } catch (error) {
      if (!(error instanceof joseErrors.JOSEError)) throw error
      const found = text(header.alg)
      return found === key.alg
        ? failed('signature', 'the signature is not of this text: the token was changed or cut off')
        : failed('signature', 'the signature of the token is wrong', key.alg, found)
    }
  }
  const checkAudience = (token: AccessToken, address: string): Check => {
    if (token.audience.some(audience => covers(audience, address)))
      return passed('audience', 'covers the address')
    // What is told of a refused request is kept: addresses of queries hold what was asked for.
    const found = token.audience.map(withoutValues).join(' ') || '(none)'
    const expected = withoutValues(address)
    if (token.audience.some(audience => covers(issuer, audience)) && !covers(issuer, address))
      return failed(
        'audience',
        `the token is not for this service: ask for one with audience=${baseUrl}`,
        expected,
        found,
      )
    const right = covers(issuer, address) ? `${issuer}manage/` : baseUrl
    return failed(
      'audience',
      `the token is for another audience, ${found.slice(0, 200)}: ask for one with audience=${right}`,
      expected,
      found,
    )
  }
  const checkClock = (token: AccessToken, now: number): Check => {
    if (token.expiresAt + clockSkewSeconds <= now)
      return failed('clock', 'the token has expired', `after ${seconds(now)}`, seconds(token.expiresAt))
    if (token.issuedAt - clockSkewSeconds > now)
      return failed(
        'clock',
        'the token is from the future',
        `before ${seconds(now)}`,
        seconds(token.issuedAt),
      )
    return passed('clock', 'is within its time')
  }
  const checkRevocation = function* (token: AccessToken): Recipe<Check> {
    const grantRevoked = token.grantId !== undefined && (yield* known(directory.grantRevoked(token.grantId)))
    if (grantRevoked || (yield* known(directory.tokenRevoked(token.jti))))
      return failed('revocation', 'the token was revoked')
    return passed('revocation', 'was not revoked')
  }
  const checkClient = (client: ClientRow | undefined): Check => {
    if (!client) return failed('client', 'the account or application of the token was deleted')
    if (client.disabled) return failed('client', 'the account or application of the token is disabled')
    return passed('client', 'is there and enabled')
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
