/** Garbage collection of generations: closes idle ones, and drops superseded ones when no query can still run on them, on any node. */
import type { Definition } from '@querent/contract/workspace-file'
import type { WorkReports } from '#memory/work-reports'
import type { Storage, Writer } from '#storage/db'
import { type EngineDrop, listDrops, removeDrop, scheduleDrop } from '#storage/engine-drops'
import {
  findGeneration,
  type GenerationRow,
  listGenerations,
  listUnfinishedGenerations,
  makeEngineId,
  removeGeneration,
  retireGeneration,
} from '#storage/generations'
import { lockWorkspaceById } from '#storage/workspaces'
import type { ClusterLocks } from './cluster-lock.ts'
import type { EngineGenerations } from './engine-generations.ts'
import { buildLockKey } from './generation-builder.ts'
import type { GenerationRegistry } from './generation-registry.ts'
import { surplusRows } from './generation-rows.ts'
import { closeIfIdle, listIdle } from './idle-generations.ts'

interface GcDependencies {
  storage: Storage
  engineGenerations: EngineGenerations
  registry: GenerationRegistry
  clusterLocks: ClusterLocks
  reports: WorkReports
  /** How long a superseded generation stays: longer than queries run, and than other nodes take to notice the change. */
  graceMs: number
}

/** Drops take this lock exclusively. Those that read all generations, as a backup does, share it. */
export const pinLockKey = 'kept'

export type GenerationGc = ReturnType<typeof openGenerationGc>

export const openGenerationGc = (deps: GcDependencies) => {
  const { storage, engineGenerations, clusterLocks, reports, graceMs } = deps

  const planDrop = (writer: Writer, row: GenerationRow): Promise<void> => {
    const drop = { id: makeEngineId(row), workspace_id: row.workspace_id, generation: row.id }
    return scheduleDrop(writer, storage.kind, drop, graceMs)
  }
  /** Retires the rows that `choose` returns, in one transaction, so that none of them is promoted meanwhile. */
  const retire = (
    workspaceId: string,
    choose: (rows: GenerationRow[]) => readonly GenerationRow[],
  ): Promise<void> =>
    storage.write(async writer => {
      await lockWorkspaceById(writer.db, workspaceId)
      for (const row of choose(await listGenerations(writer.db, workspaceId))) {
        await retireGeneration(writer, row)
        await planDrop(writer, row)
      }
    })

  /** Drops a generation, unless it is in use after all, as after a commit whose reply was lost. */
  const drop = async ({ id, workspace_id, generation }: Omit<EngineDrop, 'due_at'>) => {
    const row = await findGeneration(storage.db, generation)
    const isCurrent = row !== undefined && makeEngineId(row) === id
    if (!isCurrent || row.state !== 'ready') await engineGenerations.drop(id)
    await storage.write(async writer => {
      await removeDrop(writer.db, id)
      if (isCurrent && row.state !== 'ready') await removeGeneration(writer, row)
      // Other nodes close it.
      else writer.announce('generations', workspace_id)
    })
  }
  /** Tries each, and throws the first failure. If somebody holds the lock of one, its builder is alive. */
  const dropAll = async (candidates: readonly Omit<EngineDrop, 'due_at'>[]): Promise<void> => {
    const failures: unknown[] = []
    for (const candidate of candidates)
      await clusterLocks
        .tryExclusive(buildLockKey(candidate.generation), () => drop(candidate))
        .catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }
  /** Drops generations that are due, and those whose builder died. With `ignoresGrace`, also those that other nodes may still query. */
  const collect = async (ignoresGrace = false): Promise<void> => {
    const planned = await listDrops(storage.db, storage.kind, true)
    const due = new Set(
      (ignoresGrace ? planned : await listDrops(storage.db, storage.kind, false)).map(({ id }) => id),
    )
    const unfinished = (await listUnfinishedGenerations(storage.db))
      .map(row => ({ id: makeEngineId(row), workspace_id: row.workspace_id, generation: row.id }))
      .filter(({ id }) => !planned.some(plannedDrop => plannedDrop.id === id))
    const candidates = [...planned.filter(({ id }) => due.has(id)), ...unfinished]
    if (candidates.length === 0) await reports.run('generation-collection', () => dropAll([]))
    else
      await clusterLocks.tryExclusive(pinLockKey, () =>
        reports.run('generation-collection', () => dropAll(candidates)),
      )
  }

  const { scheduleClose, cancelAll } = createCloseTimers(deps)

  return {
    retire,
    async planRemoval(writer: Writer, workspaceId: string) {
      await lockWorkspaceById(writer.db, workspaceId)
      for (const row of await listGenerations(writer.db, workspaceId)) await planDrop(writer, row)
    },
    collect,
    scheduleClose,
    async scheduleCloseIdle(workspaceId: string) {
      for (const id of await listIdle(deps, workspaceId)) scheduleClose(id)
    },
    async retireSurplus(workspaceId: string, definition: Definition) {
      const findSurplus = (rows: GenerationRow[]) =>
        [...Map.groupBy(rows, row => row.collection)].flatMap(([collection, group]) =>
          Object.hasOwn(definition.collections ?? {}, collection)
            ? surplusRows(group, definition, collection)
            : [],
        )
      if (findSurplus(await listGenerations(storage.db, workspaceId)).length > 0)
        await retire(workspaceId, findSurplus)
    },
    close: cancelAll,
  }
}

const createCloseTimers = (deps: GcDependencies) => {
  const { engineGenerations, clusterLocks, reports, graceMs } = deps
  /** By engine id: timers that close a generation after the grace period, unless it answers queries again by then. */
  const closeTimers = new Map<string, NodeJS.Timeout>()
  /** Closes an idle generation later, because an open one costs memory. Waits while somebody reads it or builds from it. */
  const scheduleClose = (id: string) => {
    if (closeTimers.has(id)) return
    const close = async () => {
      closeTimers.delete(id)
      const row = engineGenerations.registered.get(id)
      if (!row) return
      const isDone = await clusterLocks.local.tryExclusive(pinLockKey, () =>
        clusterLocks.local.tryExclusive(buildLockKey(row.id), () => closeIfIdle(deps, id)),
      )
      if (!isDone) scheduleClose(id)
    }
    closeTimers.set(id, setTimeout(() => reports.run('idle-generations', close), graceMs).unref())
  }
  return {
    scheduleClose,
    cancelAll() {
      for (const timer of closeTimers.values()) clearTimeout(timer)
    },
  }
}
