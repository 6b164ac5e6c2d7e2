/** Backups of the whole server, for operators. */
import type { MissingDocuments } from '@querent/contract/manage'
import { listAudit, recordAudit } from '#storage/audit'
import { consoleClientId } from '#storage/clients'
import type { Db } from '#storage/db'
import { runEssential } from '#storage/disk-reserve'
import { findUser } from '#storage/users'
import { audit, type BackupRecord, type Call, type Handler, type ManagementDependencies } from './call.ts'
import { refuseWrongPassword } from './own-password.ts'
import { makeRefusal } from './refuse.ts'

/** Actions of the audit log that make a backup. */
export const backupActions = ['makeBackup', 'downloadBackup'] as const

export const backupHandlers = {
  makeBackup: async (deps, call) => {
    // A backup contains all secrets, so a token in a browser is not enough.
    if (call.principal.client.id === consoleClientId)
      throw makeRefusal(deps, call, {
        message:
          'this operation is not available in browsers: use `querent backup FILE`, or download it with your password',
        workspace: '',
      })
    return deps.backups.make(openRecord(deps, call))
  },

  downloadBackup: async (deps, call) => {
    const { storage } = deps
    const user = await findUser(storage.db, call.principal.subject)
    if (!user) throw new Error('an operator is no user')
    await refuseWrongPassword(deps, user, call.input.password, 'password')
    return deps.backups.make(openRecord(deps, call))
  },
} satisfies { makeBackup: Handler<'makeBackup'>; downloadBackup: Handler<'downloadBackup'> }

/** Records the start of the backup if the caller may still make it, and later what went wrong. */
const openRecord = (
  { storage }: Pick<ManagementDependencies, 'storage'>,
  call: Pick<Call, 'origin' | 'recheckCaller'>,
): BackupRecord => {
  const record = (detail: Record<string, unknown>) =>
    runEssential(() =>
      storage.write(writer => recordAudit(writer, { ...call.origin, target: 'server', detail })),
    )
  return {
    requestId: call.origin.requestId,
    start: () => storage.write(writer => audit(writer, call, { target: 'server' })),
    incomplete: gaps => record({ outcome: 'incomplete', missing: gaps }),
    failed: reason => record({ outcome: 'failed', reason }),
  }
}

/** The last backup, as the audit log has it. */
export interface LastBackup {
  /** Milliseconds since 1970; null if there was none. */
  at: number | null
  missing: MissingDocuments[]
  /** Why it failed; undefined if it did not. */
  failure: string | undefined
}

export const readLastBackup = async (logs: Db): Promise<LastBackup> => {
  const rows = await Promise.all(backupActions.map(action => listAudit(logs, { action, count: 1 })))
  const [last] = rows.flat().toSorted((a, b) => b.seq - a.seq)
  if (!last) return { at: null, missing: [], failure: undefined }
  // Written only by `openRecord`.
  const detail = JSON.parse(last.detail_json) as { missing?: MissingDocuments[]; reason?: string }
  return { at: last.at, missing: detail.missing ?? [], failure: detail.reason }
}
