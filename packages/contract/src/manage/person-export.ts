/** The export of all data about a person. */
import { Role } from '#roles'
import { type Static, Type } from '#schema'
import { Consent, PendingEmail, Session } from './account.ts'
import { Timestamp } from './fields.ts'
import type { Operations } from './operation.ts'
import { givenBySource, membershipRights } from './rights.ts'
import { RowFilter } from './row-filter.ts'
import { SecondFactors } from './second-factors.ts'
import { SignInEntry } from './sign-ins.ts'
import { User, UserParams } from './users.ts'

/** A person's account in the export. */
export const ExportedUser = Type.Object({
  ...User.properties,
  hasPassword: Type.Boolean(),
  language: Type.Union([Type.String(), Type.Null()], { description: 'Language that the person last used' }),
  pendingEmail: Type.Union([PendingEmail, Type.Null()]),
})

export const ExportedIdentity = Type.Object({
  workspace: Type.String(),
  issuer: Type.String({ description: 'OpenID provider of the workspace' }),
  subject: Type.String({ description: '`sub` of the person there' }),
  since: Timestamp,
  lastUsedAt: Timestamp,
})

export const ExportedMembership = Type.Object({
  workspace: Type.String(),
  roles: Type.Array(Role),
  filter: Type.Optional(RowFilter),
  ...membershipRights,
  given: givenBySource,
  createdAt: Timestamp,
})

export const ExportedInvitation = Type.Object({
  workspace: Type.String(),
  roles: Type.Array(Role),
  state: Type.String({ description: 'open, accepted, withdrawn or expired' }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
})

export const ExportedSession = Type.Omit(Session, ['current'])

export const ExportedUsage = Type.Object({
  workspace: Type.String(),
  day: Type.String({ description: 'Date, UTC' }),
  api: Type.String(),
  endpoint: Type.String(),
  queries: Type.Integer(),
  failed: Type.Integer(),
})

export const ExportedImport = Type.Object({
  workspace: Type.String(),
  collection: Type.String(),
  name: Type.String(),
  state: Type.String(),
  at: Timestamp,
})

export const ExportedRefusal = Type.Object({
  requestId: Type.String(),
  at: Timestamp,
  status: Type.Integer(),
  path: Type.String(),
})

export const ExportedAuditEntry = Type.Object({
  at: Timestamp,
  action: Type.String(),
  target: Type.String(),
  by: Type.Union([Type.Literal('them'), Type.Literal('others')]),
  address: Type.Optional(Type.String({ description: 'IP address, if the person acted' })),
  workspace: Type.Union([Type.String(), Type.Null()]),
})

/** All stored data about a person. */
export const PersonExport = Type.Object({
  user: ExportedUser,
  factors: SecondFactors,
  identities: Type.Array(ExportedIdentity, {
    description: 'Who the person is at OpenID providers of workspaces',
  }),
  memberships: Type.Array(ExportedMembership),
  invitations: Type.Array(ExportedInvitation),
  sessions: Type.Array(ExportedSession),
  consents: Type.Array(Consent),
  signIns: Type.Array(SignInEntry, {
    description: 'Sign-ins, and failed attempts on the account; newest first, at most 10,000',
  }),
  usage: Type.Array(ExportedUsage, {
    description: 'Number of their queries by day, API and endpoint; newest first, at most 10,000',
  }),
  imports: Type.Array(ExportedImport, {
    description: 'Named imports that the person started; at most 10,000',
  }),
  refusals: Type.Array(ExportedRefusal, {
    description: 'Their rejected requests of the last 24 hours',
  }),
  audit: Type.Array(ExportedAuditEntry, {
    description: 'Actions by the person and on the person; newest first, at most 10,000',
  }),
})
export type PersonExport = Static<typeof PersonExport>

export const personExportOperations = {
  exportUser: {
    id: 'exportUser',
    method: 'GET',
    path: '/users/{email}/export',
    permission: 'operator',
    recentSignIn: 'own-account',
    summary: 'Export all stored data about a person',
    params: UserParams,
    status: 200,
    reply: PersonExport,
  },
  exportMe: {
    id: 'exportMe',
    method: 'GET',
    path: '/me/export',
    permission: 'account',
    recentSignIn: 'always',
    summary: 'Export all stored data about you',
    status: 200,
    reply: PersonExport,
  },
} as const satisfies Operations
