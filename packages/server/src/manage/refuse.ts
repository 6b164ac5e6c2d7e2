/**
 * Authorization errors that the roles alone do not decide. They are recorded and answered like all others.
 */
import type { Check } from '@querent/contract/manage'
import type { AuthorizationError } from '#authz/authorization-error'
import { refuseAccess } from '#authz/authorize'
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
): AuthorizationError =>
  refuseAccess(
    { refusalLog, origin: authUrl },
    {
      path: call.path,
      resourcePath: managementPath,
      requestId: call.origin.requestId,
      clientAddress: () => call.origin.address,
    },
    workspace,
    call.principal,
    checks ?? [{ name: 'role', passed: false, message }],
    message,
  )
