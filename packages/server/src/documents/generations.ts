/**
 * Generations of collections: which one answers, and how the next takes its place. A query sees the one before or the one after,
 * never a half-built one (workspace-file.md).
 */
import type { Definition } from '@querent/contract/workspace-file'
import type { Engine, GenerationSpec } from '#engines/engine'
import { Problem } from '#errors'
import type { Storage } from '#storage/db'
import {
  countGeneration,
  createGeneration,
  demoteGenerations,
  finishGeneration,
  type GenerationRow,
  listGenerations,
  type NewGeneration,
  removeGeneration,
  saveGenerationSpec,
} from '#storage/generations'
import { allWorkspaceIds, findWorkspaceById, type WorkspaceRow } from '#storage/workspaces'
import type { Collections, Generation, Promote } from './collections.ts'
import { generationSpec } from './entity.ts'
import { openGates } from './gate.ts'
import {
  answeringRows,
  choiceOf,
  chosen,
  configurationNames,
  engineIdOf,
  latestOf,
  nameOf,
  promotedOf,
  specKey,
  specOf,
  strayIdsOf,
  surplusRows,
  wantedSpecKey,
} from './generation-rows.ts'

export interface CollectionsDependencies {
  storage: Storage
  engine: Engine
  /** For how long a superseded generation stays for the queries that run on it: longer than any of them may take. */
  graceMs?: number
}

interface Known extends Generation {
  row: GenerationRow
  specKey: string
}
interface KnownCollection {
  /** Complete ones, newest first. */
  rows: GenerationRow[]
  /** The live one, and before it those that were, as far as they are open. */
  promoted: Known[]
}

/** Workspaces that are opened at the same time at start. */
const openedAtOnce = 8

