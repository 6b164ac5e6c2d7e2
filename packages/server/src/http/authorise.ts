/**
 * One request's authorisation in a workspace: token → principal → membership → permission. The same for queries, documents and the
 * management API, so that none of them can forget a step (query-service.md, Authorisation).
 */
import type { IncomingMessage } from 'node:http'
import type { Check, RowFilter } from '@querent/contract/manage'
import type { WorkspacePermission } from '@querent/contract/roles'
import { Problem } from '#errors'
import type { Directory } from '#storage/directory'
import type { WorkspaceRow } from '#storage/workspaces'
import { workspaceAccess } from './access.ts'
import type { Activity } from './activity.ts'
import { type Bearer, type Principal, Refused } from './bearer.ts'
import { challenge } from './challenge.ts'
import { followed, known, type Recipe } from './recipe.ts'
import type { RefusalLog } from './refusal-log.ts'

export interface AuthoriseDependencies {
  bearer: Bearer
  directory: Directory
  refusalLog: RefusalLog
  activity: Pick<Activity, 'note'>
  /** Origin of the service that asks, without a slash at the end. */
  origin: string
}

export interface Asked {
  /** Whose `Authorization` says who asks. */
  request: Pick<IncomingMessage, 'headers' | 'rawHeaders'>
  /** Path as it came, percent-encoded, without the query. */
  path: string
  /** The part of `path` that names the resource, for `resource_metadata`. */
  resourcePath: string
  requestId: string
  /** What the request came over ({@link Bearer.identify}). */
  connection?: object
}

export interface Authorised {
  principal: Principal
  workspace: WorkspaceRow
  filter: RowFilter | undefined
}

/** Who asks, in whatever workspace. Throws 401 with `WWW-Authenticate`, and records why; 400 for two headers `Authorization`. */
export const authenticate = async (deps: AuthoriseDependencies, asked: Asked): Promise<Principal> =>
  followed(authenticating(deps, asked, ''))

function* authenticating(deps: AuthoriseDependencies, asked: Asked, workspace: string): Recipe<Principal> {
  const { request, path, connection } = asked
  if (hasTwoTokens(request))
    throw new Problem('bad-request', 'the header Authorization came twice; allowed is once')
  try {
    return yield* deps.bearer.identify(request.headers.authorization, `${deps.origin}${path}`, connection)
  } catch (error) {
    if (error instanceof Refused)
      throw answerRefusal(deps, asked, error, {
        workspace,
        checks: [error.check],
        subject: error.token?.subject ?? null,
        clientId: error.token?.clientId ?? null,
      })
    throw error
  }
}

/** Whether the header `Authorization` came twice: Node gives the first alone. */
export const hasTwoTokens = ({ rawHeaders }: Asked['request']): boolean => {
  let times = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 'authorization'.length && name.toLowerCase() === 'authorization') times += 1
  }
  return times > 1
}

/**
 * Who asks, with the workspace and the row filter. Throws 401 or 403 with `WWW-Authenticate`, and records why; a workspace that does
 * not exist gets the answer of one where the account is no member. Operators, who see all workspaces there are, are told: 404.
 */
export const authorise = async (...asked: Parameters<typeof authorising>): Promise<Authorised> =>
  followed(authorising(...asked))

/** The same as a recipe. */
export function* authorising(
  deps: AuthoriseDependencies,
  asked: Asked,
  slug: string,
  permission: WorkspacePermission,
): Recipe<Authorised> {
  const principal = yield* authenticating(deps, asked, slug)
  const workspace = yield* known(deps.directory.workspace(slug))
  const manages = principal.operator && principal.client.kind === 'own' && permission !== 'query'
  if (!workspace && manages)
    throw new Problem('no-such-resource', `there is no workspace ${JSON.stringify(slug.slice(0, 63))}`)
  const member = workspace && (yield* known(deps.directory.member(workspace.id, principal.subject)))
  const access = workspaceAccess(principal, workspace, member, permission)
  if (access.allowed && workspace) {
    if (member) deps.activity.note(workspace.id, principal.subject)
    return { principal, workspace, filter: access.filter }
  }
  throw refuseAccess(deps, asked, slug, principal, access.allowed ? [] : access.checks)
}

/** 403 with `WWW-Authenticate` for the last of `checks`; recorded. */
export const refuseAccess = (
  deps: AuthoriseDependencies,
  asked: Asked,
  workspace: string,
  principal: Principal,
  checks: Check[],
): Refused => {
  const last = checks.at(-1)
  const refused = new Refused(
    'insufficient-scope',
    last?.message ?? 'no access to this workspace',
    last ?? { name: 'membership', passed: false, message: 'no access to this workspace' },
    principal.token,
  )
  const { subject, client } = principal
  return answerRefusal(deps, asked, refused, { workspace, checks, subject, clientId: client.id })
}

const answerRefusal = (
  { refusalLog, origin }: AuthoriseDependencies,
  asked: Asked,
  refused: Refused,
  why: { workspace: string; checks: Check[]; subject: string | null; clientId: string | null },
): Refused => {
  refusalLog.record({
    requestId: asked.requestId,
    at: Date.now(),
    status: refused.status,
    path: asked.path,
    ...why,
    workspace: why.workspace.slice(0, 63),
  })
  return refused.withChallenge(challenge(refused.code, refused.message, { origin, path: asked.resourcePath }))
}
