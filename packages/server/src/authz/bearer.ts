/**
 * Turns a token into a principal (query-service.md, Authorization). Each step is one check of "Why was I refused?". A query stops at the
 * first failed check; {@link Bearer.inspect} runs them all.
 */
import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Check } from '@querent/contract/manage'
import { LRUCache } from 'lru-cache'
import { Problem } from '#errors'
import type { Keyring } from '#keys/keyring'
import { lruLimit } from '#memory/lru-limit'
import type { ClientRow } from '#storage/clients'
import type { AccountLookups, Directory } from '#storage/directory'
import { type AccessToken, decodeToken, readClaims } from './access-token.ts'
import { createProofVerifier } from './dpop-proof.ts'
import { failedCheck, makeTokenChecks, passedCheck } from './token-checks.ts'
import type { UsedProofs } from './used-proofs.ts'

/** The authenticated caller, from the token and the directory. */
export interface Principal {
  kind: 'user' | 'system-to-system'
  /** Id of the user, or Client ID of the System-to-System account: the subject of memberships. */
  subject: string
  /** The client that obtained the token. */
  client: ClientRow
  operator: boolean
  token: AccessToken
}

export type RefusalCode =
  | 'no-token'
  | 'invalid-token'
  | 'insufficient-scope'
  | 'insufficient-user-authentication'
  | 'api-not-allowed'
  | 'collection-not-allowed'
  | 'membership-ended'

/** A rejected request, with the failed check and the values that differ. Only administrators see the values. */
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

  /** Returns a copy that is ready to send. */
  withChallenge(wwwAuthenticate: string): AuthorizationError {
    return new AuthorizationError(this.code, this.message, this.check, this.token, wwwAuthenticate)
  }
}

/** The parts of a request that authenticate it. */
export type CredentialRequest = Pick<IncomingMessage, 'headers' | 'method'>

export interface Bearer {
  /**
   * Identifies the account behind the headers `Authorization` and `DPoP` of a request. `address` is the request's (`{base_url}/4/…`,
   * `{auth_url}/manage/…`): the token's audience must be it or a path above it. `connection` is the one that carried the request: the last
   * token accepted on it is recognized by its text. Throws {@link AuthorizationError} (401), and 503 if nobody can tell whether a proof was
   * used before.
   */
  identify(request: CredentialRequest, address: string, connection?: object): Promise<Principal>
  /**
   * Returns the principal of a token that was verified for this request before, with the current state from `lookups`. The token may have
   * expired, because an import may take longer. Throws {@link AuthorizationError} (401) if the token was revoked, or its client or account
   * has ended.
   */
  confirm(token: AccessToken, lookups: AccountLookups): Promise<Principal>
  /**
   * Returns the token of this header if it was the last verified one on this connection and has not expired. Never one that needs a proof.
   * Checks neither its audience nor the directory. Counts as a lookup only after {@link Bearer.recordHit}.
   */
  tokenOfConnection(authorization: string | undefined, connection: object): AccessToken | undefined
  recordHit(): void
  /**
   * Returns the access token if we issued it, it is valid, and its client and account are enabled. Undefined otherwise. For introspection
   * and revocation; doesn't check the audience.
   */
  read(token: string): Promise<AccessToken | undefined>
  /** Runs every check from `token` to `account`, for a request to `address`. Returns the principal too if all passed. */
  inspect(
    token: string,
    address: string,
  ): Promise<{
    header: object | null
    claims: object | null
    checks: Check[]
    principal: Principal | undefined
  }>
  /** Counts of tokens that were in the cache, and of those that were not. */
  readonly lookups: { hits: number; misses: number }
}

/** Cached tokens with a verified signature; 20,000 take about 20 MB. */
const verifiedTokensMax = 20_000

