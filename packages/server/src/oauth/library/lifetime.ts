/** Lifetimes of tokens and sign-ins, in seconds. */
import { readDuration } from '@querent/contract/duration'

export const defaultLifetimeSeconds = 15 * 60
const leastSeconds = 60
export const longestLifetimeSeconds = 24 * 60 * 60

/** Reads `accessTokenLifetime` of the workspace file, such as `15m`, `90s`, `24h`. Clamps to the limits. */
export const lifetimeSeconds = (setting: string | undefined): number => {
  const seconds = readDuration(setting ?? '') ?? defaultLifetimeSeconds
  return Math.min(Math.max(seconds, leastSeconds), longestLifetimeSeconds)
}

/** Lifetime of a session without use, and at most. */
export const sessionIdleSeconds = 14 * 24 * 60 * 60
export const sessionLongestSeconds = 30 * 24 * 60 * 60
/** Lifetime of an unused refresh token, and of its family since the sign-in. */
export const refreshIdleSeconds = 14 * 24 * 60 * 60
export const refreshLongestSeconds = 90 * 24 * 60 * 60
/** RFC 6749, section 4.1.2: a minute is enough for a redirect. */
export const codeSeconds = 60
/** Time to open the page on another device, type the code and sign in. */
export const deviceCodeSeconds = 10 * 60
/**
 * A grant outlives everything issued from its code: an access token, or with a refresh token all later ones.
 */
export const grantSeconds = (scope: string): number =>
  codeSeconds +
  longestLifetimeSeconds +
  (scope.split(' ').includes('offline_access') ? refreshLongestSeconds : 0)
/** Read once, right after it is issued. */
export const idTokenSeconds = 60 * 60
/** How long a page may stay open. Anybody may open one, so it is no longer than people need. */
export const interactionSeconds = 30 * 60

/**
 * Returns the remaining part of `idle`, limited by `longest` since `startedAt` (seconds since 1970); at least
 * a second.
 */
export const remainingSeconds = (idle: number, longest: number, startedAt: number, now: number): number =>
  Math.max(Math.min(idle, startedAt + longest - now), 1)
