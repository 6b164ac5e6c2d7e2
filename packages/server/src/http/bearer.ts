/**
 * Token → principal (query-service.md, Authorisation). Each step is one check of "Why was I refused?"; the path of a query stops at
 * the first that fails, {@link Bearer.inspect} goes through them all.
 */
import { createHash } from 'node:crypto'
import type { Check } from '@querent/contract/manage'
import { compactVerify, decodeJwt, decodeProtectedHeader, errors as joseErrors } from 'jose'
import { LRUCache } from 'lru-cache'
import { Problem } from '#errors'
import type { ClientRow } from '#storage/clients'
import type { Directory } from '#storage/directory'
import { covers } from './address.ts'
import type { Keyring } from './keyring.ts'

/** Who asks, as the token and the directory say together. */
export interface Principal {
  kind: 'user' | 'system-to-system'
  /** Id of the user, or Client ID of the System-to-System account: the subject of memberships. */
  subject: string
  /** The client that obtained the token. */
  client: ClientRow
  operator: boolean
  token: AccessToken
}

/** What an access token of ours says (RFC 9068), once its signature is known to be good. */
export interface AccessToken {
  issuer: string
  subject: string
  clientId: string
  audience: readonly string[]
  jti: string
  /** Id of the grant that it came from; a code or refresh token replayed ends them all. */
  grantId: string | undefined
  scope: string
  /** Seconds since 1970. */
  issuedAt: number
  expiresAt: number
}

type RefusalCode = 'no-token' | 'invalid-token' | 'insufficient-scope'

/** A request that is refused: which check failed, and the values that differ. Only administrators see the latter. */
export class Refused extends Problem {
  override readonly code: RefusalCode
  readonly check: Check
  readonly token: AccessToken | undefined
  constructor(
    code: RefusalCode,
    description: string,
    check: Check,
    token?: AccessToken,
    wwwAuthenticate?: string,
  ) {
    super(
      code,
      description,
      wwwAuthenticate === undefined ? {} : { headers: { 'www-authenticate': wwwAuthenticate } },
    )
    this.code = code
    this.check = check
    this.token = token
  }

  /** The same, ready to be sent. */
  withChallenge(wwwAuthenticate: string): Refused {
    return new Refused(this.code, this.message, this.check, this.token, wwwAuthenticate)
  }
}

export interface Bearer {
  /**
   * Who sent this `Authorization` header. `address` is what is asked for (`{base_url}/4/…`, `{auth_url}/manage/…`): the token's
   * audience must be it or stand above it. Throws {@link Refused} (401).
   */
  principal(authorization: string | undefined, address: string): Promise<Principal>
  /**
   * The access token if it is one of ours, unexpired, not revoked, its client and account there and enabled; undefined otherwise.
   * For introspection and revocation; the audience is not looked at.
   */
  read(token: string): Promise<AccessToken | undefined>
  /** Every check from `token` to `account`, for a request to `address`; and the principal when all passed. */
  inspect(
    token: string,
    address: string,
  ): Promise<{
    header: object | null
    claims: object | null
    checks: Check[]
    principal: Principal | undefined
  }>
}

/** Clocks may differ by so much (authorization-server.md, Habits of real clients). */
const clockSkewSeconds = 60
/** Tokens whose signature has been checked; 20,000 take about 20 MB. */
const verifiedTokensMax = 20_000
const tokenCharsMax = 16 * 1024

const passed = (name: Check['name'], message: string): Check => ({ name, passed: true, message })
const failed = (name: Check['name'], message: string, expected?: string, found?: string): Check => ({
  name,
  passed: false,
  message,
  ...(expected === undefined ? {} : { expected }),
  ...(found === undefined ? {} : { found }),
})

