/**
 * Queries that preview something: "preview as this member" and "as this group" show an administrator what these see
 * (authorization-server.md), and unsaved changes of the definition show their effect to people who may edit it.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { changesHeader, groupPrefix, memberHeader, usageHeader } from '@querent/contract/preview-headers'
import { Problem } from '#errors'
import { workspaceAccess } from './access.ts'
import {
  type AuthorizationDependencies,
  type AuthorizationRequest,
  type AuthorizedCaller,
  refuseAccess,
} from './authorize.ts'
import type { Principal } from './principal.ts'
import { findGroupRights, findMemberRights, findNamedMember, type SubjectRights } from './rights-subject.ts'

/** The headers with which a query previews something. Previews need a token, even on a public API. They are never answered from a cache. */
export interface Preview {
  /** A member or a group. */
  member: string | undefined
  /** Unsaved changes of the definition. */
  changes: string | undefined
  /** The query asks to be left out of the usage figures and the query log. */
  isUncounted: boolean
}

/** Undefined: the query previews nothing. */
export const readPreview = (headers: IncomingHttpHeaders): Preview | undefined => {
  const member = headers[memberHeader]?.toString()
  const changes = headers[changesHeader]?.toString()
  const isUncounted = headers[usageHeader]?.toString() === 'none'
  return member === undefined && changes === undefined && !isUncounted
    ? undefined
    : { member, changes, isUncounted }
}

/** Whether the query stays out of the usage figures. Applications and System-to-System accounts cannot hide theirs. */
export const isLeftOut = (preview: Preview | undefined, principal: Principal | undefined): boolean =>
  preview?.isUncounted === true && principal?.client.kind === 'own'

/** Throws 403 unless the caller may try unsaved changes of the definition: may edit the workspace, and uses a client of the server itself. */
export const refusePreviewChanges = async (
  deps: AuthorizationDependencies,
  input: AuthorizationRequest,
  { principal, workspace }: AuthorizedCaller,
): Promise<void> => {
  const { client, subject } = principal
  const caller = await deps.directory.member(workspace.id, subject)
  if (workspaceAccess(principal, workspace, caller, 'edit').allowed && client.kind === 'own') return
  throw refuseAccess(deps, input, workspace.slug, principal, [
    {
      name: 'role',
      passed: false,
      message: 'only administrators and users, through the console, may query with Querent-Preview-Changes',
      expected: 'administrator or user, through a client of the server itself',
      found: `${caller?.roles.join(', ') ?? 'no member'}, client ${client.id}`,
    },
  ])
}

/**
 * Returns the rights of the member or group that the header names, to apply in addition to the caller's own. Throws 403 unless the caller is an administrator and uses a client of the server itself, and 404 for an unknown name.
 */
export const findPreviewedMember = async (
  deps: AuthorizationDependencies,
  input: AuthorizationRequest,
  { principal, workspace }: AuthorizedCaller,
  header: string,
): Promise<SubjectRights> => {
  const { directory } = deps
  const { client, subject } = principal
  const caller = await directory.member(workspace.id, subject)
  const isAdministrator = workspaceAccess(principal, workspace, caller, 'administer').allowed
  if (!isAdministrator || client.kind !== 'own')
    throw refuseAccess(deps, input, workspace.slug, principal, [
      {
        name: 'role',
        passed: false,
        message: 'only an administrator, through the console, may query with Querent-Preview-As',
        expected: 'administrator, through a client of the server itself',
        found: `${caller?.roles.join(', ') ?? 'no member'}, client ${client.id}`,
      },
    ])
  const name = decodeHeader(header)
  if (name.startsWith(groupPrefix)) {
    const group = name.slice(groupPrefix.length)
    const groupRights = findGroupRights(workspace, group)
    if (groupRights) return groupRights
    throw unknownName('group', group)
  }
  const member = await findNamedMember(directory, workspace, name)
  if (!member) throw unknownName('member', name)
  return findMemberRights(directory, workspace.definition, member)
}

const unknownName = (kind: 'member' | 'group', name: string): Problem =>
  new Problem(
    'no-such-resource',
    `Querent-Preview-As: this workspace has no ${kind} ${JSON.stringify(name.slice(0, 254))}`,
  )

const decodeHeader = (header: string): string => {
  try {
    return decodeURIComponent(header).trim()
  } catch {
    throw new Problem(
      'bad-parameter',
      'Querent-Preview-As: found text that is not percent-encoded UTF-8, allowed: an e-mail address, a Client ID, or group:NAME',
    )
  }
}