/** Opens the generations that answer, of every collection, and finishes what a crash left half done. */
export const openCollections = async ({
  storage,
  engine,
  graceMs = 30_000,
}: CollectionsDependencies): Promise<Collections> => {
  const known = new Map<string, ReadonlyMap<string, KnownCollection>>()
  /** Ids in the engine. */
  const opened = new Set<string>()
  const loading = new Map<string, Promise<unknown>>()
  const workspaces = openGates()
  const collections = openGates()
  const underway = new Set<Promise<unknown>>()
  /** Ids in the engine of what is dropped after its grace, and must not answer anew. */
  const retiring = new Map<string, NodeJS.Timeout>()
  /** The specs that versions of definitions ask for. */
  const wanted = new WeakMap<WorkspaceRow, Map<string, string | undefined>>()

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
  const dropInEngine = async (id: string) => {
    await engine.drop(id)
    opened.delete(id)
  }
  const discard = async (row: GenerationRow) => {
    await dropInEngine(engineIdOf(row))
    await storage.write(writer => removeGeneration(writer, row))
  }
  /** Queries may still run on it. What could not be dropped is dropped at the next start. */
  const retire = (id: string, drop: () => Promise<void>) => {
    if (retiring.has(id)) return
    const timer = setTimeout(() => {
      tracked(drop())
        .catch(() => {})
        .finally(() => retiring.delete(id))
    }, graceMs).unref()
    retiring.set(id, timer)
  }
  const isKept = (row: GenerationRow) => !retiring.has(engineIdOf(row))
  const count = async (row: GenerationRow) => {
    const id = engineIdOf(row)
    if (opened.has(id)) await countGeneration(storage.db, row.id, engine.info(id).documents)
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
  const gateOf = (workspaceId: string, collection: string) => `${workspaceId} ${collection}`
  const liveOf = (workspaceId: string, collection: string): Known | undefined =>
    known.get(workspaceId)?.get(collection)?.promoted[0]

  /** Makes a generation and fills it; nothing is left of it when that fails. */
  const build = async <T>(next: NewGeneration, fill: (engineId: string) => Promise<T>) => {
    const row = await storage.write(writer => createGeneration(writer, next))
    try {
      await openInEngine(row.id, specOf(row))
      const filled = await fill(row.id)
      await engine.refresh(row.id)
      return { row, filled }
    } catch (error) {
      // The failure is what counts; what is left of the generation is dropped at the next start at the latest.
      await discard(row).catch(() => {})
      throw error
    }
  }
  /** The generation with these documents and the fields that are defined now; built beside, where it has others. */
  const upToDate = (given: GenerationRow): Promise<GenerationRow> =>
    workspaces.alone(`build ${given.id}`, async () => {
      const { workspace_id: workspaceId, collection } = given
      const rows = await listGenerations(storage.db, workspaceId, collection)
      const row = rows.find(({ id }) => id === given.id) ?? given
      const definition = (await findWorkspaceById(storage.db, workspaceId))?.definition
      const key = definition && wantedSpecKey(definition, collection)
      if (!definition || key === undefined || key === specKey(specOf(row))) return row
      const spec = generationSpec(definition, collection)
      const [before, after] = [engineIdOf(row), engineIdOf({ id: row.id, build: row.build + 1 })]
      await openInEngine(before, specOf(row))
      try {
        await openInEngine(after, spec)
        await engine.copy(before, after)
        await engine.refresh(after)
      } catch (error) {
        await dropInEngine(after).catch(() => {})
        throw error
      }
      await storage.write(writer => saveGenerationSpec(writer, row, spec))
      await load(workspaceId)
      retire(before, () => dropInEngine(before))
      return { ...row, spec_json: JSON.stringify(spec), build: row.build + 1 }
    })

  /** What the live generation's documents are, in a generation that is as defined; undefined when it is that already. */
  const buildAnew = async (workspaceId: string, collection: string, definition: Definition) => {
    const live = liveOf(workspaceId, collection)
    const spec = generationSpec(definition, collection)
    if (live?.specKey === specKey(spec)) return undefined
    const origin = live && { origin: live.row.origin ?? live.row.number }
    const { row } = await build({ workspaceId, collection, spec, ...origin }, async id => {
      if (live) await engine.copy(live.id, id)
    })
    return { row, live }
  }
  type Built = NonNullable<Awaited<ReturnType<typeof buildAnew>>>

  const redefine = <T>(
    workspaceId: string,
    definition: Definition,
    commit: (promote: Promote) => Promise<T>,
  ): Promise<T> => {
    const names = Object.keys(definition.collections ?? {}).toSorted()
    const changed = () =>
      names.filter(name => liveOf(workspaceId, name)?.specKey !== wantedSpecKey(definition, name))
    /** Writes wait from here to the exchange: none is lost, and each copy is of a collection that stands still. */
    const holding = (held: readonly string[], work: () => Promise<T>): Promise<T> => {
      const [first, ...others] = held
      if (first === undefined) return work()
      return collections.alone(gateOf(workspaceId, first), () => holding(others, work))
    }
    const exchange = async (held: readonly string[]) => {
      const built: Built[] = []
      try {
        for (const name of held) {
          const next = await buildAnew(workspaceId, name, definition)
          if (next) built.push(next)
        }
        const done = await commit(async writer => {
          for (const { row } of built) await finishGeneration(writer, row, true)
        })
        await load(workspaceId)
        for (const { live } of built) if (live) await count(live.row)
        return done
      } catch (error) {
        await load(workspaceId).catch(() => {})
        // One that answers now stays, whatever failed after the exchange.
        for (const { row } of built)
          if (liveOf(workspaceId, row.collection)?.row.id !== row.id) await discard(row).catch(() => {})
        throw error
      }
    }
    return workspaces.alone(`reconcile ${workspaceId}`, async () => {
      const held = changed()
      return holding(held, () => exchange(held))
    })
  }

  const bringInLine = (workspaceId: string, collection: string, definition: Definition) => {
    if (liveOf(workspaceId, collection)?.specKey === wantedSpecKey(definition, collection)) return
    return collections.alone(gateOf(workspaceId, collection), async () => {
      const next = await buildAnew(workspaceId, collection, definition)
      if (!next) return
      await storage.write(writer => finishGeneration(writer, next.row, true))
      await load(workspaceId)
      if (next.live) await count(next.live.row)
    })
  }
  const removeCollection = (workspaceId: string, collection: string) =>
    collections.alone(gateOf(workspaceId, collection), async () => {
      // Of a workspace that was removed the rows are gone already: then memory alone knows what to drop.
      const rows = new Map(
        [
          ...(known.get(workspaceId)?.get(collection)?.rows ?? []),
          ...(await listGenerations(storage.db, workspaceId, collection)),
        ].map(row => [row.id, row]),
      )
      await storage.write(writer => demoteGenerations(writer, workspaceId, collection))
      await load(workspaceId)
      for (const row of rows.values()) retire(engineIdOf(row), () => discard(row))
    })
  /** Those beside the live one that some configuration answers with get its fields too; what nothing keeps goes. */
  const tend = async (workspaceId: string, definition: Definition) => {
    const rows = await listGenerations(storage.db, workspaceId)
    for (const [collection, all] of Map.groupBy(rows, row => row.collection)) {
      if (!Object.hasOwn(definition.collections ?? {}, collection)) continue
      const kept = all.filter(isKept)
      const [live] = promotedOf(kept)
      for (const row of answeringRows(kept, definition, collection)) if (row !== live) await upToDate(row)
      for (const row of surplusRows(kept, definition, collection)) retire(engineIdOf(row), () => discard(row))
    }
    await load(workspaceId)
  }
  const reconcile = (workspaceId: string): Promise<void> =>
    workspaces.alone(`reconcile ${workspaceId}`, async () => {
      // As it is now: another change may have been committed since the caller's.
      const definition = (await findWorkspaceById(storage.db, workspaceId))?.definition
      const names = Object.keys(definition?.collections ?? {})
      for (const name of names) if (definition) await bringInLine(workspaceId, name, definition)
      for (const name of known.get(workspaceId)?.keys() ?? [])
        if (!names.includes(name)) await removeCollection(workspaceId, name)
      if (definition) await tend(workspaceId, definition)
    })

  const openWorkspace = async (workspaceId: string): Promise<void> => {
    const rows = await load(workspaceId)
    for (const row of rows) {
      for (const id of strayIdsOf(row)) await dropInEngine(id)
      if (row.state !== 'ready') await discard(row)
    }
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
      ({ row, specKey }) => specKey === key && origin !== null && origin === (row.origin ?? row.number),
    )
  }
  const answering: Collections['answering'] = async (workspace, collection, config) => {
    const choice = choiceOf(workspace.definition, config, collection)
    if (choice === 'live') {
      const found = promotedFor(workspace, collection)
      if (found) return found
      await loading.get(workspace.id)?.catch(() => {})
      return promotedFor(workspace, collection) ?? liveOf(workspace.id, collection)
    }
    const row = chosen(known.get(workspace.id)?.get(collection)?.rows ?? [], choice)
    const id = row && engineIdOf(row)
    return row && id !== undefined && opened.has(id) ? { id, name: nameOf(row) } : undefined
  }

  const write: Collections['write'] = (workspaceId, collection, work, alone = false) =>
    collections[alone ? 'alone' : 'share'](gateOf(workspaceId, collection), async () => {
      const live = liveOf(workspaceId, collection)
      if (!live) throw notReady(collection)
      return work(live.id)
    })
  const replace: Collections['replace'] = async (workspaceId, collection, fill, stage = false) => {
    const live = liveOf(workspaceId, collection)
    if (!live) throw notReady(collection)
    const { row, filled } = await build({ workspaceId, collection, spec: specOf(live.row) }, fill)
    await count(row)
    const finish = async () => {
      // Fields may have changed while the stream came in.
      const current = await upToDate(row)
      const before = liveOf(workspaceId, collection)
      await storage.write(writer => finishGeneration(writer, current, !stage))
      await load(workspaceId)
      if (before && !stage) await count(before.row)
    }
    await (stage ? finish() : collections.alone(gateOf(workspaceId, collection), finish))
    await reconcile(workspaceId)
    return filled
  }
  const putTogether: Collections['putTogether'] = async (workspaceId, collection, fill) => {
    // Nothing is searched in it.
    const spec: GenerationSpec = { fields: [], synonyms: [] }
    const { row, filled } = await build({ workspaceId, collection, spec, aside: true }, fill)
    try {
      await write(workspaceId, collection, id => engine.copy(row.id, id))
      return filled
    } finally {
      // What could not be dropped is dropped at the next start.
      await discard(row).catch(() => {})
    }
  }

  const keptRows = async (workspaceId: string, collection: string) =>
    (await listGenerations(storage.db, workspaceId, collection)).filter(
      row => row.state !== 'aside' && isKept(row),
    )
  const list: Collections['list'] = async ({ id: workspaceId, definition }, collection) => {
    const rows = await keptRows(workspaceId, collection)
    const [live] = promotedOf(rows)
    const answers = (row: GenerationRow) =>
      configurationNames(definition).filter(
        name => chosen(rows, choiceOf(definition, name, collection)) === row,
      )
    return rows.map(row => {
      const id = engineIdOf(row)
      return {
        name: nameOf(row),
        createdAt: row.created_at,
        documents: opened.has(id) ? engine.info(id).documents : (row.documents ?? undefined),
        state: row.state === 'ready' ? (row === live ? 'promoted' : 'complete') : 'building',
        configurations: answers(row),
      }
    })
  }
  const promote: Collections['promote'] = async (workspaceId, collection, choose, also) => {
    const name = await collections.alone(gateOf(workspaceId, collection), async () => {
      const rows = await keptRows(workspaceId, collection)
      const names = (state: GenerationRow['state']) =>
        rows.filter(row => row.state === state).map(row => nameOf(row))
      const latest = latestOf(rows)
      const wantedName = choose({
        complete: names('ready'),
        building: names('building'),
        latest: latest && nameOf(latest),
        promoted: promotedOf(rows).map(nameOf),
      })
      const row = rows.find(other => nameOf(other) === wantedName)
      if (!row) throw new Error('a generation was chosen that is not there')
      const before = liveOf(workspaceId, collection)
      if (before?.row.id === row.id) return wantedName
      const current = await upToDate(row)
      await storage.write(async writer => {
        await finishGeneration(writer, current, true)
        await also(writer, wantedName)
      })
      await load(workspaceId)
      if (before) await count(before.row)
      return wantedName
    })
    await reconcile(workspaceId)
    return name
  }

  return {
    live: (workspaceId, collection) => liveOf(workspaceId, collection),
    answering,
    redefine: (...given) => tracked(redefine(...given)),
    reconcile: workspaceId => tracked(reconcile(workspaceId)),
    write,
    replace: (...given) => tracked(replace(...given)),
    putTogether: (...given) => tracked(putTogether(...given)),
    list,
    promote: (...given) => tracked(promote(...given)),
    async close() {
      stopListening()
      for (const timer of retiring.values()) clearTimeout(timer)
      await Promise.allSettled(underway)
    },
  }
}

const notReady = (collection: string): Problem =>
  new Problem('unavailable', `the collection "${collection}" is being made ready; try again shortly`)
