/** Who calls an operation, and whether they may: before anything they sent is looked at (query-service.md, Authorisation). */
import type { Operation } from '@querent/contract/manage'
import type { FastifyRequest } from 'fastify'
import { authenticate, authorize, reauthenticate, reauthorize } from '#authz/authorize'
import type { Principal } from '#authz/bearer'
import { refuseTokenInUrl } from '#authz/token-in-url'
import type { AccessLookups } from '#storage/directory'
import type { WorkspaceRow } from '#storage/workspaces'
import type { ManagementDependencies } from './call.ts'
import { makeRefusal, managementPath } from './refuse.ts'

export interface Admission {
  principal: Principal
  /** For operations on one workspace. */
  workspace: WorkspaceRow | undefined
  /** Path as it came, without the query. */
  path: string
}

/** Operators run the server through its own clients, never through an application of some workspace. */
export const isOperator = ({ operator, client }: Principal): boolean => operator && client.kind === 'own'

/** Throws 401 or 403. */
export const admit = async (
  deps: ManagementDependencies,
  { permission }: Operation,
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
  return { principal, workspace: undefined, path }
}

/**
 * Decides once more about a request that was admitted, by what `lookups` says now. Throws as {@link admit} does, but takes a token that
 * has expired since.
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
  throw makeRefusal(
    deps,
    { principal, path, origin: { requestId: request.id, address: deps.clientAddress(request) } },
    { message: 'only operators of the server may do this', workspace: '' },
  )
}

const readWorkspaceSlug = ({ params }: FastifyRequest): string =>
  typeof params === 'object' && params !== null && 'workspace' in params ? String(params.workspace) : ''
