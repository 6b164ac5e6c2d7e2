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
import type { Principal } from './bearer.ts'
import type { EffectiveFilter } from './effective-filter.ts'
import { findRights, type Rights, unlimitedRights } from './rights.ts'

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
  if (mayOperate && workspace && !member) {
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

/** Returns all checks from `client-workspace` to `row-filter`, for "Why was I refused?". */
export const accessChecks = (
  principal: Principal,
  workspace: WorkspaceRow | undefined,
  member: MemberRow | undefined,
  permission: WorkspacePermission,
): Check[] => {
  const access = workspaceAccess(principal, workspace, member, permission)
  if (!access.allowed) return access.checks
  const { filter, groups } = access.rights
  return [
    { name: 'client-workspace', passed: true, message: 'the client may open this workspace' },
    { name: 'membership', passed: true, message: 'the account is a member' },
    {
      name: 'role',
      passed: true,
      message: 'the role allows it',
      ...(member ? { found: member.roles.join(', ') } : {}),
    },
    ...(workspace ? [checkSecondFactor(principal, workspace)] : []),
    {
      name: 'row-filter',
      passed: true,
      message: filter
        ? 'sees only documents that match the row filter'
        : 'no row filter: sees every document',
      ...(filter ? { found: describeFilter(filter, groups) } : {}),
    },
  ]
}

const describeFilter = ({ alternatives }: EffectiveFilter, groups: readonly string[]): string => {
  const [first] = alternatives
  const filter = JSON.stringify(alternatives.length === 1 ? first : alternatives)
  return groups.length === 0 ? filter : `${filter}, groups ${groups.join(', ')}`
}
