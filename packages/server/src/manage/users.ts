/** People, as operators see them. */
import { createHmac } from 'node:crypto'
import type { User } from '@querent/contract/manage'
import {
  passwordBytesMax,
  passwordCharactersMin,
  passwordStrength,
  throttledPasswordStrength,
} from '#accounts/password-strength'
import { Problem } from '#errors'
import type { Db, Storage, Writer } from '#storage/db'
import { endUserGrants } from '#storage/grants'
import { removeInvitationsTo } from '#storage/invitations'
import { listMemberships, removeMember } from '#storage/members'
import { createOneTimeLink, findOrCreateOneTimeLink } from '#storage/one-time-links'
import { signOut } from '#storage/sessions'
import type { Limit } from '#storage/throttles'
import {
  createUser,
  displayName,
  findFirstOperator,
  findUserByEmail,
  findUsers,
  foldEmail,
  hasOperatorPassword,
  listUsers,
  removeUser,
  setUserDisabled,
  type UserRow,
} from '#storage/users'
import { findWorkspaceById } from '#storage/workspaces'
import type { Strength } from '#workers/password-estimator'
import { audit, type Handler, timestamp } from './call.ts'
import { makePage, readPageQuery, readSearchPage, readSearchText } from './pages.ts'
import { badInput } from './validation-problem.ts'

/** Of a link that an operator hands over. */
const resetLifetimeMs = 60 * 60 * 1000

export const userHandlers = {
  createUser: async (deps, call) => {
    const { email, name, password } = call.input
    if (password !== undefined) await refuseWeakPassword(password, { email, name: name ?? '' }, 'password')
    const passwordHash = password === undefined ? undefined : await deps.hashPassword(password)
    const row = await deps.storage.write(async writer => {
      const user = await createUser(writer, {
        email,
        // Only operators create accounts: they vouch for the address.
        emailVerified: true,
        ...(name === undefined ? {} : { name }),
        ...(passwordHash === undefined ? {} : { passwordHash }),
      })
      if (!user) throw new Problem('conflict', `there is a user ${foldEmail(email)} already`)
      await audit(writer, call, { target: user.email })
      return user
    })
    return describeUser(row)
  },

  listUsers: async ({ storage }, { query }) => {
    const { db } = storage
    const request = readPageQuery(query)
    const text = readSearchText(query)
    const page =
      text === undefined
        ? makePage(await listUsers(db, request.after, request.count + 1), request, row => row.email)
        : await readSearchPage(
            storage,
            { text, scope: 'users', ...request },
            ids => findUsers(db, ids),
            row => row.id,
          )
    return { items: page.rows.map(describeUser), next: page.next }
  },

  updateUser: async ({ storage }, call) => {
    const { disabled } = call.input
    const row = await storage.write(async writer => {
      const user = await requireUser(writer.db, call.params.email)
      if (disabled && user.id === call.principal.subject)
        throw new Problem('conflict', 'you cannot disable yourself: ask another operator')
      await setUserDisabled(writer, user.id, disabled)
      if (disabled) await signOut(writer, user.id)
      await audit(writer, call, { target: user.email, detail: { disabled } })
      return user
    })
    return describeUser({ ...row, disabled: disabled ? 1 : 0 })
  },

  removeUser: async ({ storage }, call) => {
    await storage.write(async writer => {
      const user = await requireUser(writer.db, call.params.email)
      if (user.id === call.principal.subject)
        throw new Problem('conflict', 'you cannot remove yourself: ask another operator')
      await endMemberships(writer, user)
      await signOut(writer, user.id)
      await endUserGrants(writer, user.id)
      await removeInvitationsTo(writer, user.email)
      await removeUser(writer, user.id)
      await audit(writer, call, { target: user.email })
    })
    return undefined
  },

  resetPassword: async ({ storage, authUrl }, call) =>
    storage.write(async writer => {
      const user = await requireUser(writer.db, call.params.email)
      if (user.disabled === 1)
        throw new Problem('conflict', `${user.email} is disabled: enable the user first`)
      await audit(writer, call, { target: user.email })
      return passwordLink(writer, user, authUrl)
    }),
} satisfies {
  [Id in 'createUser' | 'listUsers' | 'updateUser' | 'removeUser' | 'resetPassword']: Handler<Id>
}

