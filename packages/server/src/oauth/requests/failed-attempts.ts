/** Counts recent wrong secrets, for the throttle of the token endpoint. Only failures count. */
import { createMinuteCounter } from '#memory/minute-counter'

export interface FailedAttempts {
  /**
   * Counts a wrong secret. Returns true if the client, or all clients of the address together, exceed the
   * limit of a minute.
   */
  recordFailure(clientId: string, address: string): boolean
}

/** Counted keys; the 256 bits of a secret slow down an attacker with more addresses. */
const countersMax = 20_000
/** Several clients may share an office's address. */
const clientsPerAddress = 10

/**
 * `perMinuteMax`: for one client from one address; ten times as many for one address. In memory, because a
 * right secret always passes, so a restart harms nobody.
 */
export const openFailedAttempts = (perMinuteMax: number | 'off'): FailedAttempts => {
  if (perMinuteMax === 'off') return { recordFailure: () => false }
  const failures = createMinuteCounter(countersMax)
  const count = (key: string): number => {
    const minute = failures.start(key)
    minute.count += 1
    return minute.count
  }
  return {
    recordFailure(clientId, address) {
      const clientFailures = count(`${address} ${clientId}`)
      const addressFailures = count(address)
      return clientFailures > perMinuteMax || addressFailures > perMinuteMax * clientsPerAddress
    },
  }
}
