/** A circuit breaker (M. Nygard, "Release It!"): after repeated failures of a remote service, requests fail at once for a while. */

/** Failures in a row after which the breaker opens. */
const failuresMax = 5
/** First pause; it doubles with each failed probe. */
const pauseMs = 5_000
const pauseMsMax = 60_000
/** Longest pause that the service may request (`Retry-After`). */
const requestedMsMax = 5 * 60_000

export interface CircuitBreaker {
  /** Returns 0 if a request may be sent now, otherwise the milliseconds to wait. After a pause, one request at a time is a probe. */
  enter(): number
  /** Like {@link CircuitBreaker.enter}, without sending a request. */
  waitMs(): number
  succeed(): void
  /** `retryAfterMs`: the pause that the service requested. */
  fail(retryAfterMs?: number): void
}

export const createCircuitBreaker = (now: () => number = Date.now): CircuitBreaker => {
  let failures = 0
  let closedFrom = 0
  let isProbing = false
  const waitMs = () => Math.max(0, closedFrom - now())
  return {
    waitMs,
    enter() {
      if (waitMs() > 0) return waitMs()
      if (failures < failuresMax) return 0
      if (isProbing) return pauseMs
      isProbing = true
      return 0
    },
    succeed() {
      failures = 0
      closedFrom = 0
      isProbing = false
    },
    fail(retryAfterMs = 0) {
      failures += 1
      isProbing = false
      const doublings = failures - failuresMax
      const ownMs = doublings < 0 ? 0 : Math.min(pauseMs * 2 ** Math.min(doublings, 10), pauseMsMax)
      const pause = Math.max(ownMs, Math.min(retryAfterMs, requestedMsMax))
      closedFrom = Math.max(closedFrom, now() + pause)
    },
  }
}
