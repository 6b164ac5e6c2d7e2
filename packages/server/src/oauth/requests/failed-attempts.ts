/** Counts recent wrong secrets, for the throttle of the token endpoint. Only failures count. */
import { LRUCache } from 'lru-cache'
import { lruLimit } from '#storage/lru-limit'

export interface FailedAttempts {
  /**
   * Counts a wrong secret. Returns true if the client, or all clients of the address together, exceed the
   * limit of a minute.
   */
  recordFailure(clientId: string, address: string): boolean
}

export const windowSeconds = 60
/** Counted keys; the 256 bits of a secret slow down an attacker with more addresses. */
const countersMax = 20_000
/** Several clients may share an office's address. */
const clientsPerAddress = 10

/**
 * Creates a counter: it adds one to a key and returns the count within a minute of the first. In memory of
 * this node.
 */
export const createPerMinuteCounter = (): ((key: string) => number) => {
  const counts = new LRUCache<string, { failures: number }>({
    ...lruLimit(countersMax),
    ttl: windowSeconds * 1000,
  })
  return key => {
    const counter = counts.get(key)
    if (!counter) counts.set(key, { failures: 1 })
    else counter.failures += 1
    return counter?.failures ?? 1
  }
}

/**
 * `perMinuteMax`: for one client from one address; ten times as many for one address. In memory, because a
 * right secret always passes, so a restart harms nobody.
 */
export const openFailedAttempts = (perMinuteMax: number | 'off'): FailedAttempts => {
  if (perMinuteMax === 'off') return { recordFailure: () => false }
  const count = createPerMinuteCounter()
  return {
    recordFailure(clientId, address) {
      const clientFailures = count(`${address} ${clientId}`)
      const addressFailures = count(address)
      return clientFailures > perMinuteMax || addressFailures > perMinuteMax * clientsPerAddress
    },
  }
}
