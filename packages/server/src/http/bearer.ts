/**
 * Token → principal (query-service.md, Authorisation). Each step is one check of "Why was I refused?"; the path of a query stops at
 * the first that fails, {@link Bearer.inspect} goes through them all.
 */
import { hash } from 'node:crypto'
import type { Check } from '@querent/contract/manage'
import { LRUCache } from 'lru-cache'
import { Problem } from '#errors'
import { atMost } from '#storage/at-most'
import type { ClientRow } from '#storage/clients'
import type { Directory } from '#storage/directory'
import { type AccessToken, decodeToken, readClaims } from './access-token.ts'
import type { Keyring } from './keyring.ts'
import { followed, known, type Recipe } from './recipe.ts'
import { failed, passed, tokenChecks } from './token-checks.ts'

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
   * The same as a recipe. `connection` is what the request came over: the token that came over it last, found good then, is known by
   * its text.
   */
  identify(authorization: string | undefined, address: string, connection?: object): Recipe<Principal>
  /**
   * The token of this header if it came over this connection last, was verified then, and is within its time now: neither its audience
   * nor what the directory says of it is looked at. It counts among `lookups` once {@link Bearer.countAgain} says that it was of use.
   */
  again(authorization: string | undefined, connection: object): AccessToken | undefined
  countAgain(): void
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
  } = tokenChecks({ keyring, directory, issuer: `${authUrl}/`, baseUrl })
  const verified = new LRUCache<string, AccessToken>(atMost(verifiedTokensMax))
  /** By connection, while it lasts: the last header whose token was verified. It is on the connection in clear anyway. */
  let lastOver = new WeakMap<object, { authorization: string; token: AccessToken }>()
  const lookups = { hits: 0, misses: 0 }

  /** The account: a System-to-System account is its client; else a user, whom an own client's token may stand for. */
  const account = function* (
    token: AccessToken,
    client: ClientRow,
  ): Recipe<{ check: Check; principal?: Principal }> {
    if (client.kind === 'system-to-system')
      return {
        check: passed('account', 'is a System-to-System account'),
        principal: { kind: 'system-to-system', subject: client.id, client, operator: false, token },
      }
    const userId =
      client.kind === 'own' && token.subject === client.id ? client.settings.actsAs : token.subject
    const user = userId === null ? undefined : yield* known(directory.user(userId))
    if (!user) return { check: failed('account', 'the account of the token was deleted') }
    if (user.disabled === 1) return { check: failed('account', 'the account of the token is disabled') }
    return {
      check: passed('account', 'is there and enabled'),
      principal: { kind: 'user', subject: user.id, client, operator: user.operator === 1, token },
    }
  }

  /** The token with a good form, issuer and signature; from memory when it was seen before. */
  const verify = function* (
    jwt: string,
  ): Recipe<{ token: AccessToken } | { check: Check; token?: AccessToken }> {
    // One hash of the token is the key: no token is kept in clear.
    const key = hash('sha256', jwt, 'base64')
    const seen = verified.get(key)
    if (seen) {
      lookups.hits += 1
      return { token: seen }
    }
    lookups.misses += 1
    const decoded = decodeToken(jwt)
    const token = decoded && readClaims(decoded.claims)
    const form = checkForm(decoded, token)
    if (!form.passed || !decoded || !token) return { check: form }
    const issuerCheck = checkIssuer(token.issuer)
    if (!issuerCheck.passed) return { check: issuerCheck }
    const signature = yield* known(checkSignature(jwt, decoded.header))
    if (!signature.passed) return { check: signature }
    // The key may have been withdrawn while the signature was looked at: what is kept now would be good until it expires.
    const withdrawn = checkKey(decoded.header)
    if (!withdrawn.passed) return { check: withdrawn }
    verified.set(key, token)
    return { token }
  }
  /** A key that left the ring takes the tokens it signed with it. */
  keyring.onRotation(() => {
    verified.clear()
    lastOver = new WeakMap()
  })

  const refuse = (check: Check, token?: AccessToken): Refused =>
    new Refused('invalid-token', check.message, check, token)

  /** What has to hold of a verified token whatever it is used for. */
  const live = function* (token: AccessToken): Recipe<Principal> {
    const clock = checkClock(token, Date.now() / 1000)
    if (!clock.passed) throw refuse(clock, token)
    const revocation = yield* checkRevocation(token)
    if (!revocation.passed) throw refuse(revocation, token)
    const client = yield* known(directory.client(token.clientId))
    const clientCheck = checkClient(client)
    if (!clientCheck.passed || !client) throw refuse(clientCheck, token)
    const { check, principal } = yield* account(token, client)
    if (!principal) throw refuse(check, token)
    return principal
  }

  /** The token of a header, verified. */
  const tokenOf = function* (
    authorization: string | undefined,
    connection: object | undefined,
  ): Recipe<AccessToken> {
    const last = connection && lastOver.get(connection)
    if (last && last.authorization === authorization) {
      lookups.hits += 1
      return last.token
    }
    const result = yield* verify(readAuthorization(authorization))
    if ('check' in result) throw refuse(result.check, result.token)
    const { token } = result
    if (connection && authorization !== undefined) lastOver.set(connection, { authorization, token })
    return token
  }
  const identify = function* (
    authorization: string | undefined,
    address: string,
    connection?: object,
  ): Recipe<Principal> {
    const token = yield* tokenOf(authorization, connection)
    const audience = checkAudience(token, address)
    if (!audience.passed) throw refuse(audience, token)
    return yield* live(token)
  }

  return {
    lookups,
    identify,
    again(authorization, connection) {
      const last = lastOver.get(connection)
      if (!last || last.authorization !== authorization) return undefined
      return checkClock(last.token, Date.now() / 1000).passed ? last.token : undefined
    },
    countAgain() {
      lookups.hits += 1
    },
    principal: async (authorization, address) => followed(identify(authorization, address)),
    async read(jwt) {
      const result = await followed(verify(jwt))
      if ('check' in result) return undefined
      try {
        await followed(live(result.token))
        return result.token
      } catch (error) {
        if (error instanceof Refused) return undefined
        throw error
      }
    },
    async inspect(jwt, address) {
      const decoded = decodeToken(jwt)
      const token = decoded && readClaims(decoded.claims)
      const shown = { header: decoded?.header ?? null, claims: decoded?.claims ?? null }
      const form = checkForm(decoded, token)
      if (!decoded || !token) return { ...shown, checks: [form], principal: undefined }
      const client = await directory.client(token.clientId)
      const found = client && (await followed(account(token, client)))
      const checks = [
        form,
        checkIssuer(token.issuer),
        await checkSignature(jwt, decoded.header),
        checkAudience(token, address),
        checkClock(token, Date.now() / 1000),
        await followed(checkRevocation(token)),
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
  if (name !== 'bearer') {
    const message = 'the Authorization header has another scheme: write Bearer <ACCESS_TOKEN>'
    if (token === '') throw refuseForm(message)
    // What is no bearer token is none sent (https://www.rfc-editor.org/rfc/rfc6750#section-3.1).
    throw new Refused('no-token', message, failed('token', message))
  }
  if (token === '' || rest.length > 0)
    throw refuseForm('the Authorization header is malformed: write Bearer <ACCESS_TOKEN>')
  return token
}

const refuseForm = (message: string): Refused =>
  new Refused('invalid-token', message, failed('token', message))
