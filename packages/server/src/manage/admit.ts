/** Authorizes callers of operations, before anything in the request is read. */
import type { Operation, OperationId } from '@querent/contract/manage'
import type { FastifyRequest } from 'fastify'
import { authenticate, authorize, reauthenticate, reauthorize } from '#authz/authorize'
import type { Principal } from '#authz/principal'
import { blockedByRowFilterMessage, isBlockedByRowFilter } from '#authz/public-content'
import { refuseTokenInUrl } from '#authz/token-in-url'
import type { Db } from '#storage/db'
import type { AccessLookups } from '#storage/directory'
import { findMember } from '#storage/members'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Call, ManagementDependencies } from './call.ts'
import { requireRecentSignIn } from './recent-sign-in.ts'
import { makeRefusal, managementPath } from './refuse.ts'

export interface Admission {
  principal: Principal
  /** Set for operations on one workspace. */
  workspace: WorkspaceRow | undefined
  /** Path of the request without the query, unchanged. */
  path: string
}

/** Operators manage the server through its own clients, never through an application of a workspace. */
export const isOperator = ({ operator, client }: Principal): boolean => operator && client.kind === 'own'

/**
 * Operations on no workspace that a person may call whom a workspace's own OpenID provider signed in. All others concern their account, for
 * which the provider does not speak.
 */
const providerOperations: ReadonlySet<string> = new Set<OperationId>([
  'getMe',
  'listWorkspaces',
  'applyWorkspaceFile',
  'inspectToken',
  'getRefusal',
])

/** Throws 401 or 403. */
export const admit = async (
  deps: ManagementDependencies,
  { id, permission, recentSignIn }: Operation,
  request: FastifyRequest,
): Promise<Admission> => {
  const [path = '', search = ''] = request.originalUrl.split('?', 2)
  refuseTokenInUrl(search)
  const resource = requestedResource(deps, request, path)
  const authorizationDeps = { ...deps, origin: deps.authUrl }
  if (permission !== 'operator' && permission !== 'account') {
    const { principal, workspace } = await authorize(
      authorizationDeps,
      resource,
      readWorkspaceSlug(request),
      permission,
    )
    return { principal, workspace, path }
  }
  const principal = await authenticate(authorizationDeps, resource)
  if (permission === 'operator') requireOperator(deps, request, { principal, path })
  if (principal.token.workspaceId !== undefined && !providerOperations.has(id))
    throw refuseCaller(
      deps,
      request,
      { principal, path },
      "your workspace's OpenID provider signed you in, which does not open your account: sign in with your password or a passkey",
    )
  // System-to-System accounts have no sign-in, and no account that these operations change.
  if (recentSignIn === 'always' && principal.kind === 'user') await requireRecentSignIn(deps, principal)
  return { principal, workspace: undefined, path }
}

/**
 * Repeats the authorization of an admitted request with the current `lookups`. Throws like {@link admit}, but
 * accepts a token that has expired since.
 */
export const recheckAdmission = async (
  deps: ManagementDependencies,
  { permission }: Operation,
  request: FastifyRequest,
  { principal, workspace, path }: Admission,
  lookups: AccessLookups,
): Promise<void> => {
  const resource = requestedResource(deps, request, path)
  const authorizationDeps = { ...deps, origin: deps.authUrl }
  if (workspace && permission !== 'operator' && permission !== 'account') {
    await reauthorize(authorizationDeps, resource, { principal, workspace }, permission, lookups)
    return
  }
  const present = await reauthenticate(authorizationDeps, resource, principal, '', lookups)
  if (permission === 'operator') requireOperator(deps, request, { principal: present, path })
}

const requestedResource = (
  { clientAddress }: Pick<ManagementDependencies, 'clientAddress'>,
  request: FastifyRequest,
  path: string,
) => ({
  request: request.raw,
  path,
  resourcePath: managementPath,
  requestId: request.id,
  clientAddress: () => clientAddress(request),
})

const requireOperator = (
  deps: ManagementDependencies,
  request: FastifyRequest,
  { principal, path }: Pick<Admission, 'principal' | 'path'>,
): void => {
  if (isOperator(principal)) return
  throw refuseCaller(deps, request, { principal, path }, 'only operators may do this')
}

const refuseCaller = (
  deps: ManagementDependencies,
  request: FastifyRequest,
  { principal, path }: Pick<Admission, 'principal' | 'path'>,
  message: string,
) =>
  makeRefusal(
    deps,
    { principal, path, origin: { requestId: request.id, address: deps.clientAddress(request) } },
    { message, workspace: '' },
  )

const readWorkspaceSlug = ({ params }: FastifyRequest): string =>
  typeof params === 'object' && params !== null && 'workspace' in params ? String(params.workspace) : ''

/** Throws 403 if the caller has a row filter and a public API shows `part`. */
export const refusePublicChange = async (
  deps: Pick<ManagementDependencies, 'refusalLog' | 'authUrl'>,
  call: Pick<Call, 'principal' | 'path'> & { origin: Call['origin'] },
  db: Db,
  workspace: WorkspaceRow,
  part: string,
): Promise<void> => {
  const { principal } = call
  const member = await findMember(db, workspace.id, principal.subject)
  if (isOperator(principal) || !isBlockedByRowFilter(workspace.definition, member)) return
  const message = blockedByRowFilterMessage(part)
  const check = { name: 'row-filter', passed: false, message } as const
  throw makeRefusal(deps, call, { message, workspace: workspace.slug, checks: [check] })
}
