/** `X-Forwarded-For` as some load balancers write it, for all who read it after. */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** The last addresses, nearest last: what is further away has said nothing that can be believed. */
const hopsMax = 100
const addressWithPort = /^(?:\[([^[\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/

/**
 * Leaves addresses alone in the header: without ports, which some balancers append (`203.0.113.9:1234`, `[2001:db8::1]:1234`), and without
 * all that stands before what is no address: nobody knows whose word that is.
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
