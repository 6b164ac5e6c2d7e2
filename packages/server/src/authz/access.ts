/**
 * Decides whether a principal has a permission. Pure: callers pass everything that the decision needs (authorization-server.md, People and
 * accounts; query-service.md, Authorization).
 */

import { twoFactorLevel } from '@querent/contract/authentication-levels'
import type { Check } from '@querent/contract/manage'
import { rolesAllow, type WorkspacePermission } from '@querent/contract/roles'
import type { ClientRow } from '#storage/clients'
import type { MemberRow } from '#storage/members'
import type { WorkspaceRow } from '#storage/workspaces'
import type { EffectiveFilter } from './effective-filter.ts'
import type { Principal } from './principal.ts'
import { findRights, hasEnded, type Rights, unlimitedRights } from './rights.ts'

const requiredRoles: Readonly<Record<WorkspacePermission, string>> = {
  administer: 'administrator',
  edit: 'user or administrator',
  import: 'data-provider, user or administrator',
  query: 'api, user or administrator',
  look: 'api, user or administrator',
}

export type Access = { allowed: true; rights: Rights } | { allowed: false; checks: Check[] }

/** The same message for a workspace without the membership, and for one that doesn't exist. */
const notMemberMessage = (permission: WorkspacePermission): string =>
  `the account is no member of this workspace with the role ${requiredRoles[permission]}`
/** Names the account in a check. Management replaces the id by a name when somebody reads the check (manage/tokens.ts). */
export const describeAccount = (subject: string): string => `account ${subject}`
const otherWorkspaceMessage =
  'the token was obtained through an application or System-to-System account of another workspace'
const otherProviderMessage =
  "the person signed in through another workspace's OpenID provider, which opens only that workspace: sign in here"
const metadataClientMessage =
  'the token was obtained through an unregistered application, which this workspace does not allow'

/**
 * Whether the token's client belongs to the workspace. An unregistered one belongs to the workspace in the token's audience while that allows
 * it; a workspace that was deleted and created again under the same name is another one.
 */
const belongsToWorkspace = ({ client, token }: Principal, workspace: WorkspaceRow | undefined): boolean => {
  if (client.kind === 'own') return token.workspaceId === undefined || token.workspaceId === workspace?.id
  if (client.kind !== 'metadata-document') return client.workspaceId === workspace?.id
  return (
    workspace?.definition.settings?.allowMetadataClients === true &&
    token.issuedAt >= Math.floor(workspace.created_at / 1000)
  )
}

const foreignClientMessages: Readonly<Record<ClientRow['kind'], string>> = {
  own: otherProviderMessage,
  'metadata-document': metadataClientMessage,
  application: otherWorkspaceMessage,
  'system-to-system': otherWorkspaceMessage,
}

/**
 * Decides about a permission in one workspace. `workspace` and `member` are undefined if they don't exist. Operators manage any workspace,
 * but can query only as members. Without access, `checks` are those of "Why was I refused?", with the failed one last.
 */
export const workspaceAccess = (
  principal: Principal,
  workspace: WorkspaceRow | undefined,
  member: MemberRow | undefined,
  permission: WorkspacePermission,
): Access => {
  const { client } = principal
  const checks: Check[] = []
  if (!belongsToWorkspace(principal, workspace)) {
    const check: Check = {
      name: 'client-workspace',
      passed: false,
      message: foreignClientMessages[client.kind],
      expected: 'an application or System-to-System account of this workspace',
      found: `client ${client.id}`,
    }
    return { allowed: false, checks: [check] }
  }
  checks.push({ name: 'client-workspace', passed: true, message: 'the client may open this workspace' })
  const mayOperate = principal.operator && client.kind === 'own' && permission !== 'query'
  if (mayOperate && workspace && (!member || hasEnded(member))) {
    const factorCheck = checkSecondFactor(principal, workspace)
    return factorCheck.passed
      ? { allowed: true, rights: unlimitedRights }
      : { allowed: false, checks: [...checks, factorCheck] }
  }
  if (!workspace || !member) {
    checks.push({
      name: 'membership',
      passed: false,
      message: notMemberMessage(permission),
      expected: `a member with the role ${requiredRoles[permission]}`,
      found: describeAccount(principal.subject),
    })
    return { allowed: false, checks }
  }
  checks.push({ name: 'membership', passed: true, message: 'the account is a member' })
  const end = checkMembershipEnd(member)
  checks.push(end)
  if (!end.passed) return { allowed: false, checks }
  if (!mayOperate && !rolesAllow(member.roles, permission)) {
    checks.push({
      name: 'role',
      passed: false,
      message: notMemberMessage(permission),
      expected: requiredRoles[permission],
      found: member.roles.join(', '),
    })
    return { allowed: false, checks }
  }
  checks.push({ name: 'role', passed: true, message: 'the role allows it', found: member.roles.join(', ') })
  const factorCheck = checkSecondFactor(principal, workspace)
  if (!factorCheck.passed) return { allowed: false, checks: [...checks, factorCheck] }
  return { allowed: true, rights: findRights(workspace.definition, member) }
}

