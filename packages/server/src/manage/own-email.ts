/** Changes the caller's email address. The page behind the mailed link confirms it (oauth/interactions/confirm-email.ts). */

import { mailTemplates } from '#accounts/mail-templates'
import { Problem } from '#errors'
import { findLanguage } from '#languages/languages'
import { createOneTimeLink, endLinkFor } from '#storage/one-time-links'
import { beginAttempt } from '#storage/throttles'
import { findUserByEmail, type UserRow } from '#storage/users'
import { requirePerson } from './account.ts'
import { audit, type Handler, type ManagementDependencies, timestamp } from './call.ts'
import { refuseWrongPassword } from './own-password.ts'
import { badField, readNewEmail } from './validation-problem.ts'

const linkLifetimeMs = 60 * 60 * 1000
const hourMs = 60 * 60 * 1000
/** Mails that one account may cause, and that one address may get. */
const mailsPerHourMax = 5

export const ownEmailHandlers = {
  changeEmail: async (deps, call) => {
    const { storage, mail } = deps
    const { password } = call.input
    const email = readNewEmail(call.input.email)
    const user = await requirePerson(deps, call)
    if (!mail.isAvailable)
      throw new Problem('conflict', 'this server cannot send the mail that confirms the new address')
    if (!(await mail.supports(email))) throw badField(['email'], 'unsupported-address')
    if (email === user.email) throw badField(['email'], 'own-email')
    await refuseWrongPassword(deps, user, password, 'password')
    await limitMails(deps, user, email)
    // The same for a taken address, so that the reply and its duration don't reveal whether it has an account.
    const { token, expiresAt } = await storage.write(async writer => {
      await audit(writer, call, { target: user.email, detail: { email } })
      return createOneTimeLink(writer, {
        purpose: 'email',
        userId: user.id,
        ttlMs: linkLifetimeMs,
        mailed: true,
        email,
      })
    })
    const { requestId } = call.origin
    void sendMails(deps, user, { email, token, expiresAt, requestId })
    return { email, expiresAt: timestamp(expiresAt) }
  },

  cancelEmailChange: async (deps, call) => {
    const user = await requirePerson(deps, call)
    await deps.storage.write(async writer => {
      if (!(await endLinkFor(writer, user.id, 'email')))
        throw new Problem('no-such-resource', 'no change of your address awaits confirmation')
      await audit(writer, call, { target: user.email })
    })
    return undefined
  },
} satisfies { [Id in 'changeEmail' | 'cancelEmailChange']: Handler<Id> }

/** Throws 429. */
const limitMails = async (
  { storage, signInThrottle }: ManagementDependencies,
  { id }: UserRow,
  email: string,
): Promise<void> => {
  if (signInThrottle === 'off') return
  const limits = [
    { key: `change of address of ${id}`, failuresMax: mailsPerHourMax },
    { key: `change of address to ${email}`, failuresMax: mailsPerHourMax },
  ]
  if (!(await beginAttempt(storage, limits, hourMs)))
    throw new Problem(
      'too-many-requests',
      'too many changes of your address, or to this address: try again in an hour',
      {
        headers: { 'retry-after': '3600' },
      },
    )
}

/** Mails the link to the new address, or that it has an account already, and a notice to the old one. The mailer logs failures. */
const sendMails = async (
  { storage, mail, authUrl }: ManagementDependencies,
  user: UserRow,
  {
    email,
    token,
    expiresAt,
    requestId,
  }: { email: string; token: string; expiresAt: number; requestId: string },
): Promise<void> => {
  const templates = mailTemplates(findLanguage(user))
  const isTaken = (await findUserByEmail(storage.db, email)) !== undefined
  const url = `${authUrl}/email/confirm/${token}`
  const content = isTaken
    ? templates.emailTaken({ authUrl })
    : {
        ...templates.confirmEmail({ url, expiresAt, emailBefore: user.email }),
        link: { kind: 'one-time' as const, token },
      }
  await mail.send({ to: email, requestId, ...content })
  await mail.send({ to: user.email, requestId, ...templates.emailChangeRequested({ authUrl, email }) })
}
