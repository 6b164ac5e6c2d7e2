/** The check of `querent doctor` for domains of workspaces' own OpenID providers that sign nobody in, or soon will not. */
import type { HealthCheck } from '@querent/contract/manage'
import type { Db } from '#storage/db'
import { listDoubtfulDomains } from '#storage/provider-domains'

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
    ...(unproved.length > 0 ? [`not proved, so that nobody is signed in: ${unproved.join(', ')}`] : []),
    ...(failing.length > 0 ? [`TXT record not found: ${failing.join(', ')}`] : []),
    ...(count > domains.length ? [`${count - domains.length} more`] : []),
  ]
  return [
    {
      name: 'domains',
      state: 'warn',
      message: `domains of OpenID providers: ${parts.join('; ')}`,
      advice:
        '`querent provider show WORKSPACE` prints the TXT record of each and when its proof ends; prove it, or take it out of the workspace file',
    },
  ]
}
