/** People, as tokens tell of them; and who may use which application. */
import type { Role } from '@querent/contract/manage'
import type { Account, FindAccount } from 'oidc-provider'
import type { LoadedClient } from '#oauth/clients/clients'
import type { LibraryClient } from '#oauth/provider/oidc-provider-internals'
import type { Directory } from '#storage/directory'
import type { MemberRow } from '#storage/members'
import { foldEmail, type UserRow } from '#storage/users'

/** They include `api` (authorization-server.md, People and accounts). */
const queryRoles: ReadonlySet<Role> = new Set(['administrator', 'user', 'api'])

/**
 * Whether a membership began after something was issued (seconds since 1970): who was removed and added again gets nothing by the codes and
 * refresh tokens they had before. Both times are of the server's clock; a code knows whole seconds, and one of the same second is good.
 */
const hasJoinedAfter = ({ createdAt }: MemberRow, issuedAt: number): boolean =>
  issuedAt < Math.floor(createdAt / 1000)

/**
 * Whether a person may sign in to the application: a member of its workspace with a role that includes `api`. The server's own clients
 * are open to all; System-to-System accounts take no part in any sign-in. `issuedAt`, of what was given to them: in seconds since 1970.
 */
export const mayUseClient = async (
  directory: Directory,
  client: Pick<LoadedClient, 'row'>,
  userId: string,
  issuedAt = Number.POSITIVE_INFINITY,
): Promise<boolean> => {
  const { row } = client
  if (row.kind === 'own') return true
  if (row.kind === 'system-to-system') return false
  const mayQuery = (member: MemberRow | undefined) =>
    member?.kind === 'user' &&
    !hasJoinedAfter(member, issuedAt) &&
    member.roles.some(role => queryRoles.has(role))
  return (
    mayQuery(await directory.member(row.workspaceId, userId)) ||
    mayQuery(await directory.fetchMember(row.workspaceId, userId))
  )
}

/** The person with this id; undefined: there is none, or disabled. */
export const findPerson = async (directory: Directory, id: string): Promise<UserRow | undefined> => {
  const user = await directory.user(id)
  return user && user.disabled === 0 ? user : undefined
}

/**
 * How the library asks for a person. With a code or a token at hand (RFC 6749, sections 4.1.3 and 6; userinfo) the membership is looked
 * at as well, so that neither gives anything once it ended; on the way to a code the prompt `member` does that, with a page of its own.
 */
export const makeAccountFinder =
  (
    directory: Directory,
    findLoadedClient: (client: LibraryClient) => LoadedClient | undefined,
  ): FindAccount =>
  async (ctx, id, token) => {
    const user = await findPerson(directory, id)
    if (!user) return undefined
    const client = ctx.oidc.client && findLoadedClient(ctx.oidc.client)
    if (token && !(client && (await mayUseClient(directory, client, id, token.iat)))) return undefined
    return toAccount(user)
  }

const toAccount = (user: UserRow): Account => ({
  accountId: user.id,
  // The library leaves out what was not asked for.
  claims: () => ({
    sub: user.id,
    // Some were stored under their address as name: `profile` alone must not tell it.
    ...(user.name === '' || foldEmail(user.name) === user.email ? {} : { name: user.name }),
    email: user.email,
    // Whoever was invited by a copied link never proved it: nobody may link accounts by that address.
    email_verified: user.email_verified === 1,
  }),
})
