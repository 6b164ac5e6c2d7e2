/** What the audit log tells of, in a few words each. */
import { type OperationId, operations } from '@querent/contract/manage'

/** Those whose summary says more than a list has room for. */
const pastTense: { readonly [id in OperationId]?: string } = {
  removeUser: 'Remove a user',
  resetPassword: 'Make a link for a new password',
  rotateKeys: 'Publish new signing keys',
  withdrawKey: 'Withdraw a signing key',
  makeBackup: 'Make a backup',
  endMySession: 'Sign out a session',
  withdrawMyConsent: 'Withdraw a consent',
  applyWorkspaceFile: 'Apply a workspace file',
  removeWorkspace: 'Remove a workspace',
  promoteGeneration: 'Promote a generation',
  rollBackGeneration: 'Roll back a generation',
  updateSettings: 'Change settings',
  setMember: 'Add or change a member',
  inviteMember: 'Invite a person',
  updateUser: 'Disable or enable a user',
  updateSystemToSystem: 'Change a System-to-System account',
  addSecret: 'Make a Client Secret',
  updateApplication: 'Change an application',
  removeApplication: 'Remove an application',
}

/** In the order of the contract. Operations that read leave no trace. */
export const actions = [
  ...Object.values(operations)
    .filter(({ method }) => method !== 'GET')
    .map(({ id, summary }) => ({ value: id, label: pastTense[id] ?? summary.split(';')[0] ?? id })),
  // On the page of the authorization server that an invitation leads to.
  { value: 'acceptInvitation', label: 'Accept an invitation' },
  // At the documents address of the query service.
  { value: 'replaceDocuments', label: 'Replace all documents' },
  { value: 'deleteDocuments', label: 'Delete documents' },
]
