/** Times that plans depend on. */

const minuteMs = 60_000
const secondMs = 1000

/** The start of the minute. */
export const wholeMinutes = (ms: number): number => Math.floor(ms / minuteMs) * minuteMs

/** The start of the second. */
export const wholeSeconds = (ms: number): number => Math.floor(ms / secondMs) * secondMs