interface Dependencies {
  keyring: Keyring
  directory: Directory
  usedProofs: UsedProofs
  /** Without a slash at the end. */
  authUrl: string
  baseUrl: string
  /** Further version numbers in paths. */
  pathVersions?: readonly string[]
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: older than the limit
export const openBearer = ({
  keyring,
  directory,
  usedProofs,
  authUrl,
  baseUrl,
  pathVersions,
}: Dependencies): Bearer => {
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
  const verifyProof = createProofVerifier(pathVersions)
  /** Ids of tokens whose proof was accepted, by request: a request may be identified twice, but its proof is good for one use. */
  const provenRequests = new WeakMap<CredentialRequest, string>()
  /**
   * The last header with a verified token, by connection. Keeping it in clear is safe, because the connection carries it in clear. Tokens
   * that need a proof are never in it: they take the ordinary path.
   */
  let lastTokenByConnection = new WeakMap<object, { authorization: string; token: AccessToken }>()
  const lookups = { hits: 0, misses: 0 }

  /** The account: a System-to-System account, which is its own client, or a user. */
  const checkAccount = async (
    token: AccessToken,
    client: ClientRow,
    lookups: AccountLookups = directory,
  ): Promise<{ check: Check; principal?: Principal }> => {
    if (client.kind === 'system-to-system')
      return {
        check: passedCheck('account', 'is a System-to-System account'),
        principal: { kind: 'system-to-system', subject: client.id, client, operator: false, token },
      }
    const userId =
      client.kind === 'own' && token.subject === client.id ? client.settings.actsAs : token.subject
    const user = userId === null ? undefined : await lookups.user(userId)
    if (!user) return { check: failedCheck('account', 'the account of the token was deleted') }
    if (user.disabled === 1) return { check: failedCheck('account', 'the account of the token is disabled') }
    return {
      check: passedCheck('account', 'is there and enabled'),
      principal: {
        kind: 'user',
        subject: user.id,
        client,
        operator: user.operator === 1 && token.workspaceId === undefined,
        token,
      },
    }
  }

  /** Returns the token if its form, issuer and signature are valid, from the cache if possible. */
  const verify = async (
    jwt: string,
  ): Promise<{ token: AccessToken } | { check: Check; token?: AccessToken }> => {
    // The key is a hash, so that the cache has no token in clear.
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
    const signature = await checkSignature(jwt, decoded.header)
    if (!signature.passed) return { check: signature }
    // If the key was withdrawn during the verification, a cached token would stay valid until it expires.
    const keyCheck = checkKey(decoded.header)
    if (!keyCheck.passed) return { check: keyCheck }
    verifiedTokens.set(key, token)
    return { token }
  }
  /** Drops the cached tokens of keys that left the keyring. */
  keyring.onRotation(() => {
    verifiedTokens.clear()
    lastTokenByConnection = new WeakMap()
  })

  const makeRefusal = (check: Check, token?: AccessToken): AuthorizationError =>
    new AuthorizationError('invalid-token', check.message, check, token)

  /** The checks of a verified token that may start to fail during a request. */
  const confirm = async (token: AccessToken, lookups: AccountLookups): Promise<Principal> => {
    const revocation = await checkRevocation(token, lookups)
    if (!revocation.passed) throw makeRefusal(revocation, token)
    const client = await lookups.client(token.clientId)
    const clientCheck = checkClient(client)
    if (!clientCheck.passed || !client) throw makeRefusal(clientCheck, token)
    const { check, principal } = await checkAccount(token, client, lookups)
    if (!principal) throw makeRefusal(check, token)
    return principal
  }

  /** The checks of a verified token for every use. */
  const confirmCurrent = async (token: AccessToken): Promise<Principal> => {
    const clock = checkClock(token, Date.now() / 1000)
    if (!clock.passed) throw makeRefusal(clock, token)
    return confirm(token, directory)
  }

  /** Returns the verified token of a header. */
  const readVerifiedToken = async (
    authorization: string | undefined,
    connection: object | undefined,
  ): Promise<AccessToken> => {
    // If a key leaves the keyring during the verification, the token goes into the map that was dropped.
    const tokens = lastTokenByConnection
    const last = connection && tokens.get(connection)
    if (last && last.authorization === authorization) {
      lookups.hits += 1
      return last.token
    }
    const { scheme, jwt } = readAuthorization(authorization)
    const result = await verify(jwt)
    if ('check' in result) throw makeRefusal(result.check, result.token)
    const { token } = result
    if (connection && authorization !== undefined && scheme === 'bearer' && token.keyThumbprint === undefined)
      tokens.set(connection, { authorization, token })
    return token
  }
  /** Checks that the sender of the token holds the key that it is bound to (RFC 9449, section 7.1). */
  const requireProof = async (
    request: CredentialRequest,
    address: string,
    token: AccessToken,
  ): Promise<void> => {
    const { scheme, jwt } = readAuthorization(request.headers.authorization)
    const { keyThumbprint } = token
    if (keyThumbprint === undefined)
      throw makeRefusal(
        failedCheck('proof', 'the token is bound to no key: send it as Authorization: Bearer <ACCESS_TOKEN>'),
        token,
      )
    if (scheme === 'bearer')
      throw makeRefusal(
        failedCheck(
          'proof',
          'the token is bound to a key: send Authorization: DPoP <ACCESS_TOKEN> and a DPoP proof',
        ),
        token,
      )
    if (provenRequests.get(request) === token.jti) return
    const result = await verifyProof(request.headers.dpop?.toString(), {
      method: request.method ?? '',
      address,
      accessToken: jwt,
      keyThumbprint,
    })
    if ('check' in result) throw makeRefusal(result.check, token)
    if (!(await usedProofs.use({ keyThumbprint, ...result.proof })))
      throw makeRefusal(
        failedCheck('proof', 'the DPoP proof was used before: make one for each request'),
        token,
      )
    provenRequests.set(request, token.jti)
  }
  const identify = async (
    request: CredentialRequest,
    address: string,
    connection?: object,
  ): Promise<Principal> => {
    const { authorization } = request.headers
    const token = await readVerifiedToken(authorization, connection)
    const audience = checkAudience(token, address)
    if (!audience.passed) throw makeRefusal(audience, token)
    const clock = checkClock(token, Date.now() / 1000)
    if (!clock.passed) throw makeRefusal(clock, token)
    if (token.keyThumbprint !== undefined || isDpopScheme(authorization))
      await requireProof(request, address, token)
    return confirm(token, directory)
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
      const result = await verify(jwt)
      if ('check' in result) return undefined
      try {
        await confirmCurrent(result.token)
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
      const accountResult = client && (await checkAccount(token, client))
      const checks = [
        form,
        checkIssuer(token.issuer),
        await checkSignature(jwt, decoded.header),
        checkAudience(token, address),
        checkClock(token, Date.now() / 1000),
        passedCheck(
          'proof',
          token.keyThumbprint === undefined ? 'needs no proof' : 'needs a DPoP proof with each request',
        ),
        await checkRevocation(token),
        checkClient(client),
        ...(accountResult ? [accountResult.check] : []),
      ]
      const isAccepted = checks.every(check => check.passed)
      return { ...contents, checks, principal: isAccepted ? accountResult?.principal : undefined }
    },
  }
}

/** True if the header `Authorization` has the scheme DPoP, whatever follows. */
export const isDpopScheme = (authorization: string | undefined): boolean =>
  authorization !== undefined && /^\s*dpop(?:\s|$)/i.test(authorization)

/**
 * Reads the token of an `Authorization` header (RFC 6750, section 2.1; RFC 9449, section 7.1). Accepts the scheme in any case. Throws
 * {@link AuthorizationError} (401).
 */
const readAuthorization = (header: string | undefined): { scheme: 'bearer' | 'dpop'; jwt: string } => {
  if (header === undefined || header.trim() === '')
    throw new AuthorizationError(
      'no-token',
      'this address needs an access token: Authorization: Bearer <ACCESS_TOKEN>',
      failedCheck('token', 'no token was sent'),
    )
  const [name = '', jwt = '', ...rest] = header.trim().split(/ +/)
  const scheme = name.toLowerCase()
  if (scheme !== 'bearer' && scheme !== 'dpop') {
    const message = 'the Authorization header has another scheme: write Bearer <ACCESS_TOKEN>'
    if (jwt === '') throw makeHeaderRefusal(message)
    // Another scheme counts as no token (https://www.rfc-editor.org/rfc/rfc6750#section-3.1).
    throw new AuthorizationError('no-token', message, failedCheck('token', message))
  }
  if (jwt === '' || rest.length > 0)
    throw makeHeaderRefusal(
      `the Authorization header is malformed: write ${scheme === 'dpop' ? 'DPoP' : 'Bearer'} <ACCESS_TOKEN>`,
    )
  return { scheme, jwt }
}

const makeHeaderRefusal = (message: string): AuthorizationError =>
  new AuthorizationError('invalid-token', message, failedCheck('token', message))
