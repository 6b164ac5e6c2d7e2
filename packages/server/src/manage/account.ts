/** A person's own account, independent of workspaces. */

import type { Me } from '@querent/contract/manage'
import { Problem } from '#errors'
import { languages } from '#languages/languages'
import type { Db } from '#storage/db'
import { endUserGrants, listUserGrants } from '#storage/grants'
import { endOneTimeLinks, findLinkFor } from '#storage/one-time-links'
import { endSession, listUserSessions, signOut } from '#storage/sessions'
import { findUser, setLanguage, setName, setPassword, type UserRow } from '#storage/users'
import {
  audit,
  type Call,
  type Handler,
  type ManagementDependencies,
  makeAuditDiff,
  timestamp,
} from './call.ts'
import { refuseUnknownLanguage } from './mail-language.ts'
import { makeAttemptLimits, refuseWrongPassword } from './own-password.ts'
import { makeRefusal } from './refuse.ts'
import { describeConsents, describeSession } from './session-view.ts'
import { describeUser, refuseWeakPassword } from './users.ts'
import { badField } from './validation-problem.ts'

export const accountHandlers = {
  getMe: async (deps, call) => {
    const user = await requirePerson(deps, call)
    // The provider's administrators may read what such a session reads.
    if (call.principal.token.workspaceId !== undefined)
      return { id: user.id, email: user.email, name: user.name }
    return describeMe(deps, user)
  },

  updateMe: async (deps, call) => {
    const user = await requirePerson(deps, call)
    const { name, language } = call.input
    refuseUnknownLanguage(language)
    const changes = { ...(name !== undefined && { name: name.trim() }), ...(language && { language }) }
    await deps.storage.write(async writer => {
      if (changes.name !== undefined) await setName(writer, user, changes.name)
      if (changes.language) await setLanguage(writer, user.id, changes.language)
      await audit(writer, call, {
        target: user.email,
        detail: { ...changes, ...makeAuditDiff({ ...user }, changes) },
      })
    })
    return describeMe(deps, await requirePerson(deps, call))
  },

  changePassword: async (deps, call) => {
    const { storage } = deps
    const { current, new: chosen } = call.input
    const user = await requirePerson(deps, call)
    await refuseWrongPassword(deps, user, current, 'current')
    if (chosen === current) throw badField(['new'], 'same-password')
    await refuseWeakPassword(chosen, {
      member: 'new',
      rules: { lengthMin: deps.passwordLengthMin, personal: [user.email, user.name] },
      throttle: makeAttemptLimits(deps, `new password of ${user.id}`),
    })
    const passwordHash = await deps.hashPassword(chosen)
    await storage.write(async writer => {
      await setPassword(writer, user.id, passwordHash)
      await endOneTimeLinks(writer, user.id)
      await signOut(writer, user.id, { grantId: call.principal.token.grantId })
      await audit(writer, call, { target: user.email })
    })
    deps.securityNotices.send({ ...user, requestId: call.origin.requestId }, { kind: 'password-changed' })
    return undefined
  },

  listMySessions: async (deps, call) => {
    const user = await requirePerson(deps, call)
    const rows = await listUserSessions(deps.storage.db, user.id)
    const { grantId } = call.principal.token
    const items = await Promise.all(
      rows.map(async row => ({
        ...(await describeSession(deps, row)),
        current: grantId !== undefined && row.grantIds.includes(grantId),
      })),
    )
    return { items, next: null }
  },

  endMyOtherSessions: async (deps, call) => {
    const user = await requirePerson(deps, call)
    await deps.storage.write(async writer => {
      await signOut(writer, user.id, { grantId: call.principal.token.grantId })
      await audit(writer, call, { target: user.email })
    })
    return undefined
  },

  endMySession: async (deps, call) => {
    const user = await requirePerson(deps, call)
    const { sessionId } = call.params
    await deps.storage.write(async writer => {
      if (!(await endSession(writer, user.id, sessionId)))
        throw new Problem('no-such-resource', `you have no session ${sessionId}`)
      await audit(writer, call, { target: sessionId })
    })
    return undefined
  },

  listMyConsents: async (deps, call) => {
    const user = await requirePerson(deps, call)
    const rows = await listUserGrants(deps.storage.db, user.id)
    const clients = await Promise.all(rows.map(({ clientId }) => deps.directory.client(clientId)))
    // The server's own clients need no consent, so there is none to withdraw.
    const consentGrants = rows.filter((_, index) => clients[index]?.kind !== 'own')
    return { items: await describeConsents(deps, consentGrants), next: null }
  },

  withdrawMyConsent: async (deps, call) => {
    const user = await requirePerson(deps, call)
    const { clientId } = call.params
    await deps.storage.write(async writer => {
      if ((await endUserGrants(writer, user.id, clientId)) === 0)
        throw new Problem('no-such-resource', `you have not given consent to an application ${clientId}`)
      await audit(writer, call, { target: clientId })
    })
    return undefined
  },
} satisfies {
  [Id in
    | 'getMe'
    | 'updateMe'
    | 'changePassword'
    | 'listMySessions'
    | 'endMyOtherSessions'
    | 'endMySession'
    | 'listMyConsents'
    | 'withdrawMyConsent']: Handler<Id>
}

const describeMe = async ({ storage, mail }: ManagementDependencies, user: UserRow): Promise<Me> => ({
  ...describeUser(user),
  hasPassword: user.password_hash !== null,
  language: languages.find(language => language === user.language) ?? null,
  pendingEmail: await findPendingEmail(storage.db, user.id),
  canMail: mail.isAvailable,
})

/** The new address of a link that nobody has opened yet. */
export const findPendingEmail = async (db: Db, userId: string): Promise<Me['pendingEmail']> => {
  const link = await findLinkFor(db, userId, 'email')
  return link && link.email !== null ? { email: link.email, expiresAt: timestamp(link.expiresAt) } : null
}

/** Returns the calling user. Throws 403 for a System-to-System account. */
export const requirePerson = async (
  deps: ManagementDependencies,
  call: Pick<Call, 'principal' | 'path' | 'origin'>,
): Promise<UserRow> => {
  const { kind, subject } = call.principal
  const user = kind === 'user' ? await findUser(deps.storage.db, subject) : undefined
  if (user) return user
  throw makeRefusal(deps, call, {
    message: 'only people can use this; the caller is a System-to-System account',
    workspace: '',
  })
}
