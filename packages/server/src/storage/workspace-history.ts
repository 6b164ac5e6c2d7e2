/** Applied states of workspace files (workspace-file.md, History). */
import { randomUUID } from 'node:crypto'
import { historyDays, historyStatesMax } from '@querent/contract/manage'
import type { Selectable } from 'kysely'
import type { Db, Writer } from './db.ts'
import type { Tables } from './tables.ts'

const keptMs = historyDays * 24 * 60 * 60 * 1000
/** Characters of all states of a workspace. Older states end earlier. */
export const historyCharactersMax = 64 * 1024 * 1024

export type WorkspaceStateRow = Pick<
  Selectable<Tables['workspace_history']>,
  'id' | 'at' | 'actor' | 'changes_json'
>

interface AppliedState {
  workspaceId: string
  actor: string
  source: string
  /** As in the audit log. */
  changes: Record<string, unknown>
}

/** Records a state in the transaction that applies it, and removes those beyond the bounds. */
export const recordWorkspaceState = async (
  { db }: Pick<Writer, 'db'>,
  { workspaceId, actor, source, changes }: AppliedState,
): Promise<void> => {
  // PostgreSQL rejects NUL in a text.
  if (source.includes('\0')) return
  await db
    .insertInto('workspace_history')
    .values({
      id: randomUUID(),
      workspace_id: workspaceId,
      // Two states within a millisecond keep their order.
      at: Math.max(Date.now(), (await findLatestTime(db, workspaceId)) + 1),
      actor,
      source,
      changes_json: JSON.stringify(changes),
    })
    .execute()
  await removeExcess(db, workspaceId)
}

const findLatestTime = async (db: Db, workspaceId: string): Promise<number> => {
  const row = await db
    .selectFrom('workspace_history')
    .select('at')
    .where('workspace_id', '=', workspaceId)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? Number(row.at) : 0
}

const removeExcess = async (db: Db, workspaceId: string): Promise<void> => {
  const rows = await db
    .selectFrom('workspace_history')
    .select(({ fn }) => ['at', fn<number>('length', ['source']).as('characters')])
    .where('workspace_id', '=', workspaceId)
    .orderBy('at', 'desc')
    .limit(historyStatesMax + 1)
    .execute()
  let characters = 0
  const excess = rows.find((row, index) => {
    characters += Number(row.characters)
    return index >= historyStatesMax || (index > 0 && characters > historyCharactersMax)
  })
  if (!excess) return
  await db
    .deleteFrom('workspace_history')
    .where('workspace_id', '=', workspaceId)
    .where('at', '<=', excess.at)
    .execute()
}

/** Returns at most `count` states before a time, newest first. */
export const listWorkspaceStates = (
  db: Db,
  { workspaceId, before, count }: { workspaceId: string; before?: number; count: number },
): Promise<WorkspaceStateRow[]> =>
  db
    .selectFrom('workspace_history')
    .select(['id', 'at', 'actor', 'changes_json'])
    .where('workspace_id', '=', workspaceId)
    .where('at', '>=', Date.now() - keptMs)
    .$if(before !== undefined, query => query.where('at', '<', before ?? 0))
    .orderBy('at', 'desc')
    .limit(count)
    .execute()

/** Returns the file of a state. */
export const findWorkspaceState = async (
  db: Db,
  workspaceId: string,
  id: string,
): Promise<string | undefined> => {
  const row = await db
    .selectFrom('workspace_history')
    .select('source')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('at', '>=', Date.now() - keptMs)
    .executeTakeFirst()
  return row?.source
}

export const pruneWorkspaceHistory = async (db: Db): Promise<void> => {
  await db
    .deleteFrom('workspace_history')
    .where('at', '<', Date.now() - keptMs)
    .execute()
}
