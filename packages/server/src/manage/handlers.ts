/**
 * Handlers of all operations. Loaded ten seconds after the start, or on first use: a start needs a third
 * fewer files without them.
 */
import type { OperationId } from '@querent/contract/manage'
import { accountHandlers } from './account.ts'
import { applicationHandlers } from './applications.ts'
import { applyHandlers } from './apply.ts'
import { auditHandlers } from './audit-log.ts'
import { backupHandlers } from './backup.ts'
import type { Handler } from './call.ts'
import { definitionHandlers } from './definitions.ts'
import { deleteAccountHandlers } from './delete-account.ts'
import { diagnosisHandlers } from './diagnosis.ts'
import { documentAccessHandlers } from './document-access.ts'
import { exportHandlers } from './export.ts'
import { generationHandlers } from './generations.ts'
import { groupHandlers } from './groups.ts'
import { historyHandlers } from './history.ts'
import { identityProviderHandlers } from './identity-provider.ts'
import { invitationHandlers } from './invitations.ts'
import { keyHandlers } from './keys.ts'
import { leakTestHandlers } from './leak-tests.ts'
import { liveRequestHandlers } from './live-requests.ts'
import { memberHandlers } from './members.ts'
import { ownEmailHandlers } from './own-email.ts'
import { personExportHandlers } from './person-export.ts'
import { providerDomainHandlers } from './provider-domains.ts'
import { refusalHandlers } from './refusals.ts'
import { registrationTokenHandlers } from './registration-tokens.ts'
import { secondFactorHandlers } from './second-factors.ts'
import { serverAreaHandlers } from './server-area.ts'
import { settingsHandlers } from './settings.ts'
import { signInHandlers } from './sign-ins.ts'
import { systemToSystemHandlers } from './system-to-system.ts'
import { tokenHandlers } from './tokens.ts'
import { usageHandlers } from './usage.ts'
import { userHandlers } from './users.ts'
import { workspaceHandlers } from './workspaces.ts'

export const handlers: { [Id in OperationId]: Handler<Id> } = {
  ...userHandlers,
  ...workspaceHandlers,
  ...applyHandlers,
  ...exportHandlers,
  ...definitionHandlers,
  ...settingsHandlers,
  ...auditHandlers,
  ...signInHandlers,
  ...generationHandlers,
  proposeCollection: ({ propose }, { workspace, input }) => propose(workspace.id, input),
  ...memberHandlers,
  ...groupHandlers,
  ...documentAccessHandlers,
  ...leakTestHandlers,
  ...historyHandlers,
  ...systemToSystemHandlers,
  ...applicationHandlers,
  ...identityProviderHandlers,
  ...providerDomainHandlers,
  ...registrationTokenHandlers,
  ...tokenHandlers,
  ...refusalHandlers,
  ...invitationHandlers,
  ...personExportHandlers,
  ...accountHandlers,
  ...ownEmailHandlers,
  ...deleteAccountHandlers,
  ...secondFactorHandlers,
  ...keyHandlers,
  ...backupHandlers,
  ...diagnosisHandlers,
  ...serverAreaHandlers,
  ...usageHandlers,
  ...liveRequestHandlers,
}
