/**
 * Turns a token into a principal (query-service.md, Authorization). Each step is one check of "Why was I refused?". A query stops at the
 * first failed check; {@link Bearer.inspect} runs them all.
 */
import type { Check } from '@querent/contract/manage'
import type { Keyring } from '#keys/keyring'
import type { AccountLookups, Directory } from '#storage/directory'
import { type AccessToken, decodeToken, readClaims } from './access-token.ts'
import { AuthorizationError, makeTokenRefusal } from './authorization-error.ts'
import { isDpopScheme } from './authorization-header.ts'
import { checkAccount, type Principal } from './principal.ts'
import { type CredentialRequest, createProofRequirement } from './proof-requirement.ts'
import { makeTokenChecks, passedCheck, type TokenChecks } from './token-checks.ts'
import type { UsedProofs } from './used-proofs.ts'
import { openVerifiedTokens } from './verified-tokens.ts'

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

export const openBearer = (deps: Dependencies): Bearer => {
  const { keyring, directory, authUrl, baseUrl } = deps
  const checks = makeTokenChecks({ keyring, directory, issuer: `${authUrl}/`, baseUrl })
  const tokens = openVerifiedTokens(keyring, checks)
  const requireProof = createProofRequirement(deps.usedProofs, deps.pathVersions)

  const requireCurrent = (token: AccessToken): void => {
    const clock = checks.checkClock(token, Date.now() / 1000)
    if (!clock.passed) throw makeTokenRefusal(clock, token)
  }

  /** The checks of a verified token that may start to fail during a request. */
  const confirm = async (token: AccessToken, lookups: AccountLookups): Promise<Principal> => {
    const revocation = await checks.checkRevocation(token, lookups)
    if (!revocation.passed) throw makeTokenRefusal(revocation, token)
    const client = await lookups.client(token.clientId)
    const clientCheck = checks.checkClient(client)
    if (!clientCheck.passed || !client) throw makeTokenRefusal(clientCheck, token)
    const { check, principal } = await checkAccount(token, client, lookups)
    if (!principal) throw makeTokenRefusal(check, token)
    return principal
  }

  return {
    lookups: tokens.lookups,
    confirm,
    async identify(request, address, connection) {
      const { authorization } = request.headers
      const token = await tokens.readHeader(authorization, connection)
      const audience = checks.checkAudience(token, address)
      if (!audience.passed) throw makeTokenRefusal(audience, token)
      requireCurrent(token)
      if (token.keyThumbprint !== undefined || isDpopScheme(authorization))
        await requireProof(request, address, token)
      return confirm(token, directory)
    },
    tokenOfConnection(authorization, connection) {
      const token = tokens.findLast(authorization, connection)
      return token && checks.checkClock(token, Date.now() / 1000).passed ? token : undefined
    },
    recordHit() {
      tokens.lookups.hits += 1
    },
    async read(jwt) {
      const result = await tokens.verify(jwt)
      if ('check' in result) return undefined
      try {
        requireCurrent(result.token)
        await confirm(result.token, directory)
        return result.token
      } catch (error) {
        if (error instanceof AuthorizationError) return undefined
        throw error
      }
    },
    inspect: (jwt, address) => inspectToken({ checks, directory }, jwt, address),
  }
}

/** Runs every check, also those behind a failed one. */
const inspectToken = async (
  { checks, directory }: { checks: TokenChecks; directory: Directory },
  jwt: string,
  address: string,
): ReturnType<Bearer['inspect']> => {
  const decoded = decodeToken(jwt)
  const token = decoded && readClaims(decoded.claims)
  const contents = { header: decoded?.header ?? null, claims: decoded?.claims ?? null }
  const form = checks.checkForm(decoded, token)
  if (!decoded || !token) return { ...contents, checks: [form], principal: undefined }
  const client = await directory.client(token.clientId)
  const account = client && (await checkAccount(token, client, directory))
  const proof = token.keyThumbprint === undefined ? 'needs no proof' : 'needs a DPoP proof with each request'
  const results = [
    form,
    checks.checkIssuer(token.issuer),
    await checks.checkSignature(jwt, decoded.header),
    checks.checkAudience(token, address),
    checks.checkClock(token, Date.now() / 1000),
    passedCheck('proof', proof),
    await checks.checkRevocation(token),
    checks.checkClient(client),
    ...(account ? [account.check] : []),
  ]
  const isAccepted = results.every(check => check.passed)
  return { ...contents, checks: results, principal: isAccepted ? account?.principal : undefined }
}
