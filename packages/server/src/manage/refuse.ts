/** Refusals that the table of roles does not decide: recorded and answered like those it does. */
import type { Check } from '@querent/contract/manage'
import { Refused } from '#http/bearer'
import { challenge } from '#http/challenge'
import type { Call, ManagementDependencies } from './call.ts'

/** What stands below it is one resource for OAuth clients (RFC 9728). */
export const managementPath = '/manage'

/** A 403 with `WWW-Authenticate`, recorded for "Why was I refused?". `workspace` is the one it concerns, '' when none. */
export const refuse = (
  { refusalLog, authUrl }: Pick<ManagementDependencies, 'refusalLog' | 'authUrl'>,
  call: Pick<Call, 'principal' | 'path'> & { origin: Pick<Call['origin'], 'requestId'> },
  { message, workspace, checks }: { message: string; workspace: string; checks?: Check[] },
): Refused => {
  const { principal } = call
  const failed: Check = { name: 'role', passed: false, message }
  const refused = new Refused('insufficient-scope', message, checks?.at(-1) ?? failed, principal.token)
  refusalLog.record({
    requestId: call.origin.requestId,
    at: Date.now(),
    status: refused.status,
    workspace: workspace.slice(0, 63),
    path: call.path.slice(0, 500),
    subject: principal.subject,
    clientId: principal.client.id,
    checks: checks ?? [failed],
  })
  return refused.withChallenge(
    challenge('insufficient-scope', message, { origin: authUrl, path: managementPath }),
  )
}
