/** Finds and closes open generations that no configuration answers with. */
import type { Storage } from '#storage/db'
import { isToBeDropped } from '#storage/engine-drops'
import { listGenerations, makeEngineId } from '#storage/generations'
import { findWorkspaceById } from '#storage/workspaces'
import type { EngineGenerations } from './engine-generations.ts'
import type { GenerationRegistry } from './generation-registry.ts'
import { answeringRows } from './generation-rows.ts'

interface IdleDependencies {
  storage: Storage
  engineGenerations: EngineGenerations
  registry: GenerationRegistry
}

/** Returns the engine ids of a workspace's open generations that answer no queries. */
export const listIdle = async (
  { storage, engineGenerations, registry }: IdleDependencies,
  workspaceId: string,
): Promise<string[]> => {
  const entries = registry.listEntries(workspaceId)
  const definition = (await findWorkspaceById(storage.db, workspaceId))?.definition
  const answeringIds = new Set(
    entries.flatMap(([collection, { rows }]) =>
      definition ? answeringRows(rows, definition, collection).map(makeEngineId) : [],
    ),
  )
  for (const [, { promoted }] of entries) if (promoted[0]) answeringIds.add(promoted[0].id)
  return [...engineGenerations.registered]
    .filter(([id, row]) => row.workspace_id === workspaceId && !answeringIds.has(id))
    .map(([id]) => id)
}

/** Closes a generation if it answers no queries, or drops it if another node has removed it. It is opened again when needed. */
export const closeIfIdle = (
  { storage, engineGenerations, registry }: IdleDependencies,
  id: string,
): Promise<void> =>
  registry.withoutLoads(engineGenerations.registered.get(id)?.workspace_id ?? '', async () => {
    const row = engineGenerations.registered.get(id)
    if (!row) return
    const { workspace_id: workspaceId, collection } = row
    const rows = await listGenerations(storage.db, workspaceId, collection)
    const definition = (await findWorkspaceById(storage.db, workspaceId))?.definition
    const answeringGenerations = definition ? answeringRows(rows, definition, collection) : []
    if (answeringGenerations.some(answeringRow => makeEngineId(answeringRow) === id)) return
    if (registry.findServing(workspaceId, collection)?.id === id) return
    const current = rows.find(candidate => makeEngineId(candidate) === id)
    if (!current && !(await isToBeDropped(storage.db, id))) return engineGenerations.drop(id)
    // A generation stays open while it is built, and until a scheduled drop.
    if (current?.state !== 'ready') return
    await engineGenerations.saveCount(row)
    await engineGenerations.release(id)
  })
