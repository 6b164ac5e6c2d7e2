/** The address ranges that an account may be used from (authorization-server.md, People and accounts). Pure. */
import { BlockList, isIP } from 'node:net'

export type AddressRanges = (address: string) => boolean

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6')

/** An IPv4 client of a socket that speaks both is seen as `::ffff:192.0.2.1`. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')

/**
 * Whether an address lies in one of the ranges, IP addresses and CIDR; no ranges: everywhere. One that is none (a mistake in the
 * stored settings) matches nothing: it must not open the account.
 */
export const addressRanges = (ranges: readonly string[]): AddressRanges => {
  if (ranges.length === 0) return () => true
  const list = new BlockList()
  for (const range of ranges) {
    const [base = '', bits, ...rest] = range.split('/')
    const version = isIP(base)
    if (version === 0 || rest.length > 0) continue
    if (bits === undefined) list.addAddress(base, family(base))
    else if (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
      list.addSubnet(base, Number(bits), family(base))
  }
  return address => {
    const one = plain(address)
    return isIP(one) !== 0 && list.check(one, family(one))
  }
}