/** By which the person chooses a password, once. Earlier ones end. */
const passwordLink = async (writer: Writer, { id }: UserRow, authUrl: string) => {
  const link = { purpose: 'password', userId: id, ttlMs: resetLifetimeMs } as const
  return describeLink(await createOneTimeLink(writer, link), authUrl)
}

const describeLink = ({ token, expiresAt }: { token: string; expiresAt: number }, authUrl: string) => ({
  url: `${authUrl}/password/reset/${token}`,
  expiresAt: timestamp(expiresAt),
})

/**
 * A link by which the first operator chooses a password; undefined once an operator has one. Of nodes that start together, and share
 * `key`, all give the same. `authUrl` without a slash at the end.
 */
export const firstOperatorLink = (
  storage: Storage,
  authUrl: string,
  key: Buffer,
): Promise<{ email: string; url: string; expiresAt: string } | undefined> =>
  storage.write(async writer => {
    if (await hasOperatorPassword(writer.db)) return undefined
    const operator = await findFirstOperator(writer.db)
    if (!operator) return undefined
    const { id: userId, email } = operator
    const tokenAt = (expiresAt: number) =>
      createHmac('sha256', key).update(`${userId} ${expiresAt}`).digest('base64url')
    const link = { purpose: 'password', userId, ttlMs: resetLifetimeMs, tokenAt } as const
    return { email, ...describeLink(await findOrCreateOneTimeLink(writer, link), authUrl) }
  })

/** Throws 404 when there is no user of this address. */
export const requireUser = async (db: Db, email: string): Promise<UserRow> => {
  const user = await findUserByEmail(db, email)
  if (!user) throw new Problem('no-such-resource', `there is no user ${email}`)
  return user
}

/** Throws 409 that names the workspace whose last administrator the person is. */
const endMemberships = async (writer: Writer, { id, email }: UserRow): Promise<void> => {
  for (const { workspaceId } of await listMemberships(writer.db, id))
    try {
      await removeMember(writer, workspaceId, id)
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'conflict') throw error
      const slug = (await findWorkspaceById(writer.db, workspaceId))?.slug
      throw new Problem(
        'conflict',
        `${email} is the last administrator of ${slug}: add another administrator first`,
      )
    }
}

export const describeUser = (row: UserRow): User => ({
  id: row.id,
  email: row.email,
  emailVerified: row.email_verified === 1,
  name: displayName(row),
  operator: row.operator === 1,
  disabled: row.disabled === 1,
  createdAt: timestamp(row.created_at),
})

/** `member`: where in the body it stands. Throws 400 with what makes it weak, and 429 past the limits of `tried`. */
export const refuseWeakPassword = async (
  password: string,
  { email, name }: { email: string; name: string },
  member: string,
  throttle?: { storage: Storage; limits: readonly Limit[] },
): Promise<void> => {
  const strength = throttle
    ? await throttledPasswordStrength(throttle.storage, throttle.limits, password, [email, name])
    : await passwordStrength(password, [email, name])
  if (strength === 'good') return
  if (strength === 'throttled')
    throw new Problem('too-many-requests', 'too many weak passwords: try again in a minute', {
      headers: { 'retry-after': '60' },
    })
  throw badInput([member], strengthMessages[strength])
}

const strengthMessages: Record<Exclude<Strength, 'good'>, string> = {
  'too-short': `too short, allowed: at least ${passwordCharactersMin} characters`,
  'too-long': `too long, allowed: at most ${passwordBytesMax} bytes`,
  keyboard: 'easy to guess: keys that lie beside each other; several words make a good one',
  repeated: 'easy to guess: the same again and again; several words make a good one',
  sequence: 'easy to guess: a sequence; several words make a good one',
  date: 'easy to guess: a date; several words make a good one',
  common: 'easy to guess: many use it; several words make a good one',
  'single-word': 'easy to guess: one word; take several',
  name: 'easy to guess: a name; several words make a good one',
  personal: 'easy to guess: it is their own name or address; several words make a good one',
  guessable: 'easy to guess; several words make a good one',
}
