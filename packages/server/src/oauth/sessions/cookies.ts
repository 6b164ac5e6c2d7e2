/** Cookies of the session and of sign-ins in progress. */
import type { Configuration } from 'oidc-provider'

/** Lists the sign-ins in progress of this browser (started-sign-ins.ts). */
export const startedSignInsCookie = (authUrl: string): string =>
  `${authUrl.startsWith('https:') ? '__Secure-' : ''}querent_under_way`

/**
 * `HttpOnly` and `SameSite=Lax`; on https also `Secure` and bound by name to this host (`__Host-`) or to
 * https, so that sibling domains cannot set them (RFC 6265bis, section 4.1.3). Cookies of a sign-in have
 * their own path, which `__Host-` forbids.
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
