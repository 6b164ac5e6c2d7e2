/** Labels of the actions in the audit log, in the past tense. */
import type { OperationId, operations } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'

/** Operations that send a body and change nothing, which have no entries. */
type ReadingId = 'proposeCollection' | 'runLeakTests'
type WritingId = {
  [Id in OperationId]: (typeof operations)[Id]['method'] extends 'GET' ? never : Exclude<Id, ReadingId>
}[OperationId]

const pastTense: Readonly<Record<WritingId, string>> = {
  createUser: t('User created'),
  updateUser: t('User disabled or enabled'),
  removeUser: t('User deleted'),
  resetPassword: t('Password reset link created'),
  removeFactors: t('Second factors removed'),
  rotateKeys: t('Signing keys published'),
  withdrawKey: t('Signing key revoked'),
  makeBackup: t('Backup created'),
  downloadBackup: t('Backup downloaded'),
  sendTestMail: t('Test mail sent'),
  updateMe: t('Name or language changed'),
  changeEmail: t('Change of e-mail address requested'),
  cancelEmailChange: t('Change of e-mail address canceled'),
  deleteMe: t('Own account deleted'),
  endMyOtherSessions: t('Signed out everywhere else'),
  changePassword: t('Password changed'),
  endMySession: t('Session signed out'),
  withdrawMyConsent: t('Consent revoked'),
  applyWorkspaceFile: t('Workspace file applied'),
  removeWorkspace: t('Workspace deleted'),
  promoteGeneration: t('Generation promoted'),
  rollBackGeneration: t('Generation rolled back'),
  updateSettings: t('Settings updated'),
  setMember: t('Member updated'),
  removeMember: t('Member removed'),
  setGroup: t('Group updated'),
  removeGroup: t('Group deleted'),
  setMemberDefaults: t('Defaults of members updated'),
  inviteMember: t('Person invited'),
  withdrawInvitation: t('Invitation revoked'),
  createSystemToSystem: t('System-to-System account created'),
  updateSystemToSystem: t('System-to-System account updated'),
  removeSystemToSystem: t('System-to-System account deleted'),
  addSecret: t('Client Secret created'),
  removeSecret: t('Client Secret deleted'),
  createApplication: t('Application registered'),
  updateApplication: t('Application updated'),
  removeApplication: t('Application deleted'),
  createRegistrationToken: t('Registration token created'),
  removeRegistrationToken: t('Registration token deleted'),
  setIdentityProviderSecret: t('Client secret of the identity provider set'),
  checkProviderDomain: t('Domain of the identity provider looked up'),
  sendProviderDomainLink: t('Link for a domain of the identity provider sent'),
  proveProviderDomain: t('Domain of the identity provider proved by an operator'),
  removeIdentityProviderSecret: t('Client secret of the identity provider deleted'),
  inspectToken: t('Token checked'),
}

export const actions = [
  ...Object.entries(pastTense).map(([value, label]) => ({ value, label })),
  // From the authorization server's /oauth/register.
  { value: 'registerApplication', label: t('Application registered itself') },
  // From the invitation page of the authorization server.
  { value: 'acceptInvitation', label: t('Invitation accepted') },
  // From the page that confirms a new address.
  { value: 'confirmEmail', label: t('E-mail address changed') },
  {
    value: 'confirmProviderDomain',
    label: t('Domain of the identity provider confirmed by its postmaster'),
  },
  // From the pages about second factors of the authorization server.
  { value: 'setUpAuthenticatorApp', label: t('Authenticator app set up') },
  { value: 'removeAuthenticatorApp', label: t('Authenticator app removed') },
  { value: 'addPasskey', label: t('Passkey added') },
  { value: 'renamePasskey', label: t('Passkey renamed') },
  { value: 'removePasskey', label: t('Passkey removed') },
  { value: 'createRecoveryCodes', label: t('Recovery codes replaced') },
  // From the documents address of the query service.
  { value: 'replaceDocuments', label: t('All documents replaced') },
  { value: 'importDocuments', label: t('Documents imported') },
  { value: 'saveDocument', label: t('Document saved') },
  { value: 'deleteDocuments', label: t('Documents deleted') },
]
