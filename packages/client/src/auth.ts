/** Access tokens by client credentials (RFC 6749, section 4.4), and where a server's parts are (RFC 8414). */
import { addressOf } from './address.ts'
import { UnexpectedReplyError } from './errors.ts'
import { type Request, send, type TokenSource } from './send.ts'

export interface ServerMetadata {
  issuer: string
  token_endpoint: string
  /** Addresses whose tokens are issued here (RFC 9728, section 4): the query service. */
  protected_resources?: string[]
}

/** What an authorization server says of itself. Throws `ApiError` or `UnreachableError`. */
export const discover = (authUrl: string, signal?: AbortSignal): Promise<ServerMetadata> =>
  send<ServerMetadata>(addressOf(authUrl, '/.well-known/oauth-authorization-server'), { signal })

/** The audience of tokens for the management API at `authUrl`. */
export const managementAudience = (authUrl: string): string => addressOf(authUrl, '/manage/')

export interface ClientCredentials {
  authUrl: string
  clientId: string
  clientSecret: string
  /** The address that the token is for: the query service's, or {@link managementAudience}. */
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

/** One token request. Throws `ApiError` with the OAuth error as its code, `UnreachableError` or `UnexpectedReplyError`. */
export const requestToken = async (credentials: ClientCredentials): Promise<TokenReply> => {
  const form: NonNullable<Request['form']> = {
    grant_type: 'client_credentials',
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
    audience: credentials.audience,
  }
  const { authUrl, signal } = credentials
  const reply = await send<Partial<TokenReply> | null | undefined>(addressOf(authUrl, '/oauth/token'), {
    method: 'POST',
    form,
    signal,
  })
  if (typeof reply?.access_token !== 'string' || typeof reply.expires_in !== 'number')
    throw new UnexpectedReplyError(authUrl, 'an authorization server')
  return { token_type: 'Bearer', ...reply, access_token: reply.access_token, expires_in: reply.expires_in }
}

/** A token is replaced so long before it expires: time for a slow request, and for clocks that differ. */
const marginSeconds = 30

/**
 * Keeps one token and replaces it shortly before it expires; whoever asks in the meantime waits for the same request.
 * A failed request is not remembered. A life shorter than twice the margin is used to its half.
 */
export const clientCredentials = (
  credentials: ClientCredentials,
  now: () => number = Date.now,
): TokenSource => {
  let kept: { token: string; goodUntilMs: number } | undefined
  let pending: Promise<string> | undefined
  const replace = async (): Promise<string> => {
    const askedMs = now()
    const reply = await requestToken(credentials)
    const goodSeconds = Math.max(reply.expires_in - marginSeconds, reply.expires_in / 2)
    kept = { token: reply.access_token, goodUntilMs: askedMs + goodSeconds * 1000 }
    return reply.access_token
  }
  return async () => {
    if (kept && now() < kept.goodUntilMs) return kept.token
    pending ??= replace().finally(() => {
      pending = undefined
    })
    return pending
  }
}
