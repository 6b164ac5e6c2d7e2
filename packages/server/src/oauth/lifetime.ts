/** Lifetime of access tokens, seconds: 15 minutes, or what the workspace says, from 1 minute to 24 hours (authorization-server.md, Tokens). */

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
