/** User accounts, for operators. */
import { createHmac } from 'node:crypto'
import type { Membership, User } from '@querent/contract/manage'
import {
  type PasswordRules,
  passwordBytesMax,
  passwordStrength,
  throttledPasswordStrength,
} from '#accounts/password-strength'
import { findFilterSources, findRights, hasEnded } from '#authz/rights'
import { Problem } from '#errors'
import type { Db, Storage, Writer } from '#storage/db'
import { listMemberships, type MemberRow } from '#storage/members'
import { createOneTimeLink, findOrCreateOneTimeLink } from '#storage/one-time-links'
import { signOut } from '#storage/sessions'
import type { Limit } from '#storage/throttles'
import {
  createUser,
  displayName,
  findFirstOperator,
  findUserByEmail,
  findUsers,
  hasOperatorPassword,
  listUsers,
  setUserDisabled,
  type UserRow,
} from '#storage/users'
import { findWorkspaceNames, type WorkspaceRow } from '#storage/workspaces'
import { audit, type Handler, timestamp } from './call.ts'
import { endAccess } from './end-access.ts'
import { makePage, readPageQuery, readSearchPage, readSearchText } from './pages.ts'
import { requireRecentSignInForOwnAccount } from './recent-sign-in.ts'
import { removePerson } from './remove-person.ts'
import { badField, readNewEmail } from './validation-problem.ts'

/** Lifetime of a link handed over by an operator. */
const resetLifetimeMs = 60 * 60 * 1000

export const userHandlers = {
  createUser: async (deps, call) => {
    const { name, password } = call.input
    const email = readNewEmail(call.input.email)
    if (password !== undefined)
      await refuseWeakPassword(password, {
        member: 'password',
        rules: { lengthMin: deps.passwordLengthMin, personal: [email, name ?? ''] },
      })
    const passwordHash = password === undefined ? undefined : await deps.hashPassword(password)
    const row = await deps.storage.write(async writer => {
      const user = await createUser(writer, {
        email,
        // Only operators create accounts, and they vouch for the address.
        emailVerified: true,
        ...(name === undefined ? {} : { name }),
        ...(passwordHash === undefined ? {} : { passwordHash }),
      })
      if (!user) throw new Problem('conflict', `the user ${email} already exists`)
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

  listMemberships: async ({ storage, directory }, { params }) => {
    const { db } = storage
    const user = await requireUser(db, params.email)
    const members = (await listMemberships(db, user.id)).slice(0, membershipsMax)
    const workspaces = await findWorkspaceNames(
      db,
      members.map(({ workspaceId }) => workspaceId),
    )
    const items: Membership[] = []
    for (const member of members) {
      const names = workspaces.get(member.workspaceId)
      // From the cache, one after the other: definitions can be large.
      const workspace = names && (await directory.workspace(names.slug))
      if (workspace) items.push(describeMembership(member, workspace))
    }
    return { items: items.toSorted((a, b) => (a.workspace < b.workspace ? -1 : 1)) }
  },

  updateUser: async ({ storage }, call) => {
    const { disabled } = call.input
    const { row, withdrawn } = await storage.write(async writer => {
      const user = await requireUser(writer.db, call.params.email)
      if (disabled && user.id === call.principal.subject)
        throw new Problem('conflict', 'you cannot disable yourself: ask another operator')
      await setUserDisabled(writer, user.id, disabled)
      if (disabled) await signOut(writer, user.id)
      const withdrawal = disabled ? await endAccess(writer, user.id) : undefined
      await audit(writer, call, { target: user.email, detail: { disabled, ...withdrawal } })
      return { row: user, withdrawn: withdrawal }
    })
    return { ...describeUser({ ...row, disabled: disabled ? 1 : 0 }), ...withdrawn }
  },

  removeUser: async ({ storage }, call) => {
    return storage.write(async writer => {
      const user = await requireUser(writer.db, call.params.email)
      if (user.id === call.principal.subject)
        throw new Problem('conflict', 'you cannot remove yourself: ask another operator')
      const withdrawal = await removePerson(writer, user)
      await audit(writer, call, { target: user.email, detail: { ...withdrawal } })
      return withdrawal
    })
  },

  resetPassword: async (deps, call) => {
    const { storage, authUrl } = deps
    await requireRecentSignInForOwnAccount(deps, call, await requireUser(storage.db, call.params.email))
    return storage.write(async writer => {
      const user = await requireUser(writer.db, call.params.email)
      if (user.disabled === 1)
        throw new Problem('conflict', `${user.email} is disabled: enable the user first`)
      await audit(writer, call, { target: user.email })
      return passwordLink(writer, user, authUrl)
    })
  },
} satisfies {
  [Id in
    | 'createUser'
    | 'listUsers'
    | 'listMemberships'
    | 'updateUser'
    | 'removeUser'
    | 'resetPassword']: Handler<Id>
}

/** Memberships in one reply. */
const membershipsMax = 1000

const describeMembership = (member: MemberRow, { slug, title, definition }: WorkspaceRow): Membership => {
  const { roles, createdAt, lastActiveAt } = member
  const filters = findFilterSources(definition, member)
  return {
    workspace: slug,
    title,
    roles,
    hasFilter: filters !== undefined,
    filters: (filters ?? []).map(({ filled: _, ...source }) => source),
    groups: findRights(definition, member).groups.map(group => {
      const groupTitle = definition.groups?.[group]?.title
      return { group, ...(groupTitle !== undefined && { title: groupTitle }) }
    }),
    ended: hasEnded(member),
    createdAt: timestamp(createdAt),
    lastActivityAt: lastActiveAt === null ? null : timestamp(lastActiveAt),
  }
}

/** Returns a link to choose a password, once. Ends earlier links. */
const passwordLink = async (writer: Writer, { id }: UserRow, authUrl: string) => {
  const link = { purpose: 'password', userId: id, ttlMs: resetLifetimeMs } as const
  return describeLink(await createOneTimeLink(writer, link), authUrl)
}

const describeLink = ({ token, expiresAt }: { token: string; expiresAt: number }, authUrl: string) => ({
  url: `${authUrl}/password/reset/${token}`,
  expiresAt: timestamp(expiresAt),
})

/**
 * Returns a link for the first operator to choose a password; undefined once an operator has one. Nodes with
 * the same `key` return the same link. `authUrl` without a trailing slash.
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

/** Throws 404 if no user has this address. */
export const requireUser = async (db: Db, email: string): Promise<UserRow> => {
  const user = await findUserByEmail(db, email)
  if (!user) throw new Problem('no-such-resource', `no user has the address ${email}`)
  return user
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

/**
 * `member`: name of the field in the body. Throws 400 with the weakness, and 429 beyond the limits of
 * `throttle`.
 */
export const refuseWeakPassword = async (
  password: string,
  {
    member,
    rules,
    throttle,
  }: { member: string; rules: PasswordRules; throttle?: { storage: Storage; limits: readonly Limit[] } },
): Promise<void> => {
  const strength = throttle
    ? await throttledPasswordStrength(throttle.storage, throttle.limits, password, rules)
    : await passwordStrength(password, rules)
  if (strength === 'good') return
  if (strength === 'throttled')
    throw new Problem('too-many-requests', 'too many weak passwords: try again in a minute', {
      headers: { 'retry-after': '60' },
    })
  throw badField([member], `password-${strength}`, { min: rules.lengthMin, max: passwordBytesMax })
}
