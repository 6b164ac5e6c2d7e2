/** Deletes the caller's own account. */

import { mailTemplates } from '#accounts/mail-templates'
import { Problem } from '#errors'
import { findLanguage } from '#languages/languages'
import { recordAudit } from '#storage/audit'
import { requirePerson } from './account.ts'
import type { Handler } from './call.ts'
import { refuseWrongPassword } from './own-password.ts'
import { removePerson } from './remove-person.ts'

export const deleteAccountHandlers = {
  deleteMe: async (deps, call) => {
    const { storage, mail, authUrl } = deps
    const user = await requirePerson(deps, call)
    // The command line on the server acts as an operator, so one must stay.
    if (user.operator === 1)
      throw new Problem(
        'conflict',
        'you are an operator of this server: ask another operator to remove your account',
      )
    await refuseWrongPassword(deps, user, call.input.password, 'password')
    const withdrawal = await storage.write(async writer => {
      // Its check of the caller needs the account.
      await call.recheckCaller(writer)
      const withdrawn = await removePerson(writer, user)
      await recordAudit(writer, { ...call.origin, target: user.email, detail: { ...withdrawn } })
      return withdrawn
    })
    // The reply does not wait for the mail; the mailer logs failures.
    const content = mailTemplates(findLanguage(user)).accountDeleted({ authUrl })
    void mail.send({ to: user.email, requestId: call.origin.requestId, ...content })
    return withdrawal
  },
} satisfies { deleteMe: Handler<'deleteMe'> }
