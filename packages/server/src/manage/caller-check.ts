/**
 * Whether the caller of an operation still may, when what they sent takes effect. Their body may have taken a minute to arrive, and in that
 * time their account may have ended (query-service.md, Authorization).
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
  /** The storage, whose every transaction fails unless the caller may still do this. */
  storage: Storage
  /**
   * The same for a transaction that others begin. Call it before the transaction is done; a second call does nothing. Throws 401, 403 or
   * 404, also when the account ends on another node just before the commit.
   */
  recheckCaller(writer: Writer): Promise<void>
  /** The error to answer with when the operation failed with `error`: the refusal, if the caller may no longer do this. */
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
  const confirm = (lookups: AccessLookups) => recheckAdmission(deps, operation, request, admission, lookups)
  const confirmed = new WeakSet<Writer>()
  const recheckCaller = async (writer: Writer): Promise<void> => {
    if (confirmed.has(writer)) return
    confirmed.add(writer)
    const lookups = createStoredLookups(writer.db)
    // Members, and the workspace itself, stay as they are now until the commit.
    if (workspace) await lockWorkspaceById(writer.db, workspace.id)
    await confirm(lookups)
    const member = workspace && (await lookups.member(workspace.id, principal.subject))
    // Transactions that announce something take turns from here to their commit, and each way to end an account announces it. Grants and
    // clients that this transaction ends itself, as a person does who signs out, are no reason to refuse it.
    writer.runLast(() =>
      confirm({
        ...lookups,
        workspace: () => workspace,
        member: () => member,
        client: id => (writer.hasAnnounced('client', id) ? principal.client : lookups.client(id)),
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
        await confirm(createStoredLookups(storage.db))
        return error
      } catch (refusal) {
        // Storage that is away is what the operation failed of, too.
        return refusal instanceof Problem && refusal.status < 500 ? refusal : error
      }
    },
  }
}
