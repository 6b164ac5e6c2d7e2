/** People whose addresses are two spellings of one mailbox, which earlier versions allowed (migrations/0028-email-addresses.ts). */
import type { Db } from './db.ts'

export interface EmailClash {
  userId: string
  otherId: string
  /** Stored spelling. */
  email: string
  /** Address of the one who has it in its one form. */
  other: string
}

/** Returns the first `count` clashes. */
export const listEmailClashes = (db: Db, count: number): Promise<EmailClash[]> =>
  db
    .selectFrom('email_clashes')
    .innerJoin('users as person', 'person.id', 'email_clashes.user_id')
    .innerJoin('users as other', 'other.id', 'email_clashes.other_id')
    .select(['user_id as userId', 'other_id as otherId', 'person.email', 'other.email as other'])
    .orderBy('person.email')
    .limit(count)
    .execute()
