/** Normalizes `X-Forwarded-For`, which some load balancers write with ports. */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** Reads the last addresses only, the nearest last. Earlier ones cannot be trusted. */
const hopsMax = 100
const addressWithPort = /^(?:\[([^[\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/

/**
 * Reduces the header to addresses. Removes ports, which some balancers append (`203.0.113.9:1234`, `[2001:db8::1]:1234`). Removes everything
 * before an entry that is no address, because nobody knows who wrote it.
 */
export const normalizeForwardedFor = ({ headers }: IncomingMessage): void => {
  const forwardedFor = headers['x-forwarded-for']
  if (forwardedFor === undefined) return
  const hops: string[] = []
  for (const hop of String(forwardedFor).split(',').slice(-hopsMax).toReversed()) {
    const address = parseAddress(hop.trim())
    if (address === undefined) break
    hops.unshift(address)
  }
  if (hops.length > 0) headers['x-forwarded-for'] = hops.join(', ')
  else delete headers['x-forwarded-for']
}

const parseAddress = (hop: string): string | undefined => {
  const [, ipv6, ipv4] = addressWithPort.exec(hop) ?? []
  return [hop, ipv6, ipv4].find(text => text !== undefined && isIP(text) > 0)
}
