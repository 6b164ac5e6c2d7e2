/**
 * Generations of collections: which one answers, and how the next takes its place. A query sees the one before or the one after,
 * never a half-built one (workspace-file.md).
 */
import { isDeepStrictEqual } from 'node:util'
import type { Definition } from '@querent/contract/workspace-file'
import type { Engine, GenerationSpec } from '#engines/engine'
import { Problem } from '#errors'
import type { Storage } from '#storage/db'
import type { Directory } from '#storage/directory'
import {
  createGeneration,
  demoteGenerations,
  finishGeneration,
  type GenerationRow,
  listGenerations,
  removeGeneration,
} from '#storage/generations'
import { allWorkspaceIds, findWorkspaceById } from '#storage/workspaces'
import { generationSpec } from './entity.ts'
import { openGates } from './gate.ts'

/** A generation as queries know it: its id in the engine, and its name as status shows it (`1`, `2`, …). */
export interface Generation {
  id: string
  name: string
}

export interface Collections {
  /** The generation that answers; from memory. Undefined: no such collection, or it is being made. */
  live(workspaceId: string, collection: string): Generation | undefined
  /**
   * Brings a workspace's generations in line with its definition: makes those of new collections, builds others anew where fields
   * changed, drops those of removed collections. Resolves when the live ones are as defined; changes nothing when they are.
   */
  reconcile(workspaceId: string): Promise<void>
  /**
   * Runs `work` on the live generation, which stays the live one until it is done. Throws 503 when there is none yet. Keep `work`
   * short: a generation that is to take its place waits for it.
   */
  write<T>(workspaceId: string, collection: string, work: (generationId: string) => Promise<T>): Promise<T>
  /**
   * Fills a new generation with `fill` and makes it the live one; drops it when `fill` throws. What is written to the collection
   * meanwhile is replaced too.
   */
  replace<T>(workspaceId: string, collection: string, fill: (generationId: string) => Promise<T>): Promise<T>
  /**
   * Fills a generation set aside with `fill`, then puts all of it into the live one; when `fill` throws the live one stays as it
   * was. Searchable after the next refresh.
   */
  putTogether<T>(
    workspaceId: string,
    collection: string,
    fill: (generationId: string) => Promise<T>,
  ): Promise<T>
  /** Lets what is being built or loaded end. Superseded generations that are left are dropped at the next start. */
  close(): Promise<void>
}

export interface CollectionsDependencies {
  storage: Storage
  engine: Engine
  directory: Directory
  /** For how long a superseded generation stays for the queries that run on it: longer than any of them may take. */
  graceMs?: number
}

interface Live extends Generation {
  row: GenerationRow
}

/** Workspaces that are opened at the same time at start. */
const openedAtOnce = 8

