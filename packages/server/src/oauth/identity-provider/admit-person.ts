/**
 * Decides which user a provider's person is, and gives them the roles that the workspace maps. Never takes over an account:
 * - A person is found by `sub` at this issuer for this workspace. Their address may change there; the user stays the same.
 * - A new `sub` is linked to the user with its verified address, unless another `sub` of the issuer is that user already.
 * - The sign-in opens this workspace only (library/provider-sign-in.ts), so linking gives no access to anything else of the user.
 */
import { isDeepStrictEqual } from 'node:util'
import type { GivenRights, Role } from '@querent/contract/manage'
import { defaultRolesClaim, readRoleMap } from '@querent/contract/provider-roles'
import type { IdentityProvider } from '@querent/contract/workspace-file'
import type { SignInLog } from '#authz/sign-in-log'
import { Problem } from '#errors'
import type { Log } from '#oauth/library/log'
import { recordAudit } from '#storage/audit'
import type { Db, Storage, Writer } from '#storage/db'
import {
  findIdentity,
  hasOtherIdentity,
  linkIdentity,
  type ProviderPerson,
  recordIdentityUse,
} from '#storage/identity-providers'
import { acceptInvitation, findOpenInvitation } from '#storage/invitations'
import { mayInvite, type WithdrawnAccess, withdrawAccess } from '#storage/inviter-rights'
import { findMember, removeMember, setGivenRights, setMember } from '#storage/members'
import { listProvedDomains } from '#storage/provider-domains'
import { createUser, findUser, findUserByEmail, type UserRow } from '#storage/users'
import type { WorkspaceRow } from '#storage/workspaces'
import { type Claims, mapRoles, type PersonFault, readPerson } from './claims.ts'
import { givesRights, readGivenRights, rightsClaims } from './given-rights.ts'

export type AdmissionFault = PersonFault | 'other-person' | 'no-access' | 'disabled'

export interface AdmissionDependencies {
  storage: Storage
  log: Log
  signInLog: Pick<SignInLog, 'record'>
}

interface Arrival {
  workspace: WorkspaceRow
  issuer: string
  claims: Claims & { sub: string }
  /** IP address of the browser. */
  address: string
  requestId: string
}

/** Returns the user, who may be a member or not. Nothing changes if there is a fault. */
export const admitPerson = async (
  deps: AdmissionDependencies,
  arrival: Arrival,
): Promise<UserRow | AdmissionFault> => {
  const { storage, log } = deps
  const { workspace, claims, issuer } = arrival
  const provider = workspace.definition.identityProvider
  if (!provider) return 'no-access'
  const person = readPerson(claims, provider, await listProvedDomains(storage.db, workspace.id))
  if (typeof person === 'string') {
    log.warn(
      {
        workspace: workspace.slug,
        issuer,
        requestId: arrival.requestId,
        fault: person,
        types: { email: typeof claims.email, email_verified: typeof claims.email_verified },
      },
      'the claims of an OpenID provider do not sign the person in',
    )
    return person
  }
  const roles = mapRoles(claims, provider)
  const identity = { workspaceId: workspace.id, issuer, subject: claims.sub }
  const admit = (writer: Writer) => admitOnce(writer, { ...arrival, identity, person, roles, provider })
  const user = await storage.write(admit).catch((error: unknown) => {
    if (error instanceof OtherPerson) return 'other-person' as const
    throw error
  })
  if (typeof user === 'string') return user
  await applyRoles({ storage, log }, arrival, user, roles)
  await applyGivenRights(deps, arrival, claims, user)
  return user
}

/**
 * Applies what the provider says later about a user whom it signed in. Claims that it leaves out say nothing unless `isComplete`. Returns why the
 * provider no longer admits the person, if so; then nothing changes.
 */
export const readmitPerson = async (
  deps: AdmissionDependencies,
  arrival: Omit<Arrival, 'claims'> & { subject: string; claims: Claims; isComplete: boolean },
  user: UserRow,
): Promise<AdmissionFault | undefined> => {
  const { workspace, issuer, subject, claims, isComplete } = arrival
  const provider = workspace.definition.identityProvider
  if (!provider) return 'no-access'
  const linkedId = await findIdentity(deps.storage.db, { workspaceId: workspace.id, issuer, subject })
  if (linkedId !== user.id) return 'other-person'
  if (isComplete || claims.email !== undefined) {
    // The address was verified at the sign-in.
    const provedDomains = await listProvedDomains(deps.storage.db, workspace.id)
    const person = readPerson(
      isComplete ? claims : { email_verified: true, ...claims },
      provider,
      provedDomains,
    )
    if (typeof person === 'string') return person
  }
  if (isComplete || claims[readRoleMap(provider)?.claim ?? defaultRolesClaim] !== undefined)
    await applyRoles(deps, arrival, user, mapRoles(claims, provider))
  // An answer without any of the claims was not about them.
  if (isComplete || ['_claim_names', ...rightsClaims(provider)].some(claim => claims[claim] !== undefined))
    await applyGivenRights(deps, arrival, claims, user)
  return undefined
}

