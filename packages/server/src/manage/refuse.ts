/**
 * Authorization errors that the roles alone do not decide. They are recorded and answered like all others.
 */
import type { Check } from '@querent/contract/manage'
import { AuthorizationError } from '#authz/bearer'
import { challenge } from '#authz/challenge'
import type { Call, ManagementDependencies } from './call.ts'

/** Everything below this path is one OAuth resource (RFC 9728). */
export const managementPath = '/manage'

/**
 * Records a refusal and returns a 403 with `WWW-Authenticate`. `workspace`: slug, or '' if none is concerned.
 */
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
    challenge('insufficient-scope', message, {
      origin: authUrl,
      path: managementPath,
      isBound: principal.token.keyThumbprint !== undefined,
    }),
  )
}
