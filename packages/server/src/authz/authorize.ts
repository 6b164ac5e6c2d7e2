/**
 * Authorizes a request in a workspace: token → principal → membership → permission. Queries, documents and the management API all use it,
 * so that none of them forgets a step (query-service.md, Authorization).
 */
import type { IncomingMessage } from 'node:http'
import type { Check } from '@querent/contract/manage'
import type { WorkspacePermission } from '@querent/contract/roles'
import { Problem } from '#errors'
import type { AccessLookups, AccountLookups, Directory } from '#storage/directory'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Activity } from '#usage/activity'
import { workspaceAccess } from './access.ts'
import { AuthorizationError, type RefusalCode } from './authorization-error.ts'
import { isDpopScheme } from './authorization-header.ts'
import type { Bearer } from './bearer.ts'
import { challenge } from './challenge.ts'
import type { EffectiveFilter } from './effective-filter.ts'
import type { Principal } from './principal.ts'
import { findReaders } from './readers.ts'
import type { RefusalLog } from './refusal-log.ts'
import type { Rights } from './rights.ts'

export interface AuthorizationDependencies {
  bearer: Bearer
  directory: Directory
  refusalLog: RefusalLog
  activity: Pick<Activity, 'record'>
  /** Origin of the service, without a slash at the end. */
  origin: string
}

export interface AuthorizationRequest {
  /** The request with the header `Authorization`, and `DPoP` for a token that is bound to a key. */
  request: Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'method'>
  /** Still percent-encoded, without the query. */
  path: string
  /** The part of `path` that names the resource, for `resource_metadata`. */
  resourcePath: string
  requestId: string
  /** Returns the IP address of the client. Called only if the request is rejected. */
  clientAddress: () => string
  /** The connection of the request ({@link Bearer.identify}). */
  connection?: object
}

type RefusalDependencies = Pick<AuthorizationDependencies, 'refusalLog' | 'origin'>
type RefusedRequest = Pick<AuthorizationRequest, 'path' | 'resourcePath' | 'requestId' | 'clientAddress'> &
  Partial<Pick<AuthorizationRequest, 'request'>>

export interface AuthorizedCaller {
  principal: Principal
  workspace: WorkspaceRow
  rights: Rights
  /** The filter of the rights. */
  filter: EffectiveFilter | undefined
  /** The condition on readers of documents. A document must match it too. */
  readers: EffectiveFilter | undefined
}

/**
 * Authenticates a request. Throws 401 with `WWW-Authenticate`, and records the reason for `workspace`. Throws 400 for two headers
 * `Authorization`.
 */
export const authenticate = async (
  deps: AuthorizationDependencies,
  input: AuthorizationRequest,
  workspace = '',
): Promise<Principal> => {
  const { request, path, connection } = input
  if (hasRepeatedAuthorization(request))
    throw new Problem('bad-request', 'the header Authorization appears twice; it is allowed once')
  try {
    return await deps.bearer.identify(request, `${deps.origin}${path}`, connection)
  } catch (error) {
    throw recordRefusal(deps, input, workspace, error)
  }
}

/**
 * Authenticates a request again with the current state from `lookups`. Throws 401 like {@link authenticate}, but accepts a token that has
 * expired since the request started.
 */
export const reauthenticate = async (
  deps: AuthorizationDependencies,
  input: AuthorizationRequest,
  { token }: Principal,
  workspace: string,
  lookups: AccountLookups,
): Promise<Principal> => {
  try {
    return await deps.bearer.confirm(token, lookups)
  } catch (error) {
    throw recordRefusal(deps, input, workspace, error)
  }
}

/** Records a refusal and makes it ready to send. Returns any other error as it is. */
const recordRefusal = (
  deps: AuthorizationDependencies,
  input: AuthorizationRequest,
  workspace: string,
  error: unknown,
): unknown =>
  error instanceof AuthorizationError
    ? recordAndChallenge(deps, input, error, {
        workspace,
        checks: [error.check],
        subject: error.token?.subject ?? null,
        clientId: error.token?.clientId ?? null,
      })
    : error

/** True if the request has two headers `Authorization`. Node reports only the first. */
export const hasRepeatedAuthorization = ({ rawHeaders }: AuthorizationRequest['request']): boolean => {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 'authorization'.length && name.toLowerCase() === 'authorization') count += 1
  }
  return count > 1
}

/**
 * Returns the caller with the workspace and the row filter. Throws 401 or 403 with `WWW-Authenticate`, and records the reason. A workspace
 * that doesn't exist gives the same answer as one without a membership. Operators see all workspaces, so they get 404.
 */
