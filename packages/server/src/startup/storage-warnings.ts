/** Warnings in the log of a start: what the storage holds that needs an operator. */
import type { Keyring } from '#keys/keyring'
import { createUnreadableCount, unreadableAdvice } from '#keys/unreadable-secrets'
import type { Storage } from '#storage/db'
import { listEmailClashes } from '#storage/email-clashes'

interface Log {
  warn(context: object, message: string): void
}

/** Pairs of people in the log of a start. */
const clashesLogged = 20

export const warnOfEmailClashes = async ({ db }: Storage, log: Log): Promise<void> => {
  for (const { userId, otherId } of await listEmailClashes(db, clashesLogged))
    log.warn({ userId, otherId }, 'two people have spellings of one e-mail address: see querent doctor')
}

/** Throws if the storage does not answer, or is closed meanwhile. */
export const warnOfUnreadableSecrets = async (
  { db }: Storage,
  keyring: Pick<Keyring, 'derive'>,
  log: Log,
): Promise<void> => {
  const secrets = await createUnreadableCount(keyring)(db)
  if (secrets.length > 0)
    log.warn(
      { secrets: secrets.map(({ text }) => text) },
      `stored secrets were encrypted with another key, so nobody can use them: ${unreadableAdvice}`,
    )
}
