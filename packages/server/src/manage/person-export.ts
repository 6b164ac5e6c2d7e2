/** Exports all data about a person (GDPR, article 15). */
import type { PersonExport } from '@querent/contract/manage'
import { listAuditAbout } from '#storage/audit'
import { listUserGrants } from '#storage/grants'
import { listIdentities } from '#storage/identity-providers'
import { listAccountImports } from '#storage/imports'
import { listInvitationsTo } from '#storage/invitations'
import { listMemberships } from '#storage/members'
import { listAccountRefusals } from '#storage/refusals'
import { findSecondFactors } from '#storage/second-factors'
import { listUserSessions } from '#storage/sessions'
import { listSignIns } from '#storage/sign-in-log'
import { dayMs, listAccountUsage } from '#storage/usage'
import type { UserRow } from '#storage/users'
import { findWorkspaceById } from '#storage/workspaces'
import { findPendingEmail, requirePerson } from './account.ts'
import { audit, type Handler, type ManagementDependencies, timestamp } from './call.ts'
import { requireRecentSignInForOwnAccount } from './recent-sign-in.ts'
import { describeFactors } from './second-factors.ts'
import { describeConsents, describeSession } from './session-view.ts'
import { describeSignIns } from './sign-ins.ts'
import { describeUser, requireUser } from './users.ts'

const auditEntriesMax = 10_000
const signInsMax = 10_000

export const personExportHandlers = {
  exportUser: async (deps, call) => {
    const user = await requireUser(deps.storage.db, call.params.email)
    await requireRecentSignInForOwnAccount(deps, call, user)
    await deps.storage.write(writer => audit(writer, call, { target: user.email }))
    return exportPerson(deps, user)
  },

  exportMe: async (deps, call) => {
    const user = await requirePerson(deps, call)
    await deps.storage.write(writer => audit(writer, call, { target: user.email }))
    deps.securityNotices.send({ ...user, requestId: call.origin.requestId }, { kind: 'data-exported' })
    return exportPerson(deps, user)
  },
} satisfies { [Id in 'exportUser' | 'exportMe']: Handler<Id> }

const exportPerson = async (deps: ManagementDependencies, user: UserRow): Promise<PersonExport> => {
  const { db, logs } = deps.storage
  // Include what happened in the last moments.
  await Promise.all([deps.refusalLog.flush(), deps.signInLog.flush(), deps.usageLog.flush()])
  const slugs = new Map<string, string>()
  const findSlug = async (workspaceId: string): Promise<string> => {
    const slug = slugs.get(workspaceId) ?? (await findWorkspaceById(db, workspaceId))?.slug ?? workspaceId
    slugs.set(workspaceId, slug)
    return slug
  }
  const [
    factors,
    identities,
    memberships,
    invitations,
    sessions,
    grants,
    signIns,
    usage,
    imports,
    refusals,
    entries,
  ] = await Promise.all([
    findSecondFactors(db, user.id),
    listIdentities(db, user.id),
    listMemberships(db, user.id),
    listInvitationsTo(db, user.email),
    listUserSessions(db, user.id),
    listUserGrants(db, user.id),
    listSignIns(logs, { scope: { userId: user.id }, count: signInsMax }),
    listAccountUsage(db, user.id),
    listAccountImports(db, user.id),
    listAccountRefusals(db, user.id),
    listAuditAbout(logs, { userId: user.id, email: user.email }, auditEntriesMax),
  ])
  return {
    user: {
      ...describeUser(user),
      hasPassword: user.password_hash !== null,
      language: user.language,
      pendingEmail: await findPendingEmail(db, user.id),
    },
    factors: describeFactors(factors),
    identities: await Promise.all(
      identities.map(async row => ({
        workspace: await findSlug(row.workspaceId),
        issuer: row.issuer,
        subject: row.subject,
        since: timestamp(row.createdAt),
        lastUsedAt: timestamp(row.lastUsedAt),
      })),
    ),
    memberships: await describeMemberships(memberships, findSlug),
    invitations: await Promise.all(
      invitations.map(async row => ({
        workspace: await findSlug(row.workspaceId),
        roles: row.roles,
        state: row.state,
        createdAt: timestamp(row.createdAt),
        expiresAt: timestamp(row.expiresAt),
      })),
    ),
    sessions: await Promise.all(sessions.map(row => describeSession(deps, row))),
    consents: await describeConsents(deps, grants),
    signIns: await describeSignIns(db, signIns),
    usage: await describeUsage(usage, findSlug),
    imports: await describeImports(imports, findSlug),
    refusals: refusals.map(({ request_id, at, status, path }) => ({
      requestId: request_id,
      at: timestamp(at),
      status,
      path,
    })),
    audit: await describeEntries(entries, user, findSlug),
  }
}

type Rows<List extends (...parameters: never[]) => Promise<unknown>> = Awaited<ReturnType<List>>
type FindSlug = (workspaceId: string) => Promise<string>

const describeMemberships = (memberships: Rows<typeof listMemberships>, findSlug: FindSlug) =>
  Promise.all(
    memberships.map(async row => ({
      workspace: await findSlug(row.workspaceId),
      roles: row.roles,
      ...(row.filter ? { filter: row.filter } : {}),
      ...row.rights,
      ...(Object.keys(row.given).length > 0 ? { given: { ...row.given } } : {}),
      createdAt: timestamp(row.createdAt),
    })),
  )

const describeUsage = (usage: Rows<typeof listAccountUsage>, findSlug: FindSlug) =>
  Promise.all(
    usage.map(async ({ workspace_id, day, api, endpoint, queries, failed }) => ({
      workspace: await findSlug(workspace_id),
      day: timestamp(day * dayMs).slice(0, 'YYYY-MM-DD'.length),
      api,
      endpoint,
      queries,
      failed,
    })),
  )

const describeImports = (imports: Rows<typeof listAccountImports>, findSlug: FindSlug) =>
  Promise.all(
    imports.map(async ({ workspace_id, collection, name, state, at }) => ({
      workspace: await findSlug(workspace_id),
      collection,
      name,
      state,
      at: timestamp(at),
    })),
  )

const describeEntries = (entries: Rows<typeof listAuditAbout>, user: UserRow, findSlug: FindSlug) =>
  Promise.all(
    entries.map(async entry => {
      const isTheirs = entry.actor === user.id
      return {
        at: timestamp(entry.at),
        action: entry.action,
        target: entry.target,
        by: isTheirs ? ('them' as const) : ('others' as const),
        // Addresses of other people are not this person's data.
        ...(isTheirs ? { address: entry.address } : {}),
        workspace: entry.workspace_id === null ? null : await findSlug(entry.workspace_id),
      }
    }),
  )
