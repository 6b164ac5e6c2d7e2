/** What people see and change of their own account, whatever workspaces they are members of. */
import { Problem } from '#errors'
import { languageOf, letters } from '#http/letters'
import { verifyPassword } from '#http/password'
import { endGrantsOf, listGrantsOf } from '#storage/grants'
import { endOneTimeLinksOf } from '#storage/one-time-links'
import { endSession, listSessionsOf, signOut } from '#storage/sessions'
import { beginAttempt, clearFailures } from '#storage/throttles'
import { findUser, setPassword, type UserRow } from '#storage/users'
import { badInput } from './bad-input.ts'
import { audit, type Call, type Handler, type ManagementDependencies } from './call.ts'
import { refuse } from './refuse.ts'
import { describeConsents, describeSession } from './signed-in.ts'
import { describeUser, refuseWeakPassword } from './users.ts'

const minuteMs = 60 * 1000

export const accountHandlers = {
  getMe: async (deps, call) => describeUser(await person(deps, call)),

  changePassword: async (deps, call) => {
    const { storage, authUrl } = deps
    const { current, new: chosen } = call.input
    const user = await person(deps, call)
    await refuseWrongPassword(deps, user, current)
    await refuseWeakPassword(chosen, user, 'new')
    const passwordHash = await deps.hashPassword(chosen)
    await storage.write(async writer => {
      await setPassword(writer, user.id, passwordHash)
      await endOneTimeLinksOf(writer, user.id)
      await signOut(writer, user.id, call.principal.token.grantId)
      await audit(writer, call, { target: user.email })
    })
    // Nobody waits for it, and it says so itself when it fails.
    void deps.mail.send({ to: user.email, ...letters[languageOf(user)].passwordChanged({ authUrl }) })
    return undefined
  },

  listMySessions: async (deps, call) => {
    const user = await person(deps, call)
    const rows = await listSessionsOf(deps.storage.db, user.id)
    const { grantId } = call.principal.token
    const items = await Promise.all(
      rows.map(async row => ({
        ...(await describeSession(deps, row)),
        current: grantId !== undefined && row.grantIds.includes(grantId),
      })),
    )
    return { items, next: null }
  },

  endMySession: async (deps, call) => {
    const user = await person(deps, call)
    const { sessionId } = call.params
    await deps.storage.write(async writer => {
      if (!(await endSession(writer, user.id, sessionId)))
        throw new Problem('no-such-resource', `you have no session ${sessionId}`)
      await audit(writer, call, { target: sessionId })
    })
    return undefined
  },

  listMyConsents: async (deps, call) => {
    const user = await person(deps, call)
    const rows = await listGrantsOf(deps.storage.db, user.id)
    const clients = await Promise.all(rows.map(({ clientId }) => deps.directory.client(clientId)))
    // The server's own clients ask for no consent: there is none to withdraw.
    const asked = rows.filter((_, index) => clients[index]?.kind !== 'own')
    return { items: await describeConsents(deps, asked), next: null }
  },

  withdrawMyConsent: async (deps, call) => {
    const user = await person(deps, call)
    const { clientId } = call.params
    await deps.storage.write(async writer => {
      if ((await endGrantsOf(writer, user.id, clientId)) === 0)
        throw new Problem('no-such-resource', `you allowed nothing to an application ${clientId}`)
      await audit(writer, call, { target: clientId })
    })
    return undefined
  },
} satisfies {
  [Id in
    | 'getMe'
    | 'changePassword'
    | 'listMySessions'
    | 'endMySession'
    | 'listMyConsents'
    | 'withdrawMyConsent']: Handler<Id>
}

/** Who asks. Throws 403 for a System-to-System account: it is nobody's. */
const person = async (
  deps: ManagementDependencies,
  call: Pick<Call, 'principal' | 'path' | 'origin'>,
): Promise<UserRow> => {
  const { kind, subject } = call.principal
  const user = kind === 'user' ? await findUser(deps.storage.db, subject) : undefined
  if (user) return user
  throw refuse(deps, call, { message: 'only people have an account of their own here', workspace: '' })
}

/** Counted like failed sign-ins: a token that was stolen must not become a password by guessing. Throws 400 or 429. */
const refuseWrongPassword = async (
  { storage, signInThrottle }: ManagementDependencies,
  user: UserRow,
  password: string,
): Promise<void> => {
  if (user.password_hash === null)
    throw new Problem('conflict', 'you have no password yet: ask for a link by "Forgotten password?"')
  const key = `change of password ${user.id}`
  const limits = signInThrottle === 'off' ? [] : [{ key, failuresMax: signInThrottle }]
  if (!(await beginAttempt(storage, limits, minuteMs)))
    throw new Problem('too-many-requests', 'too many wrong passwords: try again in a minute', {
      headers: { 'retry-after': '60' },
    })
  if (await verifyPassword(user.password_hash, password)) return clearFailures(storage.db, key)
  throw badInput(['current'], 'is not your password')
}
