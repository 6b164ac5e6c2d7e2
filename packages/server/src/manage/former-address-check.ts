/** Checks what still belongs to a former address of the server. */
import type { HealthCheck } from '@querent/contract/manage'
import type { Db } from '#storage/db'
import {
  countFormerAudiences,
  countFormerPasskeys,
  listServiceAddresses,
  type ServiceAddress,
} from '#storage/service-addresses'

/** How long after a move it is reported if nothing countable is left. */
const recentMs = 7 * 24 * 60 * 60 * 1000

/** None if the server had no other address, or the move is a while ago and nothing belongs to the former address. */
export const formerAddressChecks = async (
  db: Db,
  { baseUrl, authUrl }: ServiceAddress,
): Promise<HealthCheck[]> => {
  const [current, ...former] = await listServiceAddresses(db)
  const [previous] = former
  if (!current || !previous) return []
  const { hosts, passkeys, people } = await countFormerPasskeys(db, new URL(authUrl).hostname)
  const formerBaseUrls = former.map(address => address.baseUrl).filter(url => url !== baseUrl)
  const audiences = await countFormerAudiences(db, formerBaseUrls)
  if (passkeys + audiences === 0 && current.usedFrom + recentMs < Date.now()) return []
  const parts = [
    `this server was at ${previous.authUrl} and ${previous.baseUrl} until ${new Date(current.usedFrom).toISOString()}`,
    passkeys > 0 &&
      `passkeys of ${hosts.join(', ')} that do not work here: ${passkeys}; people without another second factor: ${people}`,
    audiences > 0 &&
      `applications with a default audience of a former address, for which the server uses ${baseUrl}: ${audiences}`,
  ]
  return [
    {
      name: 'former address',
      state: 'warn',
      message: parts.filter(Boolean).join('; '),
      advice:
        'applications need the new issuer and audience, people consent again, sign in with a recovery code or password, and add a passkey; `querent users remove-factors` helps those without a recovery code',
    },
  ]
}
