/** Labels of the actions in the audit log, in the past tense. */
import { type OperationId, operations } from '@querent/contract/manage'

const pastTense: { readonly [id in OperationId]?: string } = {
  createUser: 'User created',
  updateUser: 'User disabled or enabled',
  removeUser: 'User deleted',
  resetPassword: 'Password reset link created',
  removeFactors: 'Second factors removed',
  rotateKeys: 'Signing keys published',
  withdrawKey: 'Signing key revoked',
  makeBackup: 'Backup created',
  downloadBackup: 'Backup downloaded',
  sendTestMail: 'Test mail sent',
  changePassword: 'Password changed',
  endMySession: 'Session signed out',
  withdrawMyConsent: 'Consent revoked',
  applyWorkspaceFile: 'Workspace file applied',
  removeWorkspace: 'Workspace deleted',
  promoteGeneration: 'Generation promoted',
  rollBackGeneration: 'Generation rolled back',
  updateSettings: 'Settings updated',
  setMember: 'Member updated',
  removeMember: 'Member removed',
  inviteMember: 'Person invited',
  withdrawInvitation: 'Invitation revoked',
  createSystemToSystem: 'System-to-System account created',
  updateSystemToSystem: 'System-to-System account updated',
  removeSystemToSystem: 'System-to-System account deleted',
  addSecret: 'Client Secret created',
  removeSecret: 'Client Secret deleted',
  createApplication: 'Application registered',
  updateApplication: 'Application updated',
  removeApplication: 'Application deleted',
  createRegistrationToken: 'Registration token created',
  removeRegistrationToken: 'Registration token deleted',
  inspectToken: 'Token checked',
}

/** In the order of the contract. The audit log has no entries for operations that only read. */
export const actions = [
  ...Object.values(operations)
    .filter(({ method }) => method !== 'GET')
    .map(({ id, summary }) => ({ value: id, label: pastTense[id] ?? summary.split(';')[0] ?? id })),
  // From the authorization server's /oauth/register.
  { value: 'registerApplication', label: 'Application registered itself' },
  // From the invitation page of the authorization server.
  { value: 'acceptInvitation', label: 'Invitation accepted' },
  // From the pages about second factors of the authorization server.
  { value: 'setUpAuthenticatorApp', label: 'Authenticator app set up' },
  { value: 'removeAuthenticatorApp', label: 'Authenticator app removed' },
  { value: 'addPasskey', label: 'Passkey added' },
  { value: 'removePasskey', label: 'Passkey removed' },
  { value: 'createRecoveryCodes', label: 'Recovery codes replaced' },
  // From the documents address of the query service.
  { value: 'replaceDocuments', label: 'All documents replaced' },
  { value: 'deleteDocuments', label: 'Documents deleted' },
]
