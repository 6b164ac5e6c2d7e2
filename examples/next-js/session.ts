/** Reads and writes the session's cookie of Auth.js. */
import { encode, getToken, type JWT } from 'next-auth/jwt'

const isSecure = process.env.AUTH_URL?.startsWith('https://') ?? false
const secret = process.env.AUTH_SECRET ?? ''

export const cookieName = isSecure ? '__Secure-authjs.session-token' : 'authjs.session-token'
export const cookieOptions = {
  httpOnly: true,
  sameSite: 'lax',
  path: '/',
  secure: isSecure,
  maxAge: 30 * 24 * 60 * 60,
} as const

export const readSession = (headers: Headers): Promise<JWT | null> =>
  getToken({ req: { headers }, secret, secureCookie: isSecure })

export const encodeSession = (session: JWT): Promise<string> =>
  encode({ token: session, secret, salt: cookieName, maxAge: cookieOptions.maxAge })