/** Whether the membership has not ended. */
const checkMembershipEnd = (member: MemberRow | undefined): Check => {
  if (!member || member.endsAt === null)
    return { name: 'membership-end', passed: true, message: 'the membership has no end' }
  const end = `until ${member.rights?.until ?? new Date(member.endsAt).toISOString()}`
  return hasEnded(member)
    ? { name: 'membership-end', passed: false, message: 'the membership has ended', found: end }
    : { name: 'membership-end', passed: true, message: 'the membership has not ended', found: end }
}

/** Whether the member may use the API. One that doesn't exist gives the same answer as one that is closed. */
export const checkApi = ({ apis }: Pick<Rights, 'apis'>, api: string): Check =>
  checkOpened('api', apis, api, 'the account may not use this API')

/** Whether the member may use the collection, as {@link checkApi}. */
export const checkCollection = ({ collections }: Rights, collection: string): Check =>
  checkOpened('collection', collections, collection, 'the account may not use this collection')

const checkOpened = (
  name: 'api' | 'collection',
  opened: ReadonlySet<string> | undefined,
  requested: string,
  message: string,
): Check => {
  if (opened === undefined) return { name, passed: true, message: 'nothing limits the account' }
  const expected = [...opened].join(', ') || 'none'
  return opened.has(requested)
    ? { name, passed: true, message: 'the account may use it', expected, found: requested }
    : { name, passed: false, message, expected, found: requested }
}

/**
 * Whether the token is of a sign-in with as many factors as the workspace requires. Applies to people; programs and the credential in the data
 * folder sign in without a session.
 */
const checkSecondFactor = ({ kind, client, token }: Principal, workspace: WorkspaceRow): Check => {
  const isOfSignIn = kind === 'user' && token.subject !== client.id
  if (!isOfSignIn || workspace.definition.settings?.requireSecondFactor !== true)
    return { name: 'second-factor', passed: true, message: 'no second factor is required' }
  if (token.acr === twoFactorLevel)
    return { name: 'second-factor', passed: true, message: 'signed in with a second factor' }
  return {
    name: 'second-factor',
    passed: false,
    message: 'this workspace requires a second factor: sign in again with one',
    expected: `acr ${twoFactorLevel}`,
    found: token.acr === undefined ? 'no acr' : `acr ${token.acr}`,
  }
}

/** Returns all checks from `client-workspace` to `row-filter`, for "Why was I refused?". `api`: the API of the request, if it names one. */
export const accessChecks = (
  principal: Principal,
  workspace: WorkspaceRow | undefined,
  member: MemberRow | undefined,
  permission: WorkspacePermission,
  api?: string,
): Check[] => {
  const access = workspaceAccess(principal, workspace, member, permission)
  if (!access.allowed) return access.checks
  const { rights } = access
  const { filter, groups } = rights
  const checks: Check[] = [
    { name: 'client-workspace', passed: true, message: 'the client may open this workspace' },
    { name: 'membership', passed: true, message: 'the account is a member' },
    checkMembershipEnd(member),
    {
      name: 'role',
      passed: true,
      message: 'the role allows it',
      ...(member ? { found: member.roles.join(', ') } : {}),
    },
    ...(workspace ? [checkSecondFactor(principal, workspace)] : []),
  ]
  const accessPart = [
    api === undefined ? listOpen('api', rights.apis) : checkApi(rights, api),
    listOpen('collection', rights.collections),
  ]
  const closed = accessPart.findIndex(({ passed }) => !passed)
  if (closed >= 0) return [...checks, ...accessPart.slice(0, closed + 1)]
  checks.push(...accessPart, {
    name: 'row-filter',
    passed: true,
    message: filter ? 'sees only documents that match the row filter' : 'no row filter: sees every document',
    ...(filter ? { found: describeFilter(filter, groups) } : {}),
  })
  return checks
}

/** The open ones, for a request that names none. */
const listOpen = (name: 'api' | 'collection', open: ReadonlySet<string> | undefined): Check => ({
  name,
  passed: true,
  message: open ? 'only these are open' : 'nothing limits the account',
  ...(open ? { expected: [...open].join(', ') || 'none' } : {}),
})

const describeFilter = ({ alternatives }: EffectiveFilter, groups: readonly string[]): string => {
  const [first] = alternatives
  const filter = JSON.stringify(alternatives.length === 1 ? first : alternatives)
  return groups.length === 0 ? filter : `${filter}, groups ${groups.join(', ')}`
}
