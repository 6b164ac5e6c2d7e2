/** Ranges of client addresses: `192.0.2.7`, `192.0.2.0/24`, `2001:db8::/32`. */
import { BlockList, isIP } from 'node:net'

const prefixPattern = /^(?:0|[1-9][0-9]{0,2})$/

/** Returns whether the text is an IPv4 or IPv6 address, alone or with a prefix length (CIDR, RFC 4632). */
export const isAddressRange = (range: string): boolean => parseRange(range) !== undefined

/**
 * Returns a predicate that accepts addresses in any of the ranges. Without ranges it accepts every address. A range that
 * {@link isAddressRange} rejects matches nothing: a mistake in stored settings must not open an account. IPv4 in IPv6
 * (`::ffff:192.0.2.7`) counts as IPv4. Zones (`%eth0`) are ignored.
 */
export const createAddressMatcher = (ranges: readonly string[]): ((address: string) => boolean) => {
  if (ranges.length === 0) return () => true
  const list = new BlockList()
  for (const range of ranges) {
    const parts = parseRange(range)
    if (parts) list.addSubnet(parts.address, parts.prefix, parts.family)
  }
  return address => {
    const withoutZone = address.replace(/%.*$/, '')
    const version = isIP(withoutZone)
    return version !== 0 && list.check(withoutZone, version === 4 ? 'ipv4' : 'ipv6')
  }
}

const parseRange = (
  range: string,
): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } | undefined => {
  const slash = range.indexOf('/')
  const address = slash < 0 ? range : range.slice(0, slash)
  const version = isIP(address)
  if (version === 0 || address.includes('%')) return undefined
  const bits = version === 4 ? 32 : 128
  const prefix = slash < 0 ? String(bits) : range.slice(slash + 1)
  if (!prefixPattern.test(prefix) || Number(prefix) > bits) return undefined
  return { address, prefix: Number(prefix), family: version === 4 ? 'ipv4' : 'ipv6' }
}
