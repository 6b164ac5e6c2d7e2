/** The check of `querent doctor` for two spellings of one address. */
import type { HealthCheck } from '@querent/contract/manage'
import type { Db } from '#storage/db'
import { listEmailClashes } from '#storage/email-clashes'

const clashesMax = 20

/** No check without clashes, which only servers of the first version have. */
export const emailChecks = async (db: Db): Promise<HealthCheck[]> => {
  const clashes = await listEmailClashes(db, clashesMax)
  return clashes.length === 0
    ? []
    : [
        {
          name: 'people',
          state: 'warn',
          message: `two people have spellings of one e-mail address: ${clashes.map(({ email, other }) => `${email} and ${other}`).join('; ')}`,
          advice:
            'ask the person which account they use, then change the address of the other one or delete it (docs/people.md, "One mailbox, two people")',
        },
      ]
}
