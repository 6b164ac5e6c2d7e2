/** Explains why a given token is accepted or rejected. */
import { type Check, checkNames } from '@querent/contract/manage'
import { didYouMean } from '@querent/contract/nearest-names'
import { accessChecks, describeAccount, workspaceAccess } from '#authz/access'
import type { Principal } from '#authz/principal'
import type { WorkspaceRow } from '#storage/workspaces'
import { isOperator } from './admit.ts'
import type { Handler, ManagementDependencies } from './call.ts'
import { makeRefusal } from './refuse.ts'
import { badInput } from './validation-problem.ts'

export const tokenHandlers = {
  inspectToken: async (deps, call) => {
    const { principal, input } = call
    const requestedWorkspace =
      input.workspace === undefined ? undefined : await deps.directory.workspace(input.workspace)
    const inspection = await deps.bearer.inspect(input.token, buildResourceUrl(deps.baseUrl, input))
    const maySee =
      isOperator(principal) ||
      (isOwnToken(principal, inspection.claims) && mayReadAbout(principal, input, requestedWorkspace)) ||
      (await isAdministrator(deps, principal, requestedWorkspace))
    if (!maySee)
      throw makeRefusal(deps, call, {
        message:
          'a token may be inspected by its own account, by administrators of the given workspace, and by operators',
        workspace: input.workspace ?? '',
      })
    const inWorkspace =
      inspection.principal && input.workspace !== undefined
        ? accessChecks(
            inspection.principal,
            requestedWorkspace,
            await findMembership(deps, requestedWorkspace, inspection.principal),
            'query',
            input.api,
          )
        : []
    const checks = await addAccountNames(
      deps,
      completeChecks([...hideForeignLookups(inspection.checks), ...inWorkspace]),
      {
        subject: inspection.principal?.subject ?? readClaim(inspection.claims, 'sub'),
        clientId: readClaim(inspection.claims, 'client_id'),
      },
    )
    refuseUnknownApi(input, requestedWorkspace, checks)
    const isPublic =
      input.api !== undefined && requestedWorkspace?.definition.apis?.[input.api]?.access === 'public'
    return {
      allowed: isPublic || checks.every(({ name, passed }) => passed ?? !isNeeded(name, input.workspace)),
      header: inspection.header === null ? null : { ...inspection.header },
      claims: inspection.claims === null ? null : { ...inspection.claims },
      checks,
    }
  },
} satisfies { inspectToken: Handler<'inspectToken'> }

/** A caller who may query the workspace may know its APIs. Unknown APIs give 404 with any token. */
const refuseUnknownApi = (
  { api }: { api?: string },
  workspace: WorkspaceRow | undefined,
  checks: readonly Check[],
): void => {
  if (api === undefined || !workspace || checks.some(({ passed }) => passed !== true)) return
  const names = Object.keys(workspace.definition.apis ?? {})
  if (!names.includes(api))
    throw badInput(['api'], `${workspace.slug} has no API ${JSON.stringify(api)}${didYouMean(api, names)}`)
}

/** Returns the URL of the explained request. */
const buildResourceUrl = (
  baseUrl: string,
  { workspace, api }: { workspace?: string; api?: string },
): string => {
  if (workspace === undefined) return baseUrl
  const address = `${baseUrl}/4/${encodeURIComponent(workspace)}`
  return api === undefined ? address : `${address}/api/${encodeURIComponent(api)}`
}

/** Checks that look up claims of the token. */
const lookupChecks: readonly string[] = ['revocation', 'client', 'account']

/** Skips lookups for foreign tokens, because anybody could have written them. */
const hideForeignLookups = (checks: readonly Check[]): Check[] => {
  const isForeign = checks.some(
    ({ name, passed }) => (name === 'issuer' || name === 'signature') && passed === false,
  )
  return checks.filter(({ name }) => !isForeign || !lookupChecks.includes(name))
}

/** A check after a failed one. */
export const makeUnreachedCheck = (name: Check['name']): Check => ({
  name,
  passed: null,
  message: 'was not reached',
})

/** Checks about an account. */
const accountChecks: readonly string[] = ['account', 'membership']

/** Account of a token, and the client that got it. */
interface Parties {
  subject: string | null | undefined
  clientId: string | null | undefined
}

/** Adds the names of accounts to the checks that were reached. */
export const addAccountNames = async (
  { directory }: Pick<ManagementDependencies, 'directory'>,
  checks: readonly Check[],
  { subject, clientId }: Parties,
): Promise<Check[]> => {
  const findParty = async (id: string | null | undefined) => {
    const name = id ? ((await directory.user(id))?.email ?? (await directory.client(id))?.name) : undefined
    return id && name !== undefined ? { id, name } : undefined
  }
  const [account, client] = [await findParty(subject), await findParty(clientId)]
  return checks.map(check => {
    const party = check.name === 'client' ? client : accountChecks.includes(check.name) ? account : undefined
    if (check.passed === null || !party) return check
    return {
      ...check,
      ...(check.found === describeAccount(party.id) ? { found: party.name } : {}),
      account: party,
    }
  })
}

/** Returns every check in order; null for unreached ones. */
const completeChecks = (checks: readonly Check[]): Check[] =>
  checkNames.map(name => checks.find(check => check.name === name) ?? makeUnreachedCheck(name))

const workspaceChecks: readonly string[] = [
  'client-workspace',
  'membership',
  'membership-end',
  'role',
  'second-factor',
  'api',
  'collection',
  'row-filter',
]

/** Whether the check decides. Workspace checks count only if a workspace is given. */
const isNeeded = (name: string, workspace: string | undefined): boolean =>
  workspace !== undefined || !workspaceChecks.includes(name)

const findMembership = async (
  { directory }: ManagementDependencies,
  workspace: WorkspaceRow | undefined,
  { subject }: Principal,
) => workspace && (await directory.member(workspace.id, subject))

const isAdministrator = async (
  deps: ManagementDependencies,
  principal: Principal,
  workspace: WorkspaceRow | undefined,
): Promise<boolean> =>
  workspaceAccess(principal, workspace, await findMembership(deps, workspace, principal), 'administer')
    .allowed

/**
 * The checks say whether the person is a member of the given workspace, and with which roles. A session of a workspace's own OpenID provider
 * learns that about no other workspace.
 */
const mayReadAbout = (
  { token }: Principal,
  input: { workspace?: string },
  workspace: WorkspaceRow | undefined,
): boolean =>
  token.workspaceId === undefined || input.workspace === undefined || workspace?.id === token.workspaceId

/** Reads a claim, trusted or not. */
const readClaim = (claims: object | null, name: 'sub' | 'client_id'): string | undefined => {
  const value: unknown = { sub: undefined, client_id: undefined, ...claims }[name]
  return typeof value === 'string' ? value : undefined
}

/** Whether the token claims to belong to the caller. A forged one reveals nothing beyond its own claims. */
const isOwnToken = (principal: Principal, claims: object | null): boolean => {
  const { sub, client_id } = { sub: undefined, client_id: undefined, ...claims }
  const ownSubjects: unknown[] = [principal.subject, principal.token.subject]
  return (
    ownSubjects.includes(sub) || (principal.kind === 'system-to-system' && ownSubjects.includes(client_id))
  )
}
