/** The person's tokens: kept in the session's cookie, refreshed before they expire, revoked at sign-out. */
import type { JWT } from 'next-auth/jwt'

declare module 'next-auth/jwt' {
  interface JWT {
    accessToken?: string
    refreshToken?: string
    /** Seconds since 1970. */
    expiresAt?: number
  }
}

interface TokenReply {
  access_token?: string | undefined
  refresh_token?: string | undefined
  /** Seconds. */
  expires_in?: number | undefined
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000)

export const keepTokens = (
  session: JWT,
  { access_token, refresh_token, expires_in = 0 }: TokenReply,
): JWT => ({
  ...session,
  ...(access_token === undefined ? {} : { accessToken: access_token }),
  // Each use of a refresh token returns the next one.
  ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
  expiresAt: nowSeconds() + expires_in,
})

const secondsBefore = 30

export const isExpiring = ({ expiresAt = 0 }: JWT): boolean => expiresAt - secondsBefore < nowSeconds()

const post = (path: string, form: Record<string, string>): Promise<Response> =>
  fetch(new URL(path, process.env.AUTH_QUERENT_ISSUER), {
    method: 'POST',
    body: new URLSearchParams({
      ...form,
      client_id: process.env.AUTH_QUERENT_ID ?? '',
      client_secret: process.env.AUTH_QUERENT_SECRET ?? '',
    }),
  })

/** Returns the session with new tokens, or undefined if the person must sign in again. Throws if the server fails. */
export const refresh = async (session: JWT): Promise<JWT | undefined> => {
  if (session.refreshToken === undefined) return undefined
  const reply = await post('/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: session.refreshToken,
  })
  if (reply.status >= 500) throw new Error(`the authorization server answered with ${reply.status}`)
  return reply.ok ? keepTokens(session, await reply.json()) : undefined
}

/** Ends everything that this sign-in issued (RFC 7009). */
export const revoke = async ({ refreshToken }: JWT): Promise<void> => {
  if (refreshToken !== undefined) await post('/oauth/revoke', { token: refreshToken })
}
