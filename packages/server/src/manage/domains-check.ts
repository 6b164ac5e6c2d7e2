/** The check of `querent doctor` for domains of workspaces' own OpenID providers that sign nobody in, or soon will not. */
import { healthPart } from '@querent/contract/health-texts'
import type { HealthCheck } from '@querent/contract/manage'
import type { Db } from '#storage/db'
import { listDoubtfulDomains } from '#storage/provider-domains'
import { joinParts, makeHealthCheck } from './health-check.ts'

/** Domains that the message names. */
const namedMax = 20

/** No check if all are proved. */
export const domainsChecks = async (db: Db): Promise<HealthCheck[]> => {
  const { domains, count } = await listDoubtfulDomains(db, namedMax)
  if (count === 0) return []
  const nameAll = (isProved: boolean) =>
    domains.filter(row => row.isProved === isProved).map(({ workspace, domain }) => `${workspace}/${domain}`)
  const [unproved, failing] = [nameAll(false), nameAll(true)]
  const parts = [
    ...(unproved.length > 0 ? [healthPart('domains-unproved', { names: unproved.join(', ') })] : []),
    ...(failing.length > 0 ? [healthPart('domains-failing', { names: failing.join(', ') })] : []),
    ...(count > domains.length ? [healthPart('domains-more', { more: count - domains.length })] : []),
  ]
  return [
    makeHealthCheck(
      { name: 'domains', state: 'warn' },
      [healthPart('domains'), ...joinParts(parts)],
      healthPart('domains-advice'),
    ),
  ]
}
