/** Invitations to a workspace. */
import { Role } from '#roles'
import { type Static, Type } from '#schema'
import { describeMailOutcome, Email, invitationMail, Timestamp } from './fields.ts'
import { closed, inWorkspace, list, type Operations, Page, WorkspaceParams } from './operation.ts'
import { membershipRights } from './rights.ts'
import { RowFilter } from './row-filter.ts'

const invited = {
  id: Type.String(),
  email: Email,
  roles: Type.Array(Role),
  filter: Type.Optional(RowFilter),
  ...membershipRights,
  expiresAt: Timestamp,
}

/** An invitation with its link, which is only shown once. */
export const NewInvitation = Type.Object({
  ...invited,
  url: Type.String({ description: 'One-time link for this person; only shown once' }),
  mailed: Type.Boolean({
    description: 'Whether the mail server accepted it; `mail` says why not',
  }),
  mail: describeMailOutcome(
    '`none`: no mail was wanted, or there is no mail server. Send the link yourself except for `accepted`',
  ),
})
export type NewInvitation = Static<typeof NewInvitation>

export const Invitation = Type.Object({
  ...invited,
  invitedBy: Type.Union([Email, Type.Null()], { description: 'null: a user who has been removed' }),
  createdAt: Timestamp,
  expired: Type.Boolean(),
})
export type Invitation = Static<typeof Invitation>

export const WithdrawnInvitation = Type.Object({ workspace: Type.String(), email: Email })
export const WithdrawnRegistrationToken = Type.Object({ workspace: Type.String(), name: Type.String() })

/** Invitations and registration tokens that end because their author may no longer give them. */
export const WithdrawnAccess = Type.Object(
  {
    invitations: Type.Array(WithdrawnInvitation),
    registrationTokens: Type.Array(WithdrawnRegistrationToken),
  },
  { description: 'Open invitations and registration tokens of this person, which no longer work' },
)
export type WithdrawnAccess = Static<typeof WithdrawnAccess>

/** Reply to a removal that withdrew something. */
export const Withdrawal = Type.Object({ withdrawn: WithdrawnAccess })
export type Withdrawal = Static<typeof Withdrawal>

export const invitationOperations = {
  inviteMember: {
    id: 'inviteMember',
    method: 'POST',
    path: '/workspaces/{workspace}/invitations',
    permission: 'administer',
    summary: 'Invite a person by e-mail address; valid once, for 7 days; replaces an earlier invitation',
    params: WorkspaceParams,
    input: Type.Object(
      {
        email: Email,
        roles: Type.Array(Role, { minItems: 1, uniqueItems: true }),
        filter: Type.Optional(RowFilter),
        ...membershipRights,
        ...invitationMail,
      },
      closed,
    ),
    status: 201,
    reply: NewInvitation,
  },
  listInvitations: {
    id: 'listInvitations',
    method: 'GET',
    path: '/workspaces/{workspace}/invitations',
    permission: 'administer',
    summary: 'List open invitations by e-mail address',
    params: WorkspaceParams,
    query: Page,
    status: 200,
    reply: Type.Object({
      ...list(Invitation).properties,
      canMail: Type.Boolean({
        description: 'Whether the server mails invitations; false: hand the links out',
      }),
    }),
  },
  withdrawInvitation: {
    id: 'withdrawInvitation',
    method: 'DELETE',
    path: '/workspaces/{workspace}/invitations/{invitationId}',
    permission: 'administer',
    summary: 'Revoke an invitation; takes effect immediately',
    params: Type.Object({ ...inWorkspace, invitationId: Type.String({ minLength: 1, maxLength: 100 }) }),
    status: 204,
  },
} as const satisfies Operations