/** Replaces the groups and attributes that the provider gave the member before. */
const applyGivenRights = async (
  { storage, signInLog }: AdmissionDependencies,
  { workspace, issuer, address, requestId }: Omit<Arrival, 'claims'>,
  claims: Claims,
  user: UserRow,
): Promise<void> => {
  const provider = workspace.definition.identityProvider
  if (!provider) return
  const { rights, faults } = givesRights(provider)
    ? readGivenRights(claims, provider)
    : { rights: undefined, faults: [] }
  const event = { kind: 'sign-in', method: 'provider', userId: user.id, workspaceId: workspace.id } as const
  for (const result of faults)
    signInLog.record({ ...event, result, address, userAgent: undefined, requestId })
  await storage.write(async writer => {
    const member = await findMember(writer.db, workspace.id, user.id)
    const previous = member?.given[provider.issuer]
    if (!member || isDeepStrictEqual(previous, rights)) return
    await setGivenRights(writer, member, provider.issuer, rights)
    await recordAudit(writer, {
      workspaceId: workspace.id,
      actor: user.id,
      byProvider: issuer,
      action: 'setMember',
      target: user.email,
      address,
      requestId,
      detail: { ...describeGiven(rights), before: describeGiven(previous), source: 'claim' },
    })
  })
}

/** Groups and names of attributes; their values may be many. */
const describeGiven = (rights: GivenRights | undefined) => ({
  groups: rights?.groups ?? [],
  attributes: Object.keys(rights?.attributes ?? {}),
})

const applyRoles = (
  { storage, log }: { storage: Storage; log: Log },
  arrival: Omit<Arrival, 'claims'>,
  user: UserRow,
  roles: Role[],
): Promise<void> =>
  storage
    .write(writer => updateMember(writer, arrival, user, roles))
    .catch((error: unknown) => {
      if (!(error instanceof Problem) || error.code !== 'conflict') throw error
      // They stay administrator: a workspace always has one.
      log.warn(
        { workspace: arrival.workspace.slug, subject: user.id },
        'the provider takes the role of the last administrator, who keeps it',
      )
    })

class OtherPerson extends Error {}

interface Decision {
  /** The user whom the person has been before. */
  linked?: UserRow
  /** The user with the address, whom the person becomes. Without either, a user is created. */
  existing?: UserRow | undefined
  invitedRoles: readonly Role[]
}

/** Decides who the person is here. Reads only. */
const decideAdmission = async (
  db: Db,
  {
    workspace,
    identity,
    person,
    roles,
  }: {
    workspace: WorkspaceRow
    identity: ProviderPerson
    person: { email: string }
    roles: readonly Role[]
  },
): Promise<Decision | 'disabled' | 'no-access'> => {
  const linkedId = await findIdentity(db, identity)
  const linked = linkedId === undefined ? undefined : await findUser(db, linkedId)
  const existing = linked ? undefined : await findUserByEmail(db, person.email)
  const user = linked ?? existing
  if (user?.disabled === 1) return 'disabled'
  const invitation = await findOpenInvitation(db, workspace.id, user?.email ?? person.email)
  const isInvited = invitation !== undefined && (await mayInvite(db, workspace.id, invitation.invitedBy))
  const invitedRoles = invitation && isInvited ? invitation.roles : []
  // No account for a person who can do nothing with it.
  if (!user && roles.length === 0 && !isInvited) return 'no-access'
  return { ...(linked && { linked }), existing, invitedRoles }
}

/** The result that a sign-in with some claims would have. */
export interface AdmissionPreview {
  fault?: AdmissionFault
  email?: string
  name?: string
  /** Whether a user would be created. */
  isNew?: boolean
  /** Roles in the workspace afterwards. */
  roles: readonly Role[]
}

