/** "Why was I refused?" for a token in hand (query-service.md, Authorisation). */
import { type Check, checkNames } from '@querent/contract/manage'
import { didYouMean } from '@querent/contract/nearest-names'
import { accessChecks, describeAccount, workspaceAccess } from '#authz/access'
import type { Principal } from '#authz/bearer'
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
      isOwnToken(principal, inspection.claims) ||
      (await isAdministrator(deps, principal, requestedWorkspace))
    if (!maySee)
      throw makeRefusal(deps, call, {
        message:
          'a token is shown to its own account, to administrators of the workspace asked about, and to operators',
        workspace: input.workspace ?? '',
      })
    const inWorkspace =
      inspection.principal && input.workspace !== undefined
        ? accessChecks(
            inspection.principal,
            requestedWorkspace,
            await findMembership(deps, requestedWorkspace, inspection.principal),
            'query',
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

/** Who may query the workspace may know which APIs it has: a query at none of them is 404, whatever the token. */
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

/** The address whose request is explained. */
const buildResourceUrl = (
  baseUrl: string,
  { workspace, api }: { workspace?: string; api?: string },
): string => {
  if (workspace === undefined) return baseUrl
  const address = `${baseUrl}/4/${encodeURIComponent(workspace)}`
  return api === undefined ? address : `${address}/api/${encodeURIComponent(api)}`
}

/** Checks that look things up by what the token says. */
const lookupChecks: readonly string[] = ['revocation', 'client', 'account']

/** Of a token that is not ours nothing is looked up: anybody could have written it. */
const hideForeignLookups = (checks: readonly Check[]): Check[] => {
  const isForeign = checks.some(
    ({ name, passed }) => (name === 'issuer' || name === 'signature') && passed === false,
  )
  return checks.filter(({ name }) => !isForeign || !lookupChecks.includes(name))
}

/** A check that an earlier one, which failed, came before. */
export const makeUnreachedCheck = (name: Check['name']): Check => ({
  name,
  passed: null,
  message: 'was not reached',
})

/** Checks that are about one account, whoever it is. */
const accountChecks: readonly string[] = ['account', 'membership']

/** Of a token: its account, and the account or application that got it. */
interface Parties {
  subject: string | null | undefined
  clientId: string | null | undefined
}

/** Says in the checks whom each was about, by the name that people know it by; only where they were reached. */
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

/** Every check of the chain in its order; null for those that were not reached. */
const completeChecks = (checks: readonly Check[]): Check[] =>
  checkNames.map(name => checks.find(check => check.name === name) ?? makeUnreachedCheck(name))

const workspaceChecks: readonly string[] = ['client-workspace', 'membership', 'role', 'row-filter']

/** Whether the check decides: those of the workspace only when one was asked about. */
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

/** As the token says it, whether it is ours or not. */
const readClaim = (claims: object | null, name: 'sub' | 'client_id'): string | undefined => {
  const value: unknown = { sub: undefined, client_id: undefined, ...claims }[name]
  return typeof value === 'string' ? value : undefined
}

/** Whether the token says it is of the account that asks. A forged one tells nobody more than it says itself. */
const isOwnToken = (principal: Principal, claims: object | null): boolean => {
  const { sub, client_id } = { sub: undefined, client_id: undefined, ...claims }
  const ownSubjects: unknown[] = [principal.subject, principal.token.subject]
  return (
    ownSubjects.includes(sub) || (principal.kind === 'system-to-system' && ownSubjects.includes(client_id))
  )
}
