/** What becomes of generations that are not wanted any more: closed, or dropped when no query can be running on them; by whichever node. */
import type { Definition } from '@querent/contract/workspace-file'
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
import type { Gates } from './cluster-lock.ts'
import { buildGate } from './generation-builder.ts'
import type { KnownGenerations } from './generation-registry.ts'
import { surplusRows } from './generation-rows.ts'

interface RetiringDependencies {
  storage: Storage
  known: KnownGenerations
  gates: Gates
  /** For how long a superseded generation stays: longer than queries take, and than other nodes take to hear of it. */
  graceMs: number
}

/** Drops of generations have it alone; who reads them all shares it. */
export const keptGate = 'kept'

export const openRetiring = ({ storage, known, gates, graceMs }: RetiringDependencies) => {
  const { opened } = known

  const planDropOf = (writer: Writer, row: GenerationRow): Promise<void> => {
    const drop = { id: makeEngineId(row), workspace_id: row.workspace_id, generation: row.id }
    return scheduleDrop(writer, storage.kind, drop, graceMs)
  }
  /** In one transaction, so that nothing is promoted meanwhile that goes. */
  const retire = (
    workspaceId: string,
    choose: (rows: GenerationRow[]) => readonly GenerationRow[],
  ): Promise<void> =>
    storage.write(async writer => {
      await lockWorkspaceById(writer.db, workspaceId)
      for (const row of choose(await listGenerations(writer.db, workspaceId))) {
        await retireGeneration(writer, row)
        await planDropOf(writer, row)
      }
    })

  /** One that is in use after all, as after a commit of which nothing was heard, stays. */
  const drop = async ({ id, workspace_id, generation }: Omit<EngineDrop, 'due_at'>) => {
    const row = await findGeneration(storage.db, generation)
    const isCurrent = row !== undefined && makeEngineId(row) === id
    if (!isCurrent || row.state !== 'ready') await known.dropInEngine(id)
    await storage.write(async writer => {
      await removeDrop(writer.db, id)
      if (isCurrent && row.state !== 'ready') await removeGeneration(writer, row)
      // Other nodes close it.
      else writer.announce('generations', workspace_id)
    })
  }
  /** Drops what is due, and what was being built by a node that died; `all`: also what queries of other nodes could be running on. */
  const sweep = async (all = false): Promise<void> => {
    const planned = await listDrops(storage.db, storage.kind, true)
    const due = new Set(
      (all ? planned : await listDrops(storage.db, storage.kind, false)).map(({ id }) => id),
    )
    const left = (await listUnfinishedGenerations(storage.db))
      .map(row => ({ id: makeEngineId(row), workspace_id: row.workspace_id, generation: row.id }))
      .filter(({ id }) => !planned.some(other => other.id === id))
    const candidates = [...planned.filter(({ id }) => due.has(id)), ...left]
    if (candidates.length === 0) return
    await gates.tryAlone(keptGate, async () => {
      // Its builder lives as long as somebody has the gate. One that cannot be dropped now is tried again.
      for (const each of candidates)
        await gates.tryAlone(buildGate(each.generation), () => drop(each)).catch(() => {})
    })
  }

  /** Ids in the engine of what is closed after its grace, unless it answers again by then. */
  const resting = new Map<string, NodeJS.Timeout>()
  /** One that is kept costs memory while it is open. What is read or built from meanwhile comes first. */
  const rest = (id: string) => {
    if (resting.has(id)) return
    const close = async () => {
      resting.delete(id)
      const row = opened.get(id)
      if (!row) return
      const isDone = await gates.local.tryAlone(keptGate, () =>
        gates.local.tryAlone(buildGate(row.id), () => known.closeIfIdle(id)),
      )
      if (!isDone) rest(id)
    }
    resting.set(id, setTimeout(() => close().catch(() => {}), graceMs).unref())
  }

  return {
    retire,
    async planRemoval(writer: Writer, workspaceId: string) {
      await lockWorkspaceById(writer.db, workspaceId)
      for (const row of await listGenerations(writer.db, workspaceId)) await planDropOf(writer, row)
    },
    sweep,
    rest,
    async restIdle(workspaceId: string) {
      for (const id of await known.idleOf(workspaceId)) rest(id)
    },
    /** What nothing keeps goes. */
    async retireSurplus(workspaceId: string, definition: Definition) {
      const surplus = (rows: GenerationRow[]) =>
        [...Map.groupBy(rows, row => row.collection)].flatMap(([collection, all]) =>
          Object.hasOwn(definition.collections ?? {}, collection)
            ? surplusRows(all, definition, collection)
            : [],
        )
      if (surplus(await listGenerations(storage.db, workspaceId)).length > 0)
        await retire(workspaceId, surplus)
    },
    close() {
      for (const timer of resting.values()) clearTimeout(timer)
    },
  }
}
