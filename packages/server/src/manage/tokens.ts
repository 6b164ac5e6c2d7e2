/** "Why was I refused?" for a token in hand (query-service.md, Authorisation). */
import { type Check, checkNames } from '@querent/contract/manage'
import { accessChecks, foundAccount, workspaceAccess } from '#http/access'
import type { Principal } from '#http/bearer'
import type { WorkspaceRow } from '#storage/workspaces'
import { isOperator } from './admit.ts'
import type { Handler, ManagementDependencies } from './call.ts'
import { refuse } from './refuse.ts'

export const tokenHandlers = {
  inspectToken: async (deps, call) => {
    const { principal, input } = call
    const asked = input.workspace === undefined ? undefined : await deps.directory.workspace(input.workspace)
    const found = await deps.bearer.inspect(input.token, addressOf(deps.baseUrl, input))
    const maySee =
      isOperator(principal) ||
      isOwnToken(principal, found.claims) ||
      (await administers(deps, principal, asked))
    if (!maySee)
      throw refuse(deps, call, {
        message:
          'a token is shown to its own account, to administrators of the workspace asked about, and to operators',
        workspace: input.workspace ?? '',
      })
    const inWorkspace =
      found.principal && input.workspace !== undefined
        ? accessChecks(found.principal, asked, await memberOf(deps, asked, found.principal), 'query')
        : []
    const checks = await nameAccount(
      deps,
      inOrder([...believed(found.checks), ...inWorkspace]),
      found.principal?.subject,
    )
    const isPublic = input.api !== undefined && asked?.definition.apis?.[input.api]?.access === 'public'
    return {
      allowed: isPublic || checks.every(({ name, passed }) => passed ?? !isNeeded(name, input.workspace)),
      header: found.header === null ? null : { ...found.header },
      claims: found.claims === null ? null : { ...found.claims },
      checks,
    }
  },
} satisfies { inspectToken: Handler<'inspectToken'> }

/** The address whose request is explained. */
const addressOf = (baseUrl: string, { workspace, api }: { workspace?: string; api?: string }): string => {
  if (workspace === undefined) return baseUrl
  const address = `${baseUrl}/4/${encodeURIComponent(workspace)}`
  return api === undefined ? address : `${address}/api/${encodeURIComponent(api)}`
}

/** Checks that look things up by what the token says. */
const lookingUp: readonly string[] = ['revocation', 'client', 'account']

/** Of a token that is not ours nothing is looked up: anybody could have written it. */
const believed = (checks: readonly Check[]): Check[] => {
  const isForeign = checks.some(
    ({ name, passed }) => (name === 'issuer' || name === 'signature') && passed === false,
  )
  return checks.filter(({ name }) => !isForeign || !lookingUp.includes(name))
}

/** A check that an earlier one, which failed, came before. */
export const notReached = (name: Check['name']): Check => ({
  name,
  passed: null,
  message: 'was not reached',
})

/** Checks that are about one account, whoever it is. */
const aboutAccount: readonly string[] = ['account', 'membership']

/** Says in the checks which account it was about, by the name that people know it by; only where they were reached. */
export const nameAccount = async (
  { directory }: Pick<ManagementDependencies, 'directory'>,
  checks: readonly Check[],
  subject: string | null | undefined,
): Promise<Check[]> => {
  if (!subject) return [...checks]
  const name = (await directory.user(subject))?.email ?? (await directory.client(subject))?.name
  if (name === undefined) return [...checks]
  return checks.map(check =>
    check.passed === null || !aboutAccount.includes(check.name)
      ? check
      : {
          ...check,
          ...(check.found === foundAccount(subject) ? { found: name } : {}),
          account: { id: subject, name },
        },
  )
}

/** Every check of the chain in its order; null for those that were not reached. */
const inOrder = (checks: readonly Check[]): Check[] =>
  checkNames.map(name => checks.find(check => check.name === name) ?? notReached(name))

const workspaceChecks: readonly string[] = ['client-workspace', 'membership', 'role', 'row-filter']

/** Whether the check decides: those of the workspace only when one was asked about. */
const isNeeded = (name: string, workspace: string | undefined): boolean =>
  workspace !== undefined || !workspaceChecks.includes(name)

const memberOf = async (
  { directory }: ManagementDependencies,
  workspace: WorkspaceRow | undefined,
  { subject }: Principal,
) => workspace && (await directory.member(workspace.id, subject))

const administers = async (
  deps: ManagementDependencies,
  principal: Principal,
  workspace: WorkspaceRow | undefined,
): Promise<boolean> =>
  workspaceAccess(principal, workspace, await memberOf(deps, workspace, principal), 'administer').allowed

/** Whether the token says it is of the account that asks. A forged one tells nobody more than it says itself. */
const isOwnToken = (principal: Principal, claims: object | null): boolean => {
  const { sub, client_id } = { sub: undefined, client_id: undefined, ...claims }
  const own: unknown[] = [principal.subject, principal.token.subject]
  return own.includes(sub) || (principal.kind === 'system-to-system' && own.includes(client_id))
}
