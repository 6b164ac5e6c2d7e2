/**
 * Token → principal (query-service.md, Authorisation). Each step is one check of "Why was I refused?"; the path of a query stops at
 * the first that fails, {@link Bearer.inspect} goes through them all.
 */
import { hash } from 'node:crypto'
import type { Check } from '@querent/contract/manage'
import { LRUCache } from 'lru-cache'
import { Problem } from '#errors'
import { runSteps, type Steps, waitFor } from '#http/recipe'
import type { Keyring } from '#keys/keyring'
import type { ClientRow } from '#storage/clients'
import type { AccountLookups, Directory } from '#storage/directory'
import { lruLimit } from '#storage/lru-limit'
import { type AccessToken, decodeToken, readClaims } from './access-token.ts'
import { failedCheck, makeTokenChecks, passedCheck } from './token-checks.ts'

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

type RefusalCode = 'no-token' | 'invalid-token' | 'insufficient-scope'

/** A request that is refused: which check failed, and the values that differ. Only administrators see the latter. */
export class AuthorizationError extends Problem {
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
  withChallenge(wwwAuthenticate: string): AuthorizationError {
    return new AuthorizationError(this.code, this.message, this.check, this.token, wwwAuthenticate)
  }
}

export interface Bearer {
  /**
   * Identifies the account behind an `Authorization` header. `address` is the request's (`{base_url}/4/…`, `{auth_url}/manage/…`): the
   * token's audience must be it or a path above it. `connection` is the one that carried the request: the last token accepted on it is
   * recognized by its text. Throws {@link AuthorizationError} (401).
   */
  identify(authorization: string | undefined, address: string, connection?: object): Steps<Principal>
  /**
   * The principal of a token that was verified for this request before, by what `lookups` says now. It may have expired meanwhile: an import
   * may take longer than its token lasts. Throws {@link AuthorizationError} (401) when the token was revoked, or its client or account has ended.
   */
  confirm(token: AccessToken, lookups: AccountLookups): Steps<Principal>
  /**
   * The token of this header if it came over this connection last, was verified then, and is within its time now: neither its audience
   * nor what the directory says of it is looked at. It counts among `lookups` once {@link Bearer.recordHit} says that it was of use.
   */
  tokenOfConnection(authorization: string | undefined, connection: object): AccessToken | undefined
  recordHit(): void
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
  /** How often a token had been verified before, and how often not. */
  readonly lookups: { hits: number; misses: number }
}

/** Tokens whose signature has been checked; 20,000 take about 20 MB. */
const verifiedTokensMax = 20_000

interface Dependencies {
  keyring: Keyring
  directory: Directory
  /** Without a slash at the end. */
  authUrl: string
  baseUrl: string
}

