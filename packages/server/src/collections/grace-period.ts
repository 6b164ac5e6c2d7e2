/** The time that superseded generations stay. */

/** How long a node without storage may still use a dropped generation: until its memberships are too old, plus one last query. */
export const computeGraceMs = ({
  staleSeconds,
  queryTimeoutMs,
}: {
  staleSeconds: number
  queryTimeoutMs: number
}): number => Math.max(graceMsMin, staleSeconds * 1000 + queryTimeoutMs + feedDelayMs)
const graceMsMin = 30_000
const feedDelayMs = 2000
