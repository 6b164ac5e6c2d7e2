/** Records a change of second factors in the audit log, and tells the person by mail. */
import type { FactorChange } from '#accounts/mail-templates'
import { recordAudit } from '#storage/audit'
import type { Writer } from '#storage/db'
import type { UserRow } from '#storage/users'
import type { PageDependencies, PageRequest } from './page-request.ts'

/** Actions of the audit log by what changed. */
const auditActions: Record<Exclude<FactorChange, 'all-removed'>, string> = {
  'app-added': 'setUpAuthenticatorApp',
  'app-replaced': 'setUpAuthenticatorApp',
  'app-removed': 'removeAuthenticatorApp',
  'passkey-added': 'addPasskey',
  'passkey-renamed': 'renamePasskey',
  'passkey-removed': 'removePasskey',
  'codes-replaced': 'createRecoveryCodes',
}

/** In the transaction of the change. `detail` has no secret. */
export const auditFactor = (
  writer: Writer,
  { address, requestId }: PageRequest,
  { id, email }: UserRow,
  change: keyof typeof auditActions,
  detail?: Record<string, unknown>,
): Promise<void> =>
  recordAudit(writer, {
    actor: id,
    action: auditActions[change],
    target: email,
    address,
    requestId,
    ...(detail && { detail }),
  })

export const mailFactorChange = (
  { securityNotices }: PageDependencies,
  { locale: { language }, requestId }: PageRequest,
  person: UserRow,
  change: FactorChange,
): void => securityNotices.send({ ...person, language, requestId }, { kind: 'factor-changed', change })
