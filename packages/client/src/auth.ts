/** Access tokens by client credentials (RFC 6749, section 4.4), and the metadata of a server (RFC 8414). */
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
}

/** Requests one token. Throws `ApiError` with the OAuth error as its code, `UnreachableError` or `UnexpectedReplyError`. */
export const requestToken = async (credentials: ClientCredentials): Promise<TokenReply> => {
  const form: NonNullable<Request['form']> = {
    grant_type: 'client_credentials',
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
    audience: credentials.audience,
  }
  const { authUrl, signal } = credentials
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

/**
 * Returns a token source that caches one token and replaces it shortly before it expires. Concurrent callers share one request. Failures are
 * not cached. A token that lives shorter than twice the margin is used for half its lifetime.
 */
export const clientCredentials = (
  credentials: ClientCredentials,
  now: () => number = Date.now,
): TokenSource => {
  let cached: { token: string; usableUntilMs: number } | undefined
  let pending: Promise<string> | undefined
  const replace = async (): Promise<string> => {
    const requestedMs = now()
    const reply = await requestToken(credentials)
    const usableSeconds = Math.max(reply.expires_in - marginSeconds, reply.expires_in / 2)
    cached = { token: reply.access_token, usableUntilMs: requestedMs + usableSeconds * 1000 }
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
