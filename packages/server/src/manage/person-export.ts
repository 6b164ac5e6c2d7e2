/** All that is kept about a person, for whoever asks what that is (GDPR, article 15). */
import type { PersonExport } from '@querent/contract/manage'
import { listAuditAbout } from '#storage/audit'
import { listGrantsOf } from '#storage/grants'
import { listInvitationsTo } from '#storage/invitations'
import { listMembershipsOf } from '#storage/members'
import { listRefusalsOf } from '#storage/refusals'
import { listSessionsOf } from '#storage/sessions'
import { findWorkspaceById } from '#storage/workspaces'
import { audit, type Handler, timestamp } from './call.ts'
import { describeConsents, describeSession } from './signed-in.ts'
import { describeUser, knownUser } from './users.ts'

const auditEntriesMax = 10_000

export const personExportHandlers = {
  exportUser: async (deps, call): Promise<PersonExport> => {
    const { db } = deps.storage
    const user = await knownUser(db, call.params.email)
    await deps.storage.write(writer => audit(writer, call, { target: user.email }))
    // Of the last moments too.
    await deps.refusalLog.flush()
    const slugs = new Map<string, string>()
    const slugOf = async (workspaceId: string): Promise<string> => {
      const slug = slugs.get(workspaceId) ?? (await findWorkspaceById(db, workspaceId))?.slug ?? workspaceId
      slugs.set(workspaceId, slug)
      return slug
    }
    const [memberships, invitations, sessions, grants, refusals, entries] = await Promise.all([
      listMembershipsOf(db, user.id),
      listInvitationsTo(db, user.email),
      listSessionsOf(db, user.id),
      listGrantsOf(db, user.id),
      listRefusalsOf(db, user.id),
      listAuditAbout(db, { userId: user.id, email: user.email }, auditEntriesMax),
    ])
    return {
      user: {
        ...describeUser(user),
        hasPassword: user.password_hash !== null,
        emailVerified: user.email_verified === 1,
        language: user.language,
      },
      memberships: await Promise.all(
        memberships.map(async row => ({
          workspace: await slugOf(row.workspaceId),
          roles: row.roles,
          ...(row.filter ? { filter: row.filter } : {}),
          createdAt: timestamp(row.createdAt),
        })),
      ),
      invitations: await Promise.all(
        invitations.map(async row => ({
          workspace: await slugOf(row.workspaceId),
          roles: row.roles,
          state: row.state,
          createdAt: timestamp(row.createdAt),
          expiresAt: timestamp(row.expiresAt),
        })),
      ),
      sessions: await Promise.all(sessions.map(row => describeSession(deps, row))),
      consents: await describeConsents(deps, grants),
      refusals: refusals.map(({ request_id, at, status, path }) => ({
        requestId: request_id,
        at: timestamp(at),
        status,
        path,
      })),
      audit: await Promise.all(
        entries.map(async entry => {
          const isTheirs = entry.actor === user.id
          return {
            at: timestamp(entry.at),
            action: entry.action,
            target: entry.target,
            by: isTheirs ? ('them' as const) : ('others' as const),
            // Where others were is theirs to know.
            ...(isTheirs ? { address: entry.address } : {}),
            workspace: entry.workspace_id === null ? null : await slugOf(entry.workspace_id),
          }
        }),
      ),
    }
  },
} satisfies { exportUser: Handler<'exportUser'> }