/** Opens the live generation of every collection, and finishes what a crash left half done. */
export const openCollections = async ({
  storage,
  engine,
  graceMs = 30_000,
}: CollectionsDependencies): Promise<Collections> => {
  /** Workspace → collection → live generation; each of them is open in the engine. */
  const known = new Map<string, ReadonlyMap<string, Live>>()
  const opened = new Set<string>()
  const workspaces = openGates()
  const collections = openGates()
  const underway = new Set<Promise<unknown>>()
  const retiring = new Set<NodeJS.Timeout>()

  const tracked = <T>(work: Promise<T>): Promise<T> => {
    underway.add(work)
    const forget = () => underway.delete(work)
    work.then(forget, forget)
    return work
  }
  const openInEngine = async (id: string, spec: GenerationSpec) => {
    if (opened.has(id)) return
    await engine.open(id, spec)
    opened.add(id)
  }
  const discard = async (row: GenerationRow) => {
    await engine.drop(row.id)
    opened.delete(row.id)
    await storage.write(writer => removeGeneration(writer, row))
  }
  const retire = (row: GenerationRow) => {
    const timer = setTimeout(() => {
      retiring.delete(timer)
      // One that could not be dropped is dropped at the next start.
      tracked(discard(row)).catch(() => {})
    }, graceMs).unref()
    retiring.add(timer)
  }
  /** Reads which generations are live. Those of a workspace are read one after another, so that an older answer never stays. */
  const load = (workspaceId: string): Promise<GenerationRow[]> =>
    workspaces.alone(`load ${workspaceId}`, async () => {
      const rows = await listGenerations(storage.db, workspaceId)
      const live = liveOf(rows)
      for (const { row } of live.values()) await openInEngine(row.id, specOf(row))
      known.set(workspaceId, live)
      return rows
    })
  const gateOf = (workspaceId: string, collection: string) => `${workspaceId} ${collection}`

  /** Makes a generation, fills it and, once `fill` is done, lets it take the place of the live one. */
  const makeNext = async <T>(
    { workspaceId, collection, spec }: { workspaceId: string; collection: string; spec: GenerationSpec },
    fill: (generationId: string) => Promise<T>,
    promote: (finish: () => Promise<void>) => Promise<void>,
  ): Promise<T> => {
    const row = await storage.write(writer => createGeneration(writer, { workspaceId, collection, spec }))
    try {
      await openInEngine(row.id, spec)
      const filled = await fill(row.id)
      await engine.refresh(row.id)
      await promote(async () => {
        const before = known.get(workspaceId)?.get(collection)
        await storage.write(writer => finishGeneration(writer, row, true))
        await load(workspaceId)
        if (before) retire(before.row)
      })
      return filled
    } catch (error) {
      // The failure is what counts; what is left of the generation is dropped at the next start at the latest.
      if (known.get(workspaceId)?.get(collection)?.id !== row.id) await discard(row).catch(() => {})
      throw error
    }
  }
  const atOnce = (finish: () => Promise<void>) => finish()

  const bringInLine = async (workspaceId: string, collection: string, definition: Definition) => {
    const live = known.get(workspaceId)?.get(collection)
    const spec = generationSpec(definition, collection)
    if (live && isSameSpec(specOf(live.row), spec)) return
    const next = { workspaceId, collection, spec }
    if (!live) await makeNext(next, async () => {}, atOnce)
    // Writes wait from here to the exchange: none is lost, and the copy is of a collection that stands still.
    else
      await collections.alone(gateOf(workspaceId, collection), () =>
        makeNext(next, id => engine.copy(live.id, id), atOnce),
      )
  }
  const removeCollection = (workspaceId: string, collection: string) =>
    collections.alone(gateOf(workspaceId, collection), async () => {
      const rows = await listGenerations(storage.db, workspaceId, collection)
      await storage.write(writer => demoteGenerations(writer, workspaceId, collection))
      await load(workspaceId)
      for (const row of rows) retire(row)
    })
  const reconcile = (workspaceId: string): Promise<void> =>
    workspaces.alone(`reconcile ${workspaceId}`, async () => {
      // As it is now: another change may have been committed since the caller's.
      const workspace = await findWorkspaceById(storage.db, workspaceId)
      const wanted = Object.keys(workspace?.definition.collections ?? {})
      for (const collection of wanted)
        if (workspace) await bringInLine(workspaceId, collection, workspace.definition)
      for (const collection of known.get(workspaceId)?.keys() ?? [])
        if (!wanted.includes(collection)) await removeCollection(workspaceId, collection)
    })

  const openWorkspace = async (workspaceId: string): Promise<void> => {
    const rows = await load(workspaceId)
    const live = new Set([...(known.get(workspaceId)?.values() ?? [])].map(({ id }) => id))
    for (const row of rows.filter(({ id }) => !live.has(id))) await discard(row)
    await reconcile(workspaceId)
  }
  const queue = (await allWorkspaceIds(storage.db)).map(({ id }) => id)
  const openNext = async (): Promise<void> => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) await openWorkspace(id)
  }
  await Promise.all(Array.from({ length: openedAtOnce }, openNext))

  const stopListening = storage.onChange(({ topic, key }) => {
    // Storage that is away: what is known goes on answering, the next change reads again.
    if (topic === 'generations') tracked(load(key)).catch(() => {})
  })

  const writeLive: Collections['write'] = (workspaceId, collection, work) =>
    collections.share(gateOf(workspaceId, collection), async () => {
      const live = known.get(workspaceId)?.get(collection)
      if (!live) throw notReady(collection)
      return work(live.id)
    })
  const putTogether: Collections['putTogether'] = async (workspaceId, collection, fill) => {
    // Nothing is searched in it.
    const spec: GenerationSpec = { fields: [], synonyms: [] }
    const row = await storage.write(writer => createGeneration(writer, { workspaceId, collection, spec }))
    try {
      await openInEngine(row.id, spec)
      const filled = await fill(row.id)
      await writeLive(workspaceId, collection, id => engine.copy(row.id, id))
      return filled
    } finally {
      // What could not be dropped is dropped at the next start.
      await discard(row).catch(() => {})
    }
  }

  return {
    live: (workspaceId, collection) => known.get(workspaceId)?.get(collection),
    reconcile: workspaceId => tracked(reconcile(workspaceId)),
    write: writeLive,
    putTogether: (workspaceId, collection, fill) => tracked(putTogether(workspaceId, collection, fill)),
    async replace(workspaceId, collection, fill) {
      const live = known.get(workspaceId)?.get(collection)
      if (!live) throw notReady(collection)
      const promote = (finish: () => Promise<void>) =>
        collections.alone(gateOf(workspaceId, collection), finish)
      const next = { workspaceId, collection, spec: specOf(live.row) }
      const filled = await tracked(makeNext(next, fill, promote))
      // Fields may have changed while the stream came in.
      await tracked(reconcile(workspaceId))
      return filled
    },
    async close() {
      stopListening()
      for (const timer of retiring) clearTimeout(timer)
      await Promise.allSettled(underway)
    },
  }
}

const notReady = (collection: string): Problem =>
  new Problem('unavailable', `the collection "${collection}" is being made ready; try again shortly`)

// Written by `createGeneration`, which is handed a GenerationSpec here alone.
const specOf = (row: GenerationRow): GenerationSpec => JSON.parse(row.spec_json) as GenerationSpec

/** The order of fields means nothing to an engine. */
const isSameSpec = (one: GenerationSpec, other: GenerationSpec): boolean => {
  const fieldsOf = ({ fields }: GenerationSpec) => new Map(fields.map(field => [field.name, field]))
  return isDeepStrictEqual(fieldsOf(one), fieldsOf(other)) && isDeepStrictEqual(one.synonyms, other.synonyms)
}

/** The live generation of each collection: the one promoted last. `rows` are newest first. */
const liveOf = (rows: readonly GenerationRow[]): Map<string, Live> => {
  const live = new Map<string, Live>()
  for (const row of rows) {
    if (row.state !== 'ready' || row.promoted_at === null) continue
    const other = live.get(row.collection)
    if (other && (other.row.promoted_at ?? 0) >= row.promoted_at) continue
    live.set(row.collection, { id: row.id, name: String(row.number), row })
  }
  return live
}
