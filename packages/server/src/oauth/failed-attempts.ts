/** Wrong secrets of late, for the throttle of the token endpoint (authorization-server.md: "By default only failures count"). */
import { LRUCache } from 'lru-cache'
import { atMost } from '#storage/at-most'

export interface FailedAttempts {
  /** Counts a wrong secret; true when the client, or the address with all its clients, has had too many within a minute. */
  note(clientId: string, address: string): boolean
}

export const windowSeconds = 60
/** Places that are counted at a time; a guesser with more of them is slowed by the secrets' 256 bits. */
const placesMax = 20_000
/** An office behind one address has more than one client. */
const clientsOfAddress = 10

/** Adds one to a key; returns how many there were within a minute of the first. In this node's memory. */
export const countsOfAMinute = (): ((key: string) => number) => {
  const counts = new LRUCache<string, { times: number }>({
    ...atMost(placesMax),
    ttl: windowSeconds * 1000,
  })
  return key => {
    const counted = counts.get(key)
    if (!counted) counts.set(key, { times: 1 })
    else counted.times += 1
    return counted?.times ?? 1
  }
}

/**
 * `aMinute`: for one client from one address; ten times it for one address. In this node's memory: a right secret always passes, so a
 * restart costs nobody anything.
 */
export const openFailedAttempts = (aMinute: number | 'off'): FailedAttempts => {
  if (aMinute === 'off') return { note: () => false }
  const count = countsOfAMinute()
  return {
    note(clientId, address) {
      const ofClient = count(`${address} ${clientId}`)
      const ofAddress = count(address)
      return ofClient > aMinute || ofAddress > aMinute * clientsOfAddress
    },
  }
}