export const openBearer = ({ keyring, directory, authUrl, baseUrl }: Dependencies): Bearer => {
  const {
    checkForm,
    checkIssuer,
    checkKey,
    checkSignature,
    checkAudience,
    checkClock,
    checkRevocation,
    checkClient,
  } = makeTokenChecks({ keyring, directory, issuer: `${authUrl}/`, baseUrl })
  const verifiedTokens = new LRUCache<string, AccessToken>(lruLimit(verifiedTokensMax))
  /** By connection, while it lasts: the last header whose token was verified. It is on the connection in clear anyway. */
  let lastTokenByConnection = new WeakMap<object, { authorization: string; token: AccessToken }>()
  const lookups = { hits: 0, misses: 0 }

  /** The account: a System-to-System account is its client; else a user, whom an own client's token may stand for. */
  const checkAccount = function* (
    token: AccessToken,
    client: ClientRow,
    lookups: AccountLookups = directory,
  ): Steps<{ check: Check; principal?: Principal }> {
    if (client.kind === 'system-to-system')
      return {
        check: passedCheck('account', 'is a System-to-System account'),
        principal: { kind: 'system-to-system', subject: client.id, client, operator: false, token },
      }
    const userId =
      client.kind === 'own' && token.subject === client.id ? client.settings.actsAs : token.subject
    const user = userId === null ? undefined : yield* waitFor(lookups.user(userId))
    if (!user) return { check: failedCheck('account', 'the account of the token was deleted') }
    if (user.disabled === 1) return { check: failedCheck('account', 'the account of the token is disabled') }
    return {
      check: passedCheck('account', 'is there and enabled'),
      principal: { kind: 'user', subject: user.id, client, operator: user.operator === 1, token },
    }
  }

  /** The token with a good form, issuer and signature; from memory when it was seen before. */
  const verify = function* (
    jwt: string,
  ): Steps<{ token: AccessToken } | { check: Check; token?: AccessToken }> {
    // One hash of the token is the key: no token is kept in clear.
    const key = hash('sha256', jwt, 'base64')
    const cachedToken = verifiedTokens.get(key)
    if (cachedToken) {
      lookups.hits += 1
      return { token: cachedToken }
    }
    lookups.misses += 1
    const decoded = decodeToken(jwt)
    const token = decoded && readClaims(decoded.claims)
    const form = checkForm(decoded, token)
    if (!form.passed || !decoded || !token) return { check: form }
    const issuerCheck = checkIssuer(token.issuer)
    if (!issuerCheck.passed) return { check: issuerCheck }
    const signature = yield* waitFor(checkSignature(jwt, decoded.header))
    if (!signature.passed) return { check: signature }
    // The key may have been withdrawn while the signature was looked at: what is kept now would be good until it expires.
    const keyCheck = checkKey(decoded.header)
    if (!keyCheck.passed) return { check: keyCheck }
    verifiedTokens.set(key, token)
    return { token }
  }
  /** A key that left the ring takes the tokens it signed with it. */
  keyring.onRotation(() => {
    verifiedTokens.clear()
    lastTokenByConnection = new WeakMap()
  })

  const makeRefusal = (check: Check, token?: AccessToken): AuthorizationError =>
    new AuthorizationError('invalid-token', check.message, check, token)

  /** The checks of a verified token that may fail at any moment of a request. */
  const confirm = function* (token: AccessToken, lookups: AccountLookups): Steps<Principal> {
    const revocation = yield* checkRevocation(token, lookups)
    if (!revocation.passed) throw makeRefusal(revocation, token)
    const client = yield* waitFor(lookups.client(token.clientId))
    const clientCheck = checkClient(client)
    if (!clientCheck.passed || !client) throw makeRefusal(clientCheck, token)
    const { check, principal } = yield* checkAccount(token, client, lookups)
    if (!principal) throw makeRefusal(check, token)
    return principal
  }

  /** The checks of a verified token that hold for every use. */
  const confirmCurrent = (token: AccessToken): Steps<Principal> => {
    const clock = checkClock(token, Date.now() / 1000)
    if (!clock.passed) throw makeRefusal(clock, token)
    return confirm(token, directory)
  }

  /** The token of a header, verified. */
  const readVerifiedToken = function* (
    authorization: string | undefined,
    connection: object | undefined,
  ): Steps<AccessToken> {
    const last = connection && lastTokenByConnection.get(connection)
    if (last && last.authorization === authorization) {
      lookups.hits += 1
      return last.token
    }
    const result = yield* verify(readAuthorization(authorization))
    if ('check' in result) throw makeRefusal(result.check, result.token)
    const { token } = result
    if (connection && authorization !== undefined)
      lastTokenByConnection.set(connection, { authorization, token })
    return token
  }
  const identify = function* (
    authorization: string | undefined,
    address: string,
    connection?: object,
  ): Steps<Principal> {
    const token = yield* readVerifiedToken(authorization, connection)
    const audience = checkAudience(token, address)
    if (!audience.passed) throw makeRefusal(audience, token)
    return yield* confirmCurrent(token)
  }

  return {
    lookups,
    identify,
    confirm,
    tokenOfConnection(authorization, connection) {
      const last = lastTokenByConnection.get(connection)
      if (!last || last.authorization !== authorization) return undefined
      return checkClock(last.token, Date.now() / 1000).passed ? last.token : undefined
    },
    recordHit() {
      lookups.hits += 1
    },
    async read(jwt) {
      const result = await runSteps(verify(jwt))
      if ('check' in result) return undefined
      try {
        await runSteps(confirmCurrent(result.token))
        return result.token
      } catch (error) {
        if (error instanceof AuthorizationError) return undefined
        throw error
      }
    },
    async inspect(jwt, address) {
      const decoded = decodeToken(jwt)
      const token = decoded && readClaims(decoded.claims)
      const contents = { header: decoded?.header ?? null, claims: decoded?.claims ?? null }
      const form = checkForm(decoded, token)
      if (!decoded || !token) return { ...contents, checks: [form], principal: undefined }
      const client = await directory.client(token.clientId)
      const accountResult = client && (await runSteps(checkAccount(token, client)))
      const checks = [
        form,
        checkIssuer(token.issuer),
        await checkSignature(jwt, decoded.header),
        checkAudience(token, address),
        checkClock(token, Date.now() / 1000),
        await runSteps(checkRevocation(token)),
        checkClient(client),
        ...(accountResult ? [accountResult.check] : []),
      ]
      const isAccepted = checks.every(check => check.passed)
      return { ...contents, checks, principal: isAccepted ? accountResult?.principal : undefined }
    },
  }
}

/** The token of an `Authorization` header (RFC 6750, section 2.1); the scheme in any case. Throws {@link AuthorizationError} (401). */
const readAuthorization = (header: string | undefined): string => {
  if (header === undefined || header.trim() === '')
    throw new AuthorizationError(
      'no-token',
      'this address needs an access token: Authorization: Bearer <ACCESS_TOKEN>',
      failedCheck('token', 'no token was sent'),
    )
  const [scheme = '', token = '', ...rest] = header.trim().split(/ +/)
  const name = scheme.toLowerCase()
  if (name === 'dpop')
    throw makeHeaderRefusal(
      'DPoP-bound tokens come in a later version: send Authorization: Bearer <ACCESS_TOKEN>',
    )
  if (name !== 'bearer') {
    const message = 'the Authorization header has another scheme: write Bearer <ACCESS_TOKEN>'
    if (token === '') throw makeHeaderRefusal(message)
    // What is no bearer token is none sent (https://www.rfc-editor.org/rfc/rfc6750#section-3.1).
    throw new AuthorizationError('no-token', message, failedCheck('token', message))
  }
  if (token === '' || rest.length > 0)
    throw makeHeaderRefusal('the Authorization header is malformed: write Bearer <ACCESS_TOKEN>')
  return token
}

const makeHeaderRefusal = (message: string): AuthorizationError =>
  new AuthorizationError('invalid-token', message, failedCheck('token', message))
