/** The generations that there are, in memory: which of them answers is told without asking the storage. */
import type { Engine, GenerationSpec } from '#engines/engine'
import type { Storage } from '#storage/db'
import { countGeneration, type GenerationRow, listGenerations } from '#storage/generations'
import { findWorkspaceById, type WorkspaceRow } from '#storage/workspaces'
import type { Collections, Generation } from './collections.ts'
import { openGates } from './gate.ts'
import {
  answeringRows,
  choiceOf,
  chosen,
  engineIdOf,
  nameOf,
  promotedOf,
  specKey,
  specOf,
  wantedSpecKey,
} from './generation-rows.ts'

export interface Known extends Generation {
  row: GenerationRow
  specKey: string
}
interface KnownCollection {
  /** Complete ones, newest first. */
  rows: GenerationRow[]
  /** The live one, and before it those that were, as far as they are open. */
  promoted: Known[]
}

/** Those of all workspaces, each once it was loaded. Answering ones are open in the engine. */
export const openKnownGenerations = ({ storage, engine }: { storage: Storage; engine: Engine }) => {
  const known = new Map<string, ReadonlyMap<string, KnownCollection>>()
  /** Ids in the engine. */
  const opened = new Set<string>()
  const loading = new Map<string, Promise<unknown>>()
  const workspaces = openGates()
  /** The specs that versions of definitions ask for. */
  const wanted = new WeakMap<WorkspaceRow, Map<string, string | undefined>>()

  const openInEngine = async (id: string, spec: GenerationSpec) => {
    if (opened.has(id)) return
    await engine.open(id, spec)
    opened.add(id)
  }
  const dropInEngine = async (id: string) => {
    await engine.drop(id)
    opened.delete(id)
  }
  /** Reads which generations there are, and opens those that answer. */
  const readGenerations = async (workspaceId: string): Promise<GenerationRow[]> => {
    const rows = await listGenerations(storage.db, workspaceId)
    const definition = (await findWorkspaceById(storage.db, workspaceId))?.definition
    const found = new Map<string, KnownCollection>()
    for (const [collection, all] of Map.groupBy(rows, row => row.collection)) {
      const complete = all.filter(row => row.state === 'ready')
      const [live] = promotedOf(complete)
      if (live) await openInEngine(engineIdOf(live), specOf(live))
      // One that only some configuration answers with must not keep the live one from answering: it is not ready, 503.
      for (const row of definition ? answeringRows(complete, definition, collection) : [])
        if (row !== live) await openInEngine(engineIdOf(row), specOf(row)).catch(() => {})
      const promoted = promotedOf(complete)
        .filter(row => opened.has(engineIdOf(row)))
        .map(row => ({ id: engineIdOf(row), name: nameOf(row), row, specKey: specKey(specOf(row)) }))
      found.set(collection, { rows: complete, promoted })
    }
    known.set(workspaceId, found)
    return rows
  }
  /** Those of a workspace are read one after another, so that an older answer never stays. */
  const load = (workspaceId: string): Promise<GenerationRow[]> => {
    const reading = workspaces.alone(`load ${workspaceId}`, () => readGenerations(workspaceId))
    loading.set(workspaceId, reading)
    const forget = () => {
      if (loading.get(workspaceId) === reading) loading.delete(workspaceId)
    }
    reading.then(forget, forget)
    return reading
  }
  /** Closes a complete one that no configuration answers with; it is opened again when one does. */
  const rest = (row: GenerationRow): Promise<void> =>
    workspaces.alone(`load ${row.workspace_id}`, async () => {
      const id = engineIdOf(row)
      const rows = await listGenerations(storage.db, row.workspace_id, row.collection)
      const definition = (await findWorkspaceById(storage.db, row.workspace_id))?.definition
      const answers = definition ? answeringRows(rows, definition, row.collection) : []
      // Dropped meanwhile, or answering again.
      if (!opened.has(id) || answers.some(other => engineIdOf(other) === id)) return
      await countGeneration(storage.db, row.id, engine.info(id).documents)
      opened.delete(id)
      await engine.release(id)
    })
  const liveOf = (workspaceId: string, collection: string): Known | undefined =>
    known.get(workspaceId)?.get(collection)?.promoted[0]

  const wantedOf = (workspace: WorkspaceRow, collection: string): string | undefined => {
    const keys = wanted.get(workspace) ?? new Map<string, string | undefined>()
    wanted.set(workspace, keys)
    if (!keys.has(collection)) keys.set(collection, wantedSpecKey(workspace.definition, collection))
    return keys.get(collection)
  }
  /** The one with the fields that this version of the definition has: at the exchange a query may come with the one before. */
  const promotedFor = (workspace: WorkspaceRow, collection: string): Known | undefined => {
    const [live, ...before] = known.get(workspace.id)?.get(collection)?.promoted ?? []
    const key = wantedOf(workspace, collection)
    if (!live || live.specKey === key) return live
    const origin = live.row.origin
    return before.find(
      ({ id, row, specKey }) =>
        opened.has(id) && specKey === key && origin !== null && origin === (row.origin ?? row.number),
    )
  }
  const whenLoaded = async (workspace: WorkspaceRow, collection: string): Promise<Known | undefined> => {
    await loading.get(workspace.id)?.catch(() => {})
    return promotedFor(workspace, collection) ?? liveOf(workspace.id, collection)
  }
  const answering: Collections['answering'] = (workspace, collection, config) => {
    const choice = choiceOf(workspace.definition, config, collection)
    if (choice === 'live') return promotedFor(workspace, collection) ?? whenLoaded(workspace, collection)
    const row = chosen(known.get(workspace.id)?.get(collection)?.rows ?? [], choice)
    const id = row && engineIdOf(row)
    return row && id !== undefined && opened.has(id) ? { id, name: nameOf(row) } : undefined
  }

  return {
    opened,
    openInEngine,
    dropInEngine,
    load,
    rest,
    liveOf,
    answering,
    /** Complete ones, newest first. */
    rowsOf: (workspaceId: string, collection: string) => known.get(workspaceId)?.get(collection)?.rows ?? [],
    /** Of collections that have generations. */
    namesOf: (workspaceId: string) => [...(known.get(workspaceId)?.keys() ?? [])],
  }
}
