/**
 * Queries that preview something: "preview as this member" shows an administrator the documents that a member's row filter allows
 * (authorization-server.md), and unsaved changes of the definition show their effect to people who may edit it.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { changesHeader, memberHeader } from '@querent/contract/preview-headers'
import { Problem } from '#errors'
import { workspaceAccess } from './access.ts'
import {
  type AuthorizationDependencies,
  type AuthorizationRequest,
  type AuthorizedCaller,
  refuseAccess,
} from './authorize.ts'
import type { EffectiveFilter } from './effective-filter.ts'
import { findReaders } from './readers.ts'
import { findRights, type Rights } from './rights.ts'

/** The rights of a previewed member, and the condition on readers. */
export interface PreviewedMember {
  rights: Rights
  readers: EffectiveFilter | undefined
}

/** Previews need a token, even on a public API. They are never answered from a cache. */
export const isPreview = (headers: IncomingHttpHeaders): boolean =>
  headers[memberHeader] !== undefined || headers[changesHeader] !== undefined

/**
 * Throws 403 if the request has unsaved changes of the definition, unless the caller may edit the workspace and uses a client of the server
 * itself.
 */
export const refusePreviewChanges = async (
  deps: AuthorizationDependencies,
  input: AuthorizationRequest,
  { principal, workspace }: AuthorizedCaller,
): Promise<void> => {
  if (input.request.headers[changesHeader] === undefined) return
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
 * Returns the rights of the member that the header names, to apply in addition to the caller's own. Undefined without the header. Throws 403 unless the caller is an administrator and uses a client of the server itself, and 404 for an unknown member.
 */
export const findPreviewedMember = async (
  deps: AuthorizationDependencies,
  input: AuthorizationRequest,
  { principal, workspace }: AuthorizedCaller,
  header: string | undefined,
): Promise<PreviewedMember | undefined> => {
  if (header === undefined) return undefined
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
  const id = name.includes('@') ? (await directory.userByEmail(name))?.id : name
  const member = id === undefined ? undefined : await directory.member(workspace.id, id)
  if (!member)
    throw new Problem(
      'no-such-resource',
      `Querent-Preview-As: this workspace has no member ${JSON.stringify(name.slice(0, 254))}`,
    )
  const { definition } = workspace
  const rights = findRights(definition, member)
  return { rights, readers: await findReaders(definition, rights, member, directory) }
}

const decodeHeader = (header: string): string => {
  try {
    return decodeURIComponent(header).trim()
  } catch {
    throw new Problem(
      'bad-parameter',
      'Querent-Preview-As: found text that is not percent-encoded UTF-8, allowed: an e-mail address or a Client ID',
    )
  }
}
