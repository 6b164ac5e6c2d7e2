/** Wrong secrets of late, for the throttle of the token endpoint (authorization-server.md: "By default only failures count"). */
import { LRUCache } from 'lru-cache'
import { lruLimit } from '#storage/lru-limit'

export interface FailedAttempts {
  /** Counts a wrong secret; true when the client, or the address with all its clients, has had too many within a minute. */
  recordFailure(clientId: string, address: string): boolean
}

export const windowSeconds = 60
/** Places that are counted at a time; a guesser with more of them is slowed by the secrets' 256 bits. */
const countersMax = 20_000
/** An office behind one address has more than one client. */
const clientsPerAddress = 10

/** Adds one to a key; returns how many there were within a minute of the first. In this node's memory. */
export const createPerMinuteCounter = (): ((key: string) => number) => {
  const counts = new LRUCache<string, { times: number }>({
    ...lruLimit(countersMax),
    ttl: windowSeconds * 1000,
  })
  return key => {
    const counter = counts.get(key)
    if (!counter) counts.set(key, { times: 1 })
    else counter.times += 1
    return counter?.times ?? 1
  }
}

/**
 * `aMinute`: for one client from one address; ten times it for one address. In this node's memory: a right secret always passes, so a
 * restart costs nobody anything.
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
