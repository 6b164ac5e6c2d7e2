/**
 * Header value with the time until the reply was ready (https://www.w3.org/TR/server-timing/). Whole milliseconds: finer ones would help to
 * time documents that the caller can't see.
 */
export const serverTiming = (ms: number): string => `total;dur=${Math.round(ms)}`
