/**
 * The first second factor of an account. Sessions from before may belong to somebody who knows the password, which is often the reason for the
 * factor, so the page asks about them and ends them unless the person wants to keep them (OWASP ASVS 5.0, V7.4.3).
 */
import { keepSessionsAction } from '#oauth/pages/factor-pages'
import type { Writer } from '#storage/db'
import { endLinkFor } from '#storage/one-time-links'
import { signOut } from '#storage/sessions'
import type { SignedIn } from './fresh-sign-in.ts'
import type { PageRequest } from './page-request.ts'

/**
 * In the transaction that adds the first factor. Ends all other sessions with their grants and tokens, unless the form says otherwise, and a change
 * of address that somebody began in one of them. This session stays.
 */
export const endOtherSessions = async (
  writer: Writer,
  { fields }: Pick<PageRequest, 'fields'>,
  { person, session }: SignedIn,
): Promise<void> => {
  await endLinkFor(writer, person.id, 'email')
  const keepsOthers = fields?.get('action') === keepSessionsAction
  if (!keepsOthers) await signOut(writer, person.id, { sessionId: session.uid })
}
