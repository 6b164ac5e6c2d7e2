/** Networks: the addresses that one subscriber can change among. */
import { isIPv6 } from 'node:net'

/** Returns an IPv4 address as it is, and the /64 of an IPv6 address. A subscriber can use any address of its /64 (RFC 6177). */
export const toNetwork = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address
  const [headText = '', tailText] = address.split('%', 1)[0]?.split('::', 2) ?? []
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const head = groups(headText)
  const tail = tailText === undefined ? [] : groups(tailText)
  const allGroups = [...head, ...Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0'), ...tail]
  return `${allGroups
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