/** Returns what a sign-in with these claims would do, and changes nothing. */
export const previewAdmission = async (
  db: Db,
  { workspace, claims, issuer }: Pick<Arrival, 'workspace' | 'claims' | 'issuer'>,
): Promise<AdmissionPreview> => {
  const provider = workspace.definition.identityProvider
  if (!provider) return { fault: 'no-access', roles: [] }
  const roles = mapRoles(claims, provider)
  const person = readPerson(claims, provider, await listProvedDomains(db, workspace.id))
  if (typeof person === 'string') return { fault: person, roles }
  const identity = { workspaceId: workspace.id, issuer, subject: claims.sub }
  const decision = await decideAdmission(db, { workspace, identity, person, roles })
  if (typeof decision === 'string') return { ...person, fault: decision, roles }
  const { linked, existing, invitedRoles } = decision
  if (existing && (await hasOtherIdentity(db, identity, existing.id)))
    return { ...person, fault: 'other-person', roles }
  const user = linked ?? existing
  const member = user && (await findMember(db, workspace.id, user.id))
  // Members whom an administrator added or invited are not the provider's to change.
  const laterRoles =
    member && !member.isFromProvider ? member.roles : invitedRoles.length > 0 ? invitedRoles : roles
  return {
    email: user?.email ?? person.email,
    name: user?.name ?? person.name,
    isNew: !user,
    roles: laterRoles,
    ...(laterRoles.length === 0 ? { fault: 'no-access' as const } : {}),
  }
}

const admitOnce = async (
  writer: Writer,
  {
    workspace,
    identity,
    person,
    roles,
  }: Arrival & {
    identity: ProviderPerson
    person: { email: string; name: string }
    roles: readonly Role[]
    provider: IdentityProvider
  },
): Promise<UserRow | AdmissionFault> => {
  const decision = await decideAdmission(writer.db, { workspace, identity, person, roles })
  if (typeof decision === 'string') return decision
  const { linked, existing } = decision
  if (linked) {
    await recordIdentityUse(writer, identity)
    return linked
  }
  const user = existing ?? (await createUser(writer, person))
  // Created at the same moment on another node: the whole transaction is tried again by the person.
  if (!user || !(await linkIdentity(writer, identity, user.id))) throw new OtherPerson()
  return user
}

/** Makes the person a member, changes the roles of one whom the provider made a member, or removes them. */
const updateMember = async (
  writer: Writer,
  { workspace, issuer, address, requestId }: Omit<Arrival, 'claims'>,
  user: UserRow,
  roles: Role[],
): Promise<void> => {
  const { db } = writer
  const workspaceId = workspace.id
  const audit = (action: string, detail: Record<string, unknown> = {}) =>
    recordAudit(writer, {
      workspaceId,
      actor: user.id,
      byProvider: issuer,
      action,
      target: user.email,
      address,
      requestId,
      detail,
    })
  const invitation = await findOpenInvitation(db, workspaceId, user.email)
  // The provider vouches for the address, as a mailed link would.
  if (invitation && (await acceptInvitation(writer, invitation.id, user.id)))
    await audit('acceptInvitation', {
      invitedBy: (await findUser(db, invitation.invitedBy))?.email ?? invitation.invitedBy,
    })
  const member = await findMember(db, workspaceId, user.id)
  if (!member && roles.length > 0) {
    await setMember(writer, {
      workspaceId,
      subject: user.id,
      kind: 'user',
      roles,
      filter: undefined,
      isFromProvider: true,
    })
    await audit('setMember', { roles, source: 'claim' })
    return
  }
  // Members whom an administrator added or invited are not the provider's to change.
  if (!member?.isFromProvider) return
  if (roles.length === 0) {
    await removeMember(writer, workspaceId, user.id)
    await audit('removeMember', describeWithdrawn(await withdrawAccess(writer, user.id, workspaceId)))
  } else if (!isSameSet(member.roles, roles)) {
    await setMember(writer, { ...member, roles })
    const withdrawn = describeWithdrawn(await withdrawAccess(writer, user.id, workspaceId))
    await audit('setMember', { roles, before: { roles: member.roles }, ...withdrawn, source: 'claim' })
  }
}

/** Detail of an audit entry. */
const describeWithdrawn = (withdrawn: WithdrawnAccess | undefined) => (withdrawn ? { withdrawn } : {})

const isSameSet = (a: readonly Role[], b: readonly Role[]): boolean =>
  a.length === b.length && a.every(role => b.includes(role))
