/** Refusals that the table of roles does not decide: recorded and answered like those it does. */
import type { Check } from '@querent/contract/manage'
import { AuthorizationError } from '#authz/bearer'
import { challenge } from '#authz/challenge'
import type { Call, ManagementDependencies } from './call.ts'

/** What stands below it is one resource for OAuth clients (RFC 9728). */
export const managementPath = '/manage'

/** A 403 with `WWW-Authenticate`, recorded for "Why was I refused?". `workspace` is the one it concerns, '' when none. */
export const makeRefusal = (
  { refusalLog, authUrl }: Pick<ManagementDependencies, 'refusalLog' | 'authUrl'>,
  call: Pick<Call, 'principal' | 'path'> & { origin: Pick<Call['origin'], 'requestId' | 'address'> },
  { message, workspace, checks }: { message: string; workspace: string; checks?: Check[] },
): AuthorizationError => {
  const { principal } = call
  const failed: Check = { name: 'role', passed: false, message }
  const refusal = new AuthorizationError(
    'insufficient-scope',
    message,
    checks?.at(-1) ?? failed,
    principal.token,
  )
  const { requestId, address } = call.origin
  refusalLog.record(
    {
      requestId,
      at: Date.now(),
      status: refusal.status,
      workspace,
      path: call.path,
      subject: principal.subject,
      clientId: principal.client.id,
      checks: checks ?? [failed],
    },
    address,
  )
  return refusal.withChallenge(
    challenge('insufficient-scope', message, { origin: authUrl, path: managementPath }),
  )
}
