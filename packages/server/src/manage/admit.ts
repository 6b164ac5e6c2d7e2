/** Who calls an operation, and whether they may: before anything they sent is looked at (query-service.md, Authorisation). */
import type { Operation } from '@querent/contract/manage'
import type { FastifyRequest } from 'fastify'
import { authenticate, authorise } from '#http/authorise'
import type { Principal } from '#http/bearer'
import { refuseTokenInUrl } from '#http/token-in-url'
import type { WorkspaceRow } from '#storage/workspaces'
import type { ManagementDependencies } from './call.ts'
import { managementPath, refuse } from './refuse.ts'

export interface Admitted {
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
): Promise<Admitted> => {
  const [path = '', search = ''] = request.originalUrl.split('?', 2)
  refuseTokenInUrl(search)
  const asked = {
    request: request.raw,
    path,
    resourcePath: managementPath,
    requestId: request.id,
  }
  const authoriseDeps = { ...deps, origin: deps.authUrl }
  if (permission !== 'operator' && permission !== 'account') {
    const { principal, workspace } = await authorise(authoriseDeps, asked, slugOf(request), permission)
    return { principal, workspace, path }
  }
  const principal = await authenticate(authoriseDeps, asked)
  if (permission === 'operator' && !isOperator(principal))
    throw refuse(
      deps,
      { principal, path, origin: { requestId: request.id } },
      { message: 'only operators of the server may do this', workspace: '' },
    )
  return { principal, workspace: undefined, path }
}

const slugOf = ({ params }: FastifyRequest): string =>
  typeof params === 'object' && params !== null && 'workspace' in params ? String(params.workspace) : ''
