/**
 * The management API, `{auth_url}/manage/v1`: one row for each operation. The server's routes, its OpenAPI document, the client's
 * functions and the tests of permissions all use this table. `manage/` has the rows and schemas by subject.
 */
import { accountOperations } from './manage/account.ts'
import { applicationOperations } from './manage/applications.ts'
import { auditOperations } from './manage/audit.ts'
import { collectionOperations } from './manage/collections.ts'
import { documentAccessOperations } from './manage/document-access.ts'
import { groupOperations } from './manage/groups.ts'
import { historyOperations } from './manage/history.ts'
import { identityProviderOperations } from './manage/identity-provider.ts'
import { invitationOperations } from './manage/invitations.ts'
import { leakTestOperations } from './manage/leak-tests.ts'
import { liveRequestOperations } from './manage/live-requests.ts'
import { memberOperations } from './manage/members.ts'
import type { Operation } from './manage/operation.ts'
import { personExportOperations } from './manage/person-export.ts'
import { refusalOperations } from './manage/refusals.ts'
import { registrationTokenOperations } from './manage/registration-tokens.ts'
import { secondFactorOperations } from './manage/second-factors.ts'
import { serverOperations } from './manage/server.ts'
import { signInOperations } from './manage/sign-ins.ts'
import { systemToSystemOperations } from './manage/system-to-system.ts'
import { usageOperations } from './manage/usage.ts'
import { userOperations } from './manage/users.ts'
import { workspaceOperations } from './manage/workspaces.ts'
import type { Static, TSchema } from './schema.ts'

export * from './manage/account.ts'
export * from './manage/applications.ts'
export * from './manage/audit.ts'
export * from './manage/collections.ts'
export * from './manage/document-access.ts'
export {
  assertionAlgorithms,
  Email,
  MailLanguage,
  Party,
  PublicKeys,
  slugPattern,
} from './manage/fields.ts'
export * from './manage/groups.ts'
export * from './manage/history.ts'
export * from './manage/identity-provider.ts'
export * from './manage/invitations.ts'
export * from './manage/leak-tests.ts'
export * from './manage/live-requests.ts'
export * from './manage/members.ts'
export type { Operation } from './manage/operation.ts'
export * from './manage/person-export.ts'
export * from './manage/refusals.ts'
export * from './manage/registration-tokens.ts'
export * from './manage/rights.ts'
export * from './manage/row-filter.ts'
export * from './manage/second-factors.ts'
export * from './manage/server.ts'
export * from './manage/sign-ins.ts'
export * from './manage/system-to-system.ts'
export * from './manage/usage.ts'
export * from './manage/users.ts'
export * from './manage/workspaces.ts'
export { type Permission, Role, SystemRole } from './roles.ts'

/** Operations by subject. */
export const operationGroups = {
  Users: userOperations,
  'Personal data': personExportOperations,
  Server: serverOperations,
  Account: accountOperations,
  'Second factors': secondFactorOperations,
  Workspaces: workspaceOperations,
  Collections: collectionOperations,
  'Audit log': auditOperations,
  'Sign-in log': signInOperations,
  Members: memberOperations,
  Groups: groupOperations,
  'Access to documents': documentAccessOperations,
  'Leak tests': leakTestOperations,
  History: historyOperations,
  Invitations: invitationOperations,
  'System-to-System accounts': systemToSystemOperations,
  Applications: applicationOperations,
  'Identity provider': identityProviderOperations,
  'Registration tokens': registrationTokenOperations,
  Usage: { ...usageOperations, ...liveRequestOperations },
  Refusals: refusalOperations,
}

export const operations = {
  ...userOperations,
  ...personExportOperations,
  ...secondFactorOperations,
  ...serverOperations,
  ...accountOperations,
  ...secondFactorOperations,
  ...workspaceOperations,
  ...collectionOperations,
  ...auditOperations,
  ...signInOperations,
  ...memberOperations,
  ...groupOperations,
  ...documentAccessOperations,
  ...leakTestOperations,
  ...historyOperations,
  ...invitationOperations,
  ...systemToSystemOperations,
  ...applicationOperations,
  ...identityProviderOperations,
  ...registrationTokenOperations,
  ...usageOperations,
  ...liveRequestOperations,
  ...refusalOperations,
}

export type OperationId = keyof typeof operations
type Part<Id extends OperationId, Key extends keyof Operation> = (typeof operations)[Id] extends {
  [K in Key]: infer S extends TSchema
}
  ? Static<S>
  : undefined
export type OperationParams<Id extends OperationId> = Part<Id, 'params'>
export type OperationQuery<Id extends OperationId> = Part<Id, 'query'>
export type OperationInput<Id extends OperationId> = Part<Id, 'input'>
/** Body of 202, for operations that have one. */
export type AcceptedReply<Id extends OperationId> = (typeof operations)[Id] extends {
  acceptedReply: infer S extends TSchema
}
  ? Static<S>
  : never
/** Body of 200 instead of 204, for operations that have one. */
export type NoticeReply<Id extends OperationId> = (typeof operations)[Id] extends {
  noticeReply: infer S extends TSchema
}
  ? Static<S>
  : never
export type OperationReply<Id extends OperationId> = Part<Id, 'reply'> | AcceptedReply<Id> | NoticeReply<Id>
