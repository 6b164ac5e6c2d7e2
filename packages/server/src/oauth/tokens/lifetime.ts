/** How long tokens, sign-ins and their traces last, in seconds (authorization-server.md, Tokens). */

export const defaultLifetimeSeconds = 15 * 60
const leastSeconds = 60
export const longestLifetimeSeconds = 24 * 60 * 60

const unitSeconds = { s: 1, m: 60, h: 60 * 60 }

/** `setting`: `accessTokenLifetime` of the workspace file, such as `15m`, `90s`, `24h`; a length beyond the limits counts as the limit. */
export const lifetimeSeconds = (setting: string | undefined): number => {
  const [, number, unit] = /^(\d+)([smh])$/.exec(setting ?? '') ?? []
  if (number === undefined || (unit !== 's' && unit !== 'm' && unit !== 'h')) return defaultLifetimeSeconds
  return Math.min(Math.max(Number(number) * unitSeconds[unit], leastSeconds), longestLifetimeSeconds)
}

/** For how long a sign-in lasts without use, and at most. */
export const sessionIdleSeconds = 14 * 24 * 60 * 60
export const sessionLongestSeconds = 30 * 24 * 60 * 60
/** A refresh token unused for so long has expired; so has every one of its family, so long after the sign-in. */
export const refreshIdleSeconds = 14 * 24 * 60 * 60
export const refreshLongestSeconds = 90 * 24 * 60 * 60
/** RFC 6749, section 4.1.2: a minute is enough for a redirect. */
export const codeSeconds = 60
/** A grant outlives what comes of its code: an access token, or with a refresh token those that it gives up to its last day. */
export const grantSeconds = (scope: string): number =>
  codeSeconds +
  longestLifetimeSeconds +
  (scope.split(' ').includes('offline_access') ? refreshLongestSeconds : 0)
/** Read once, right after it was given. */
export const idTokenSeconds = 60 * 60
/** For how long a page may stay open before its button is pressed. Anybody may open one, so it is no longer than people need. */
export const interactionSeconds = 30 * 60

/** What is left of `idle`, when at most `longest` may have passed since `startedAt` (seconds since 1970); at least a second. */
export const remainingSeconds = (idle: number, longest: number, startedAt: number, now: number): number =>
  Math.max(Math.min(idle, startedAt + longest - now), 1)
