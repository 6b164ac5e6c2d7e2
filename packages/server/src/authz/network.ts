/** Addresses, as those who hold them can change them. */
import { isIPv6 } from 'node:net'

/** An IPv4 address; of an IPv6 address the /64, within which a subscriber takes what address they like (RFC 6177). */
export const toNetwork = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address
  const [left = '', right] = address.split('%', 1)[0]?.split('::', 2) ?? []
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const head = groups(left)
  const tail = right === undefined ? [] : groups(right)
  const allGroups = [...head, ...Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0'), ...tail]
  return `${allGroups
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