export const authorize = async (
  deps: AuthorizationDependencies,
  input: AuthorizationRequest,
  slug: string,
  permission: WorkspacePermission,
): Promise<AuthorizedCaller> => {
  const principal = await authenticate(deps, input, slug)
  const workspace = await deps.directory.workspace(slug)
  if (!workspace) refuseMissingWorkspace(principal, slug, permission)
  const member = workspace && (await deps.directory.member(workspace.id, principal.subject))
  const access = workspaceAccess(principal, workspace, member, permission)
  if (access.allowed && workspace) {
    if (member) deps.activity.record(workspace.id, principal.subject)
    return authorizedCaller(principal, workspace, access.rights, deps.directory)
  }
  throw refuseAccess(deps, input, slug, principal, access.allowed ? [] : access.checks)
}

/**
 * Authorizes a request again with the current state from `lookups`, before its body takes effect. The second check may come minutes after the first.
 * Throws 401, 403 or 404 like {@link authorize}, but accepts a token that has expired meanwhile.
 */
export const reauthorize = async (
  deps: AuthorizationDependencies,
  input: AuthorizationRequest,
  previous: Pick<AuthorizedCaller, 'principal' | 'workspace'>,
  permission: WorkspacePermission,
  lookups: AccessLookups,
): Promise<AuthorizedCaller> => {
  const { slug, id } = previous.workspace
  const principal = await reauthenticate(deps, input, previous.principal, slug, lookups)
  const currentWorkspace = await lookups.workspace(slug)
  // If the workspace was deleted and created again under the same name, this request is for the old one.
  const workspace = currentWorkspace?.id === id ? currentWorkspace : undefined
  if (!workspace) refuseMissingWorkspace(principal, slug, permission)
  const member = workspace && (await lookups.member(id, principal.subject))
  const access = workspaceAccess(principal, workspace, member, permission)
  if (access.allowed && workspace) return authorizedCaller(principal, workspace, access.rights, lookups)
  throw refuseAccess(deps, input, slug, principal, access.allowed ? [] : access.checks)
}

const authorizedCaller = async (
  principal: Principal,
  workspace: WorkspaceRow,
  rights: Rights,
  users: Pick<AccessLookups, 'user'>,
): Promise<AuthorizedCaller> => {
  const readers = await findReaders(workspace.definition, rights, principal, users)
  return { principal, workspace, rights, filter: rights.filter, readers }
}

/** Throws 404 for operators. They manage every workspace, so they may learn that this one does not exist. */
const refuseMissingWorkspace = (
  { operator, client }: Principal,
  slug: string,
  permission: WorkspacePermission,
): void => {
  if (operator && client.kind === 'own' && permission !== 'query')
    throw new Problem('no-such-resource', `there is no workspace ${JSON.stringify(slug.slice(0, 63))}`)
}

/** A sign-in with more factors helps (RFC 9470); for all else, only an administrator does. */
const refusalCodes: ReadonlyMap<Check['name'], RefusalCode> = new Map([
  ['second-factor', 'insufficient-user-authentication'],
  ['membership-end', 'membership-ended'],
  ['api', 'api-not-allowed'],
  ['collection', 'collection-not-allowed'],
])

/**
 * Records and returns a 403 with `WWW-Authenticate` for the last of `checks`, or a 401 if it is `second-factor`. `workspace`: slug, or '' if none is concerned. `message`:
 * by default that of the last check.
 */
export const refuseAccess = (
  deps: RefusalDependencies,
  input: RefusedRequest,
  workspace: string,
  principal: Principal,
  checks: Check[],
  message?: string,
): AuthorizationError => {
  const last = checks.at(-1)
  const refusal = new AuthorizationError(
    (last && refusalCodes.get(last.name)) ?? 'insufficient-scope',
    message ?? last?.message ?? 'no access to this workspace',
    last ?? { name: 'membership', passed: false, message: 'no access to this workspace' },
    principal.token,
  )
  const { subject, client } = principal
  return recordAndChallenge(deps, input, refusal, { workspace, checks, subject, clientId: client.id })
}

const recordAndChallenge = (
  { refusalLog, origin }: RefusalDependencies,
  input: RefusedRequest,
  refusal: AuthorizationError,
  details: { workspace: string; checks: Check[]; subject: string | null; clientId: string | null },
): AuthorizationError => {
  const { requestId, path, resourcePath, request } = input
  const isBound =
    refusal.check.name === 'proof' ||
    refusal.token?.keyThumbprint !== undefined ||
    isDpopScheme(request?.headers.authorization)
  refusalLog.record(
    { requestId, at: Date.now(), status: refusal.status, path, ...details },
    input.clientAddress(),
  )
  return refusal.withChallenge(
    challenge(refusal.code, refusal.message, { origin, path: resourcePath, isBound }),
  )
}
