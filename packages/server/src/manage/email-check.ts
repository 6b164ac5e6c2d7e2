/** The check of `querent doctor` for two spellings of one address. */
import { healthPart } from '@querent/contract/health-texts'
import type { HealthCheck } from '@querent/contract/manage'
import type { Db } from '#storage/db'
import { listEmailClashes } from '#storage/email-clashes'
import { joinParts, makeHealthCheck } from './health-check.ts'

const clashesMax = 20

/** No check without clashes, which only servers of the first version have. */
export const emailChecks = async (db: Db): Promise<HealthCheck[]> => {
  const clashes = await listEmailClashes(db, clashesMax)
  return clashes.length === 0
    ? []
    : [
        makeHealthCheck(
          { name: 'people', state: 'warn' },
          [
            healthPart('emails-alike'),
            ...joinParts(clashes.map(({ email, other }) => healthPart('email-pair', { email, other }))),
          ],
          healthPart('emails-alike-advice'),
        ),
      ]
}
