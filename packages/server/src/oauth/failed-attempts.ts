/** Wrong secrets of late, for the throttle of the token endpoint (authorization-server.md: "By default only failures count"). */
import { LRUCache } from 'lru-cache'

export interface FailedAttempts {
  /** Counts a wrong secret; true when the client, or the address with all its clients, has had too many within a minute. */
  note(clientId: string, address: string): boolean
}

export const windowSeconds = 60
/** Places that are counted at a time; a guesser with more of them is slowed by the secrets' 256 bits. */
const placesMax = 20_000
/** An office behind one address has more than one client. */
const clientsOfAddress = 10

/**
 * `aMinute`: for one client from one address; ten times it for one address. In this node's memory: a right secret always passes, so a
 * restart costs nobody anything.
 */
export const openFailedAttempts = (aMinute: number | 'off'): FailedAttempts => {
  if (aMinute === 'off') return { note: () => false }
  const counts = new LRUCache<string, { failures: number }>({ max: placesMax, ttl: windowSeconds * 1000 })
  const count = (key: string): number => {
    const counted = counts.get(key)
    if (!counted) counts.set(key, { failures: 1 })
    else counted.failures += 1
    return counted?.failures ?? 1
  }
  return {
    note(clientId, address) {
      const ofClient = count(`${address} ${clientId}`)
      const ofAddress = count(address)
      return ofClient > aMinute || ofAddress > aMinute * clientsOfAddress
    },
  }
}
