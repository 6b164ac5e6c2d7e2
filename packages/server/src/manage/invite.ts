/** Decides who becomes a member at once and who is invited first. */
import { canonicalEmail } from '@querent/contract/email-address'
import type { MembershipRights, NewInvitation, Role, RowFilter } from '@querent/contract/manage'
import { mailTemplates } from '#accounts/mail-templates'
import type { Principal } from '#authz/principal'
import { Problem } from '#errors'
import type { Language } from '#languages/languages'
import type { Writer } from '#storage/db'
import { createInvitation, mailWaitMs } from '#storage/invitations'
import { displayName, type UserRow } from '#storage/users'
import { type ManagementDependencies, timestamp } from './call.ts'
import { sendForReply } from './mail-for-reply.ts'

/**
 * Whether this person becomes a member without an invitation: their address is confirmed, or they add
 * themselves. Otherwise anybody could own the account, because the link shown to the inviter registers one.
 */
export const mayJoinDirectly = (user: UserRow | undefined, { subject }: Principal): user is UserRow =>
  user !== undefined && (user.email_verified === 1 || user.id === subject)

interface InvitationInput {
  workspaceId: string
  email: string
  roles: Role[]
  filter: RowFilter | undefined
  rights?: MembershipRights | undefined
  /** Id of the user who invites. */
  invitedBy: string
}

/** A stored invitation, to be mailed and shown after the commit. */
export interface StoredInvitation extends Omit<InvitationInput, 'workspaceId' | 'invitedBy'> {
  id: string
  token: string
  mailedToken: string
  expiresAt: number
  byMail: boolean
  /** The address or the workspace has had too many mails. */
  isLimited: boolean
}

/**
 * Stores an invitation, which replaces an earlier one. `mail`: with `required`, throws 429
 * `too-many-requests` if the address or the workspace has had too many mails; with `optional`, skips the mail
 * then; with `none`, sends none. Without a mail server nothing is counted.
 */
export const storeInvitation = async (
  writer: Writer,
  {
    mail: { isAvailable: available },
    invitationThrottle,
  }: Pick<ManagementDependencies, 'mail' | 'invitationThrottle'>,
  invited: InvitationInput,
  mail: 'required' | 'optional' | 'none',
): Promise<StoredInvitation> => {
  const email = canonicalEmail(invited.email)
  const wantsMail = available && mail !== 'none'
  const waitMs =
    wantsMail && invitationThrottle !== 'off' ? await mailWaitMs(writer.db, invited, invitationThrottle) : 0
  if (waitMs > 0 && mail === 'required') throw tooManyMails(email, waitMs)
  const byMail = wantsMail && waitMs === 0
  const { roles, filter, rights } = invited
  const isLimited = waitMs > 0
  return {
    email,
    roles,
    filter,
    rights,
    byMail,
    isLimited,
    ...(await createInvitation(writer, { ...invited, email, byMail })),
  }
}

const tooManyMails = (email: string, waitMs: number): Problem => {
  const seconds = Math.ceil(waitMs / 1000)
  return new Problem(
    'too-many-requests',
    `too many invitations were mailed to ${email} or by this workspace: try again in ${Math.ceil(seconds / 60)} minutes, or invite without a mail ("mail": false, --no-mail) and hand the link over`,
    { headers: { 'retry-after': String(seconds) } },
  )
}

/** Mails a committed invitation and returns it with the link to hand over. */
export const sendInvitation = async (
  { mail, authUrl, directory }: Pick<ManagementDependencies, 'mail' | 'authUrl' | 'directory'>,
  invitation: StoredInvitation,
  {
    workspaceTitle,
    invitedBy,
    language = 'en',
    requestId,
  }: { workspaceTitle: string; invitedBy: string; language?: Language | undefined; requestId: string },
): Promise<NewInvitation> => {
  const { id, email, roles, filter, rights, expiresAt, token, mailedToken, byMail, isLimited } = invitation
  const buildLink = (secret: string) => `${authUrl}/invitation/${secret}`
  const user = byMail ? await directory.user(invitedBy) : undefined
  const facts = {
    workspace: workspaceTitle,
    inviter: user ? displayName(user) : '',
    url: buildLink(mailedToken),
    expiresAt,
  }
  const content = {
    ...mailTemplates(language).invitation(facts),
    sender: workspaceTitle,
    link: { kind: 'invitation' as const, token: mailedToken },
  }
  const outcome = byMail ? await sendForReply(mail, { to: email, requestId, ...content }) : 'none'
  const summary = {
    id,
    email,
    roles,
    ...(filter ? { filter } : {}),
    ...rights,
    expiresAt: timestamp(expiresAt),
  }
  return {
    ...summary,
    url: buildLink(token),
    mailed: outcome === 'accepted',
    mail: isLimited ? 'limited' : outcome,
  }
}
