/** The generations that there are, in memory: which of them answers is told without asking the storage. */
import type { Engine, GenerationSpec } from '#engines/engine'
import type { Storage } from '#storage/db'
import { isToBeDropped } from '#storage/engine-drops'
import {
  findLiveGeneration,
  type GenerationRow,
  listGenerations,
  makeEngineId,
  saveDocumentCount,
} from '#storage/generations'
import { findWorkspaceById, type WorkspaceRow } from '#storage/workspaces'
import type { Collections, Generation } from './collections.ts'
import {
  answeringRows,
  choiceOf,
  chosen,
  nameOf,
  promotedOf,
  specKey,
  specOf,
  wantedSpecKey,
} from './generation-rows.ts'
import { openLocalGates } from './read-write-lock.ts'

export interface Known extends Generation {
  row: GenerationRow
  specKey: string
}
interface KnownCollection {
  /** Complete ones, newest first. */
  rows: GenerationRow[]
  /** The live one, whether or not it can be opened: what changes the collection leans on it. */
  live: Known | undefined
  /** The one that answers, and before it those that did, as far as the engine knows them. */
  promoted: Known[]
}

export type KnownGenerations = ReturnType<typeof openKnownGenerations>

/** Those of all workspaces, each once it was loaded. The engine knows the answering ones, and opens them when they are used. */
export const openKnownGenerations = ({ storage, engine }: { storage: Storage; engine: Engine }) => {
  const known = new Map<string, ReadonlyMap<string, KnownCollection>>()
  /** By their id in the engine; the row as it was. */
  const opened = new Map<string, GenerationRow>()
  /** Workspaces, or `allKeys`, of which not all could be read, or a live one not opened that was to follow another: to be loaded again. */
  const behind = new Set<string>()
  const loading = new Map<string, Promise<unknown>>()
  const loads = openLocalGates()
  /** The specs that versions of definitions ask for. */
  const wanted = new WeakMap<WorkspaceRow, Map<string, string | undefined>>()
  /** Versions of definitions for which the storage was asked whether there is a generation that fits better. */
  const lookedUp = new WeakMap<WorkspaceRow, Set<string>>()

  const liveOf = (workspaceId: string, collection: string): Known | undefined =>
    known.get(workspaceId)?.get(collection)?.live
  /** The live one, or the one before it until that can be opened. */
  const answeringNow = (workspaceId: string, collection: string): Known | undefined =>
    known.get(workspaceId)?.get(collection)?.promoted[0]

  const openInEngine = async (row: GenerationRow, spec: GenerationSpec = specOf(row), later = false) => {
    const id = makeEngineId(row)
    if (opened.has(id)) return
    await engine.open(id, spec, later)
    opened.set(id, row)
  }
  /** There may be any number of these: they are opened when they are used. No I/O, so it does not fail. */
  const openLater = (row: GenerationRow) => openInEngine(row, specOf(row), true)
  /** Tells why it cannot be opened, where it cannot: before something leans on it that would otherwise have to be undone. */
  const openNow = async (row: GenerationRow): Promise<void> => {
    await openLater(row)
    await engine.open(makeEngineId(row), specOf(row))
  }
  const isOpened = (id: string): boolean => engine.isOpened?.(id) ?? true
  /** Undefined where only opening it would tell, which is done with `mayOpen`. */
  const documentsOf = async (id: string, mayOpen = false): Promise<number | undefined> => {
    if (mayOpen) await engine.whenOpened?.(id)
    return isOpened(id) ? engine.info(id).documents : undefined
  }
  /** So that it is listed right while it is not open. Opens nothing and never rejects: what was done before is done. */
  const count = async (row: GenerationRow): Promise<void> => {
    const id = makeEngineId(row)
    if (!opened.has(id)) return
    const documents = await documentsOf(id).catch(() => undefined)
    if (documents !== undefined) await saveDocumentCount(storage.db, row.id, documents).catch(() => {})
  }
  const dropInEngine = async (id: string) => {
    opened.delete(id)
    await engine.drop(id)
  }
  /** Opens those that answer and were promoted last. One that cannot be opened is told of by the engine, and tried again when it is used. */
  const openNewest = async (max: number): Promise<void> => {
    const live = [...known.values()]
      .flatMap(collections => [...collections.values()].map(({ promoted }) => promoted[0]))
      .filter(each => each !== undefined)
      .toSorted((left, right) => (right.row.promoted_at ?? 0) - (left.row.promoted_at ?? 0))
      .slice(0, max)
      .filter(({ id }) => !isOpened(id))
    await Promise.all(live.map(({ row }) => openNow(row).catch(() => {})))
  }
  /**
   * What answers from now on: the live one. Where another has answered until now it is opened before, and while it cannot be, as when
   * another node has promoted it and its index is not well, the one before it goes on answering if it is still there.
   */
  const answeringFrom = async (promoted: Known[], before: Known | undefined): Promise<Known[]> => {
    const [live] = promoted
    const at = promoted.findIndex(({ id }) => id === before?.id)
    if (!live || at < 1) return promoted
    const canBeOpened = await openNow(live.row).then(
      () => true,
      () => false,
    )
    return canBeOpened ? promoted : promoted.slice(at)
  }
  /** Reads which generations there are, and makes those that answer known to the engine. What one cannot be opened for is told to who uses it. */
  const readGenerations = async (workspaceId: string): Promise<GenerationRow[]> => {
    const rows = await listGenerations(storage.db, workspaceId)
    const definition = (await findWorkspaceById(storage.db, workspaceId))?.definition
    const read = async (collection: string, all: GenerationRow[]): Promise<KnownCollection> => {
      const complete = all.filter(row => row.state === 'ready')
      const [newest] = promotedOf(complete)
      if (newest) await openLater(newest)
      for (const row of definition ? answeringRows(complete, definition, collection) : [])
        await openLater(row)
      const promoted = promotedOf(complete)
        .filter(row => opened.has(makeEngineId(row)))
        .map(row => ({ id: makeEngineId(row), name: nameOf(row), row, specKey: specKey(specOf(row)) }))
      return {
        rows: complete,
        live: promoted[0],
        promoted: await answeringFrom(promoted, answeringNow(workspaceId, collection)),
      }
    }
    // One that hangs holds up none beside it.
    const found = new Map(
      await Promise.all(
        [...Map.groupBy(rows, row => row.collection)].map(
          async ([collection, all]) => [collection, await read(collection, all)] as const,
        ),
      ),
    )
    known.set(workspaceId, found)
    const isWhole = [...found.values()].every(({ live, promoted }) => live === promoted[0])
    if (isWhole) behind.delete(workspaceId)
    else behind.add(workspaceId)
    return rows
  }
  /** Those of a workspace are read one after another, so that an older answer never stays. */
  const load = (workspaceId: string): Promise<GenerationRow[]> => {
    const reading = loads.alone(workspaceId, () => readGenerations(workspaceId))
    loading.set(workspaceId, reading)
    const forget = () => {
      if (loading.get(workspaceId) === reading) loading.delete(workspaceId)
    }
    reading.then(forget, forget)
    return reading
  }
  /** Closes one that nothing answers with, or that another node has dropped; it is opened again when something does. */
  const closeIfIdle = (id: string): Promise<void> =>
    loads.alone(opened.get(id)?.workspace_id ?? '', async () => {
      const row = opened.get(id)
      if (!row) return
      const { workspace_id: workspaceId, collection } = row
      const rows = await listGenerations(storage.db, workspaceId, collection)
      const definition = (await findWorkspaceById(storage.db, workspaceId))?.definition
      const answers = definition ? answeringRows(rows, definition, collection) : []
      if (answers.some(other => makeEngineId(other) === id)) return
      if (answeringNow(workspaceId, collection)?.id === id) return
      const current = rows.find(other => makeEngineId(other) === id)
      if (!current && !(await isToBeDropped(storage.db, id))) return dropInEngine(id)
      // What is being built stays open, and what is to be dropped until then.
      if (current?.state !== 'ready') return
      await count(row)
      opened.delete(id)
      await engine.release(id)
    })
  /** What another node may have changed: to be asked for by whoever holds the collection's gate, and leans on which one is live. */
  const catchUp = async (workspaceId: string, collection: string): Promise<void> => {
    const live = await findLiveGeneration(storage.db, workspaceId, collection)
    if ((live && makeEngineId(live)) !== liveOf(workspaceId, collection)?.id) await load(workspaceId)
  }
  /** Open ones of a workspace that nothing answers with. */
  const idleOf = async (workspaceId: string): Promise<string[]> => {
    const collections = [...(known.get(workspaceId)?.values() ?? [])]
    const rows = collections.flatMap(collection => collection.rows)
    const definition = (await findWorkspaceById(storage.db, workspaceId))?.definition
    const answers = new Set(
      [...Map.groupBy(rows, row => row.collection)].flatMap(([collection, all]) =>
        definition ? answeringRows(all, definition, collection).map(makeEngineId) : [],
      ),
    )
    for (const { promoted } of collections) if (promoted[0]) answers.add(promoted[0].id)
    return [...opened]
      .filter(([id, row]) => row.workspace_id === workspaceId && !answers.has(id))
      .map(([id]) => id)
  }

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
    const seen = lookedUp.get(workspace) ?? new Set()
    lookedUp.set(workspace, seen)
    if (!promotedFor(workspace, collection) && !seen.has(collection)) {
      // Another node's definition may be heard of before its generations.
      seen.add(collection)
      await load(workspace.id).catch(() => {})
    }
    const key = wantedOf(workspace, collection)
    const promoted = known.get(workspace.id)?.get(collection)?.promoted ?? []
    return (
      promotedFor(workspace, collection) ??
      promoted.find(({ id, specKey }) => opened.has(id) && specKey === key) ??
      promoted[0]
    )
  }
  const answering: Collections['answering'] = (workspace, collection, config) => {
    const choice = choiceOf(workspace.definition, config, collection)
    if (choice === 'live') return promotedFor(workspace, collection) ?? whenLoaded(workspace, collection)
    const row = chosen(known.get(workspace.id)?.get(collection)?.rows ?? [], choice)
    const id = row && makeEngineId(row)
    return row && id !== undefined && opened.has(id) ? { id, name: nameOf(row) } : undefined
  }

  return {
    behind,
    opened,
    openInEngine,
    openLater,
    openNow,
    documentsOf,
    count,
    openNewest,
    dropInEngine,
    load,
    closeIfIdle,
    liveOf,
    answeringNow,
    catchUp,
    idleOf,
    answering,
    /** Of collections that have generations. */
    namesOf: (workspaceId: string) => [...(known.get(workspaceId)?.keys() ?? [])],
  }
}