/** Reads the parts of a JWT without believing them. Undefined when it is none. */
const decode = (
  token: string,
): { header: Record<string, unknown>; claims: Record<string, unknown> } | undefined => {
  try {
    return { header: { ...decodeProtectedHeader(token) }, claims: { ...decodeJwt(token) } }
  } catch (error) {
    // jose throws TypeError for a bad header and JWTInvalid for bad claims; both mean: no JWT.
    if (error instanceof TypeError || error instanceof joseErrors.JOSEError) return undefined
    throw error
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const tokenOf = (claims: Record<string, unknown>): AccessToken | undefined => {
  const { iss, sub, aud, client_id, jti, iat, exp, scope, grant_id } = claims
  const audience = (Array.isArray(aud) ? aud : [aud]).filter(value => typeof value === 'string')
  if (!text(sub) || !text(client_id) || !text(jti) || typeof exp !== 'number' || typeof iat !== 'number')
    return undefined
  return {
    issuer: text(iss),
    subject: text(sub),
    clientId: text(client_id),
    audience,
    jti: text(jti),
    grantId: text(grant_id) || undefined,
    scope: text(scope),
    issuedAt: iat,
    expiresAt: exp,
  }
}

const seconds = (value: number): string => new Date(value * 1000).toISOString()

interface Dependencies {
  keyring: Keyring
  directory: Directory
  /** Without a slash at the end. */
  authUrl: string
  baseUrl: string
}

export const openBearer = ({ keyring, directory, authUrl, baseUrl }: Dependencies): Bearer => {
  const issuer = `${authUrl}/`
  const verified = new LRUCache<string, AccessToken>({ max: verifiedTokensMax })

  const checkForm = (decoded: ReturnType<typeof decode>, token: AccessToken | undefined): Check => {
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
  const checkSignature = async (jwt: string, header: Record<string, unknown>): Promise<Check> => {
    const key = keyring.verifier(text(header.kid))
    if (!key)
      return failed(
        'signature',
        'the token is signed with a key that is not ours',
        undefined,
        `kid ${text(header.kid)}`,
      )
    try {
      await compactVerify(jwt, key.key, { algorithms: [key.alg] })
      return passed('signature', 'is good')
    } catch (error) {
      if (!(error instanceof joseErrors.JOSEError)) throw error
      return failed('signature', 'the signature of the token is wrong', key.alg, text(header.alg))
    }
  }
  const checkAudience = (token: AccessToken, address: string): Check => {
    if (token.audience.some(audience => covers(audience, address)))
      return passed('audience', 'covers the address')
    const found = token.audience.join(' ') || '(none)'
    if (token.audience.some(audience => covers(issuer, audience)) && !covers(issuer, address))
      return failed(
        'audience',
        `the token is not for this service: ask for one with audience=${baseUrl}`,
        address,
        found,
      )
    return failed('audience', 'the token is for another audience', address, found)
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
  const checkRevocation = async (token: AccessToken): Promise<Check> => {
    const grantRevoked = token.grantId !== undefined && (await directory.grantRevoked(token.grantId))
    if (grantRevoked || (await directory.tokenRevoked(token.jti)))
      return failed('revocation', 'the token was revoked')
    return passed('revocation', 'was not revoked')
  }
  const checkClient = (client: ClientRow | undefined): Check => {
    if (!client) return failed('client', 'the account or application of the token was deleted')
    if (client.disabled) return failed('client', 'the account or application of the token is disabled')
    return passed('client', 'is there and enabled')
  }
  /** The account: a System-to-System account is its client; else a user, whom an own client's token may stand for. */
  const account = async (
    token: AccessToken,
    client: ClientRow,
  ): Promise<{ check: Check; principal?: Principal }> => {
    if (client.kind === 'system-to-system')
      return {
        check: passed('account', 'is a System-to-System account'),
        principal: { kind: 'system-to-system', subject: client.id, client, operator: false, token },
      }
    const userId =
      client.kind === 'own' && token.subject === client.id ? client.settings.actsAs : token.subject
    const user = userId === null ? undefined : await directory.user(userId)
    if (!user) return { check: failed('account', 'the account of the token was deleted') }
    if (user.disabled === 1) return { check: failed('account', 'the account of the token is disabled') }
    return {
      check: passed('account', 'is there and enabled'),
      principal: { kind: 'user', subject: user.id, client, operator: user.operator === 1, token },
    }
  }

  /** The token with a good form, issuer and signature; from memory when it was seen before. */
  const verify = async (
    jwt: string,
  ): Promise<{ token: AccessToken } | { check: Check; token?: AccessToken }> => {
    // One hash of the token is the key: no token is kept in clear.
    const key = createHash('sha256').update(jwt).digest('base64')
    const known = verified.get(key)
    if (known) return { token: known }
    if (jwt.length > tokenCharsMax)
      return { check: failed('token', 'the token is malformed: it is too long') }
    const decoded = decode(jwt)
    const token = decoded && tokenOf(decoded.claims)
    const form = checkForm(decoded, token)
    if (!form.passed || !decoded || !token) return { check: form }
    const issuerCheck = checkIssuer(token.issuer)
    if (!issuerCheck.passed) return { check: issuerCheck }
    const signature = await checkSignature(jwt, decoded.header)
    if (!signature.passed) return { check: signature }
    verified.set(key, token)
    return { token }
  }
  /** A key that left the ring takes the tokens it signed with it. */
  keyring.onRotation(() => verified.clear())

  const refuse = (check: Check, token?: AccessToken): Refused =>
    new Refused('invalid-token', check.message, check, token)

  /** What has to hold of a verified token whatever it is used for. */
  const live = async (token: AccessToken): Promise<Principal> => {
    const clock = checkClock(token, Date.now() / 1000)
    if (!clock.passed) throw refuse(clock, token)
    const revocation = await checkRevocation(token)
    if (!revocation.passed) throw refuse(revocation, token)
    const client = await directory.client(token.clientId)
    const clientCheck = checkClient(client)
    if (!clientCheck.passed || !client) throw refuse(clientCheck, token)
    const { check, principal } = await account(token, client)
    if (!principal) throw refuse(check, token)
    return principal
  }

  return {
    async principal(authorization, address) {
      const jwt = readAuthorization(authorization)
      const result = await verify(jwt)
      if ('check' in result) throw refuse(result.check, result.token)
      const audience = checkAudience(result.token, address)
      if (!audience.passed) throw refuse(audience, result.token)
      return live(result.token)
    },
    async read(jwt) {
      const result = await verify(jwt)
      if ('check' in result) return undefined
      try {
        await live(result.token)
        return result.token
      } catch (error) {
        if (error instanceof Refused) return undefined
        throw error
      }
    },
    async inspect(jwt, address) {
      const decoded = jwt.length <= tokenCharsMax ? decode(jwt) : undefined
      const token = decoded && tokenOf(decoded.claims)
      const shown = { header: decoded?.header ?? null, claims: decoded?.claims ?? null }
      const form = checkForm(decoded, token)
      if (!decoded || !token) return { ...shown, checks: [form], principal: undefined }
      const client = await directory.client(token.clientId)
      const found = client && (await account(token, client))
      const checks = [
        form,
        checkIssuer(token.issuer),
        await checkSignature(jwt, decoded.header),
        checkAudience(token, address),
        checkClock(token, Date.now() / 1000),
        await checkRevocation(token),
        checkClient(client),
        ...(found ? [found.check] : []),
      ]
      const good = checks.every(check => check.passed)
      return { ...shown, checks, principal: good ? found?.principal : undefined }
    },
  }
}

/** The token of an `Authorization` header (RFC 6750, section 2.1); the scheme in any case. Throws {@link Refused} (401). */
const readAuthorization = (header: string | undefined): string => {
  if (header === undefined || header.trim() === '')
    throw new Refused(
      'no-token',
      'this address needs an access token: Authorization: Bearer <ACCESS_TOKEN>',
      failed('token', 'no token was sent'),
    )
  const [scheme = '', token = '', ...rest] = header.trim().split(/ +/)
  const name = scheme.toLowerCase()
  if (name === 'dpop')
    throw refuseForm('DPoP-bound tokens come in a later version: send Authorization: Bearer <ACCESS_TOKEN>')
  if (name !== 'bearer')
    throw refuseForm(
      `the Authorization scheme "${scheme.slice(0, 20)}" is not known: write Bearer <ACCESS_TOKEN>`,
    )
  if (token === '' || rest.length > 0)
    throw refuseForm('the Authorization header is malformed: write Bearer <ACCESS_TOKEN>')
  return token
}

const refuseForm = (message: string): Refused =>
  new Refused('invalid-token', message, failed('token', message))
