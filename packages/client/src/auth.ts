/** Access tokens by client credentials (RFC 6749, section 4.4) or refresh token (section 6), and the metadata of a server (RFC 8414). */
import { buildAddress } from './address.ts'
import { UnexpectedReplyError } from './errors.ts'
import { type Request, send, type TokenSource } from './send.ts'

export interface ServerMetadata {
  issuer: string
  token_endpoint: string
  /** Resources that this server issues tokens for (RFC 9728, section 4): the query service. */
  protected_resources?: string[]
}

/** Reads the metadata of an authorization server. Throws `ApiError` or `UnreachableError`. */
export const discover = (authUrl: string, signal?: AbortSignal): Promise<ServerMetadata> =>
  send<ServerMetadata>(buildAddress(authUrl, '/.well-known/oauth-authorization-server'), { signal })

/** Returns the audience of tokens for the management API at `authUrl`. */
export const managementAudience = (authUrl: string): string => buildAddress(authUrl, '/manage/')

export interface ClientCredentials {
  authUrl: string
  clientId: string
  clientSecret: string
  /** Audience of the token: the URL of the query service, or {@link managementAudience}. */
  audience: string
  signal?: AbortSignal
}

export interface TokenReply {
  access_token: string
  token_type: string
  /** Seconds. */
  expires_in: number
  scope?: string
  refresh_token?: string
  id_token?: string
}

/** Requests one token. Throws `ApiError` with the OAuth error as its code, `UnreachableError` or `UnexpectedReplyError`. */
export const requestToken = ({
  authUrl,
  clientId,
  clientSecret,
  audience,
  signal,
}: ClientCredentials): Promise<TokenReply> =>
  sendTokenRequest(
    authUrl,
    { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, audience },
    signal,
  )

export interface RefreshTokenUse {
  authUrl: string
  /** A public client, which has no secret. */
  clientId: string
  refreshToken: string
  /** Address that the access token opens (RFC 8707); one of those that the person granted. */
  resource: string
  signal?: AbortSignal
}

/** Exchanges a refresh token for an access token and the next refresh token. Throws as {@link requestToken}. */
export const refreshAccessToken = ({
  authUrl,
  clientId,
  refreshToken,
  resource,
  signal,
}: RefreshTokenUse): Promise<TokenReply> =>
  sendTokenRequest(
    authUrl,
    { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken, resource },
    signal,
  )

/** Revokes a token and, for a refresh token, everything issued with it (RFC 7009). Throws `ApiError` or `UnreachableError`. */
export const revokeToken = async (authUrl: string, clientId: string, token: string): Promise<void> => {
  await send(buildAddress(authUrl, '/oauth/revoke'), {
    method: 'POST',
    form: { client_id: clientId, token },
    signal: AbortSignal.timeout(revokeTimeoutMs),
  })
}
const revokeTimeoutMs = 10_000

/** Sends a form to the token endpoint. Throws as {@link requestToken}. */
export const sendTokenRequest = async (
  authUrl: string,
  form: NonNullable<Request['form']>,
  signal: AbortSignal | undefined,
): Promise<TokenReply> => {
  const reply = await send<Partial<TokenReply> | null | undefined>(buildAddress(authUrl, '/oauth/token'), {
    method: 'POST',
    form,
    signal,
  })
  if (typeof reply?.access_token !== 'string' || typeof reply.expires_in !== 'number')
    throw new UnexpectedReplyError(authUrl, 'an authorization server')
  return { token_type: 'Bearer', ...reply, access_token: reply.access_token, expires_in: reply.expires_in }
}

/** How long before its expiry a token is replaced. Allows for slow requests and clock differences. */
const marginSeconds = 30

/** Returns a token source by client credentials, which caches its token: {@link cacheToken}. */
export const clientCredentials = (
  credentials: ClientCredentials,
  now: () => number = Date.now,
): TokenSource => cacheToken(() => requestToken(credentials), now)

/**
 * Returns when a token should be replaced, in milliseconds since the epoch. A token that lives shorter than twice the margin is used for half
 * its lifetime.
 */
export const usableUntilMs = ({ expires_in }: TokenReply, requestedMs: number): number =>
  requestedMs + Math.max(expires_in - marginSeconds, expires_in / 2) * 1000

/**
 * Returns a token source that caches one token and replaces it shortly before it expires. Concurrent callers share one request. Failures are
 * not cached.
 */
export const cacheToken = (request: () => Promise<TokenReply>, now: () => number = Date.now): TokenSource => {
  let cached: { token: string; usableUntilMs: number } | undefined
  let pending: Promise<string> | undefined
  const replace = async (): Promise<string> => {
    const requestedMs = now()
    const reply = await request()
    cached = { token: reply.access_token, usableUntilMs: usableUntilMs(reply, requestedMs) }
    return reply.access_token
  }
  return async () => {
    if (cached && now() < cached.usableUntilMs) return cached.token
    pending ??= replace().finally(() => {
      pending = undefined
    })
    return pending
  }
}
