/** Checks what still belongs to a former address of the server. */
import { healthPart } from '@querent/contract/health-texts'
import type { HealthCheck } from '@querent/contract/manage'
import type { Db } from '#storage/db'
import {
  countFormerAudiences,
  countFormerPasskeys,
  listServiceAddresses,
  type ServiceAddress,
} from '#storage/service-addresses'
import { joinParts, makeHealthCheck } from './health-check.ts'

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
    healthPart('former-address', {
      authUrl: previous.authUrl,
      baseUrl: previous.baseUrl,
      time: new Date(current.usedFrom).toISOString(),
    }),
    ...(passkeys > 0 ? [healthPart('former-passkeys', { hosts: hosts.join(', '), passkeys, people })] : []),
    ...(audiences > 0 ? [healthPart('former-audiences', { baseUrl, audiences })] : []),
  ]
  return [
    makeHealthCheck(
      { name: 'former address', state: 'warn' },
      joinParts(parts),
      healthPart('former-address-advice'),
    ),
  ]
}
