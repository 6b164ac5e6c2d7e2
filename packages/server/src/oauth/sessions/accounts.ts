/** Claims about people, and who may use which application. */

import type { IncomingMessage } from 'node:http'
import { canonicalEmail } from '@querent/contract/email-address'
import type { Role } from '@querent/contract/manage'
import { type Account, errors, type FindAccount, type KoaContextWithOIDC } from 'oidc-provider'
import { hasEnded } from '#authz/rights'
import type { SignInRenewal } from '#oauth/identity-provider/sign-in-renewal'
import { hasTwoFactors } from '#oauth/library/authentication'
import { notRenewed } from '#oauth/library/error-descriptions'
import type { LoadedClient } from '#oauth/library/loaded-client'
import {
  isProviderSignInCurrent,
  type ProviderSignIn,
  readProviderSignIn,
} from '#oauth/library/provider-sign-in'
import type { Db } from '#storage/db'
import type { Directory } from '#storage/directory'
import type { MemberRow } from '#storage/members'
import { findRecord } from '#storage/oidc-records'
import type { UserRow } from '#storage/users'

/** Roles that include `api`. */
const queryRoles: ReadonlySet<Role> = new Set(['administrator', 'user', 'api'])

/**
 * Whether a membership began after something was issued (seconds since 1970). A member who was removed and
 * added again cannot use earlier codes and refresh tokens. Both times use the server's clock; equal seconds
 * are allowed.
 */
const hasJoinedAfter = ({ createdAt }: MemberRow, issuedAt: number): boolean =>
  issuedAt < Math.floor(createdAt / 1000)

/**
 * Whether a person may sign in to the application: they need a role that includes `api` in its workspace.
 * Everybody may use the server's own clients, and nobody may sign in to System-to-System accounts. An
 * unregistered client needs the workspace of its resource.
 * `issuedAt`: seconds since 1970.
 */
export const mayUseClient = async (
  directory: Directory,
  client: Pick<LoadedClient, 'row'>,
  userId: string,
  issuedAt = Number.POSITIVE_INFINITY,
): Promise<boolean> => {
  const { row } = client
  if (row.kind === 'own') return true
  if (row.kind === 'system-to-system' || row.workspaceId === null) return false
  const mayQuery = (member: MemberRow | undefined) =>
    member?.kind === 'user' &&
    !hasJoinedAfter(member, issuedAt) &&
    !hasEnded(member) &&
    member.roles.some(role => queryRoles.has(role))
  return (
    mayQuery(await directory.member(row.workspaceId, userId)) ||
    mayQuery(await directory.fetchMember(row.workspaceId, userId))
  )
}

/** Whether the workspace of the application requires a second factor. */
export const requiresSecondFactor = async (
  directory: Directory,
  client: Pick<LoadedClient, 'row' | 'slug'> | undefined,
): Promise<boolean> => {
  const workspace = client?.slug === undefined ? undefined : await directory.workspace(client.slug)
  return (
    workspace?.id === client?.row.workspaceId && workspace?.definition.settings?.requireSecondFactor === true
  )
}

/** Whether it is a code or refresh token of a sign-in with one factor. Other tokens don't say. */
const isWeak = (token: object): boolean =>
  'acr' in token && typeof token.acr === 'string' && !hasTwoFactors({ acr: token.acr })

/** Returns the person; undefined if missing or disabled. */
export const findPerson = async (directory: Directory, id: string): Promise<UserRow | undefined> => {
  const user = await directory.user(id)
  return user && user.disabled === 0 ? user : undefined
}

interface AccountDependencies {
  db: Db
  directory: Directory
  signInRenewal: Pick<SignInRenewal, 'renew'>
  clientAddress: (request: IncomingMessage) => string
}

/**
 * Finds accounts for the library. With a code or token (RFC 6749, sections 4.1.3 and 6; userinfo), also
 * checks the membership, in the workspace of `findTokenClient`, its second factor, and that the word of its OpenID provider still holds. A refresh
 * asks the provider again. Before a code, the prompt `member` does that, with its own page.
 */
export const makeAccountFinder =
  (
    deps: AccountDependencies,
    findTokenClient: (
      ctx: KoaContextWithOIDC,
      token: { grantId?: string | undefined },
    ) => Promise<LoadedClient | undefined>,
  ): FindAccount =>
  async (ctx, id, token) => {
    const { db, directory } = deps
    const user = await findPerson(directory, id)
    if (!user) return undefined
    if (!token) return toAccount(user)
    const grantId = 'grantId' in token ? token.grantId : undefined
    const client = await findTokenClient(ctx, { grantId })
    if (!client) return undefined
    if (isWeak(token) && (await requiresSecondFactor(directory, client))) return undefined
    const signIn = await findGrantSignIn(db, grantId)
    if (signIn && !(await isProviderSignInCurrent(directory, signIn))) return undefined
    if (signIn && isRefreshing(ctx, token)) await renewSignIn(deps, ctx, signIn, user)
    // Last, because the provider may have changed the roles.
    return (await mayUseClient(directory, client, id, token.iat)) ? toAccount(user) : undefined
  }

/** Whether the request exchanges this refresh token, which was not used before, for new tokens. */
const isRefreshing = ({ oidc }: KoaContextWithOIDC, token: object): boolean =>
  oidc.route === 'token' && oidc.entities.RefreshToken === token && !('consumed' in token && token.consumed)

/** Throws `invalid_grant` if the person's provider no longer lets them in. */
const renewSignIn = async (
  { signInRenewal, clientAddress }: AccountDependencies,
  ctx: KoaContextWithOIDC,
  signIn: ProviderSignIn,
  user: UserRow,
): Promise<void> => {
  const request = { address: clientAddress(ctx.req), requestId: ctx.response.get('x-request-id') }
  if (!(await signInRenewal.renew(signIn, user, request))) throw new errors.InvalidGrant(notRenewed)
}

/** Returns the sign-in through a provider that a grant comes from. */
export const findGrantSignIn = async (
  db: Db,
  grantId: string | undefined,
): Promise<ProviderSignIn | undefined> =>
  grantId === undefined ? undefined : readProviderSignIn(await findRecord(db, 'Grant', { id: grantId }))

const toAccount = (user: UserRow): Account => ({
  accountId: user.id,
  // The library filters the claims.
  claims: () => ({
    sub: user.id,
    // Some old names equal the address, which the scope `profile` must not reveal.
    ...(user.name === '' || canonicalEmail(user.name) === user.email ? {} : { name: user.name }),
    email: user.email,
    // People invited by a copied link never proved their address, so nobody may link accounts by it.
    email_verified: user.email_verified === 1,
  }),
})
