/** The cookies of people's browsers: that of the session, and those of one sign-in under way. */
import type { Configuration } from 'oidc-provider'

/** The one that knows which sign-ins are under way in this browser (started-sign-ins.ts). */
export const startedSignInsCookie = (authUrl: string): string =>
  `${authUrl.startsWith('https:') ? '__Secure-' : ''}querent_under_way`

/**
 * `HttpOnly` and `SameSite=Lax`; on https `Secure`, and by their name bound to this very host (`__Host-`) or at least to https: a sibling
 * domain cannot plant one (RFC 6265bis, section 4.1.3). Those of a sign-in have a path of their own, which `__Host-` forbids.
 */
export const makeCookieSettings = (
  authUrl: string,
  keys: readonly string[],
): NonNullable<Configuration['cookies']> => {
  const secure = new URL(authUrl).protocol === 'https:'
  const options = { httpOnly: true, sameSite: 'lax', secure } as const
  return {
    names: {
      session: `${secure ? '__Host-' : ''}querent_session`,
      interaction: `${secure ? '__Secure-' : ''}querent_interaction`,
      resume: `${secure ? '__Secure-' : ''}querent_resume`,
    },
    long: { ...options, path: '/' },
    short: options,
    keys: [...keys],
  }
}
