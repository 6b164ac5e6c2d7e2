/** Waiting, and repeating requests that the server asks to send later. */
import { ApiError } from './errors.ts'

export interface RetryPolicy {
  /** Further attempts after the first, default 2. 0 turns retries off. */
  attemptsMax?: number | undefined
  /** The longest wait before an attempt, default 10,000. If the server asks for more, the error is thrown at once. */
  waitMsMax?: number | undefined
}

/**
 * Runs `work` again if it throws an `ApiError` of status 429 or 503 with `Retry-After` (RFC 9110, section 10.2.3), after that time. Only for
 * work that may run twice. An abort ends the wait and rejects with the signal's reason.
 */
export const withRetries = async <T>(
  { attemptsMax = 2, waitMsMax = 10_000 }: RetryPolicy,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> => {
  for (let attempt = 0; ; attempt++)
    try {
      return await work()
    } catch (error) {
      const waitMs = error instanceof ApiError ? readWaitMs(error) : undefined
      if (waitMs === undefined || attempt >= attemptsMax || waitMs > waitMsMax) throw error
      await pause(waitMs, signal)
    }
}

const readWaitMs = ({ status, retryAfterSeconds }: ApiError): number | undefined =>
  (status === 429 || status === 503) && retryAfterSeconds !== undefined ? retryAfterSeconds * 1000 : undefined

/** Resolves after a time. An abort rejects with the signal's reason. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  untilAborted(
    signal,
    new Promise(resolve => {
      setTimeout(resolve, ms)
    }),
  )

/** Follows `work`, but rejects at once when the signal aborts. */
export const untilAborted = async <T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> => {
  if (!signal) return work
  signal.throwIfAborted()
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
