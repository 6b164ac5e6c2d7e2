/**
 * Rechecks the caller when their request takes effect. Their body may have taken a minute to arrive, during
 * which their account may have been removed or disabled.
 */
import type { Operation } from '@querent/contract/manage'
import type { FastifyRequest } from 'fastify'
import { Problem } from '#errors'
import type { Storage, Writer } from '#storage/db'
import { type AccessLookups, createStoredLookups } from '#storage/directory'
import { lockWorkspaceById } from '#storage/workspaces'
import { type Admission, recheckAdmission } from './admit.ts'
import type { ManagementDependencies } from './call.ts'

export interface CallerCheck {
  /** Storage whose transactions fail if the caller is no longer authorized. */
  storage: Storage
  /**
   * The same for a transaction begun elsewhere. Call it before the transaction ends; a second call does
   * nothing. Throws 401, 403 or 404, also if the account ends on another node just before the commit.
   */
  recheckCaller(writer: Writer): Promise<void>
  /**
   * Returns the error for a failed operation: the authorization error if the caller is no longer authorized,
   * otherwise `error`.
   */
  explain(error: unknown): Promise<unknown>
}

export const openCallerCheck = (
  deps: ManagementDependencies,
  operation: Operation,
  request: FastifyRequest,
  admission: Admission,
): CallerCheck => {
  const { storage } = deps
  const { workspace, principal } = admission
  const recheck = (lookups: AccessLookups) => recheckAdmission(deps, operation, request, admission, lookups)
  const checkedWriters = new WeakSet<Writer>()
  const recheckCaller = async (writer: Writer): Promise<void> => {
    if (checkedWriters.has(writer)) return
    checkedWriters.add(writer)
    const lookups = createStoredLookups(writer.db)
    // Members and the workspace stay unchanged until the commit.
    if (workspace) await lockWorkspaceById(writer.db, workspace.id)
    await recheck(lookups)
    const member = workspace && (await lookups.member(workspace.id, principal.subject))
    const user = await lookups.user(principal.subject)
    // Transactions that announce changes are serialized from here to their commit, and removing or disabling
    // an account announces it. Ignore clients, grants and the account that this transaction ends itself, as when a
    // person signs out or deletes their account.
    writer.runLast(() =>
      recheck({
        ...lookups,
        workspace: () => workspace,
        member: () => member,
        client: id => (writer.hasAnnounced('client', id) ? principal.client : lookups.client(id)),
        user: async id => {
          const current = await lookups.user(id)
          return !current && id === user?.id && writer.hasAnnounced('user', id) ? user : current
        },
        grantRevoked: id => !writer.hasAnnounced('grant', id) && lookups.grantRevoked(id),
      }),
    )
  }
  return {
    storage: {
      ...storage,
      write: work =>
        storage.write(async writer => {
          await recheckCaller(writer)
          return work(writer)
        }),
    },
    recheckCaller,
    async explain(error) {
      try {
        await recheck(createStoredLookups(storage.db))
        return error
      } catch (refusal) {
        // An unreachable storage also made the operation fail.
        return refusal instanceof Problem && refusal.status < 500 ? refusal : error
      }
    },
  }
}
