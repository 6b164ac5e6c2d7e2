/** Records a change of second factors in the audit log, and tells the person by mail. */
import { type FactorChange, mailTemplates } from '#accounts/mail-templates'
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

/** The reply does not wait for the mail; the mailer logs failures. */
export const mailFactorChange = (
  { mail, authUrl }: PageDependencies,
  { locale }: PageRequest,
  { email }: UserRow,
  change: FactorChange,
): void => {
  void mail.send({ to: email, ...mailTemplates[locale.language].factorChanged({ authUrl, change }) })
}
