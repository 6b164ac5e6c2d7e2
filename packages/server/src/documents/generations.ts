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
import { allWorkspaceIds, findWorkspaceById } from '#storage/workspaces'
import type { Collections, Promote } from './collections.ts'
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
import { openKnownGenerations } from './known-generations.ts'

export interface CollectionsDependencies {
  storage: Storage
  engine: Engine
  /** For how long a superseded generation stays for the queries that run on it: longer than any of them may take. */
  graceMs?: number
}

/** Drops and closings of generations have it alone; who reads them all shares it. */
const keptGate = 'kept'
/** Workspaces that are opened at the same time at start. */
const openedAtOnce = 8

/** Opens the generations that answer, of every collection, and finishes what a crash left half done. */
export const openCollections = async ({
  storage,
  engine,
  graceMs = 30_000,
}: CollectionsDependencies): Promise<Collections> => {
  const known = openKnownGenerations({ storage, engine })
  const { opened, openInEngine, dropInEngine, load, liveOf } = known
  const workspaces = openGates()
  const collections = openGates()
  const underway = new Set<Promise<unknown>>()
  /** Ids in the engine of what is dropped after its grace, and must not answer anew. */
  const retiring = new Map<string, { timer: NodeJS.Timeout; drop: () => Promise<void> }>()
  /** Of those, what no next start will know of, because the rows went with their workspace. */
  const orphans = new Set<string>()

  const tracked = <T>(work: Promise<T>): Promise<T> => {
    underway.add(work)
    const forget = () => underway.delete(work)
    work.then(forget, forget)
    return work
  }
  const discard = async (row: GenerationRow) => {
    await dropInEngine(engineIdOf(row))
    await storage.write(writer => removeGeneration(writer, row))
  }
  /** Queries may still run on it. What could not be dropped is dropped at the next start. */
  const retire = (id: string, drop: () => Promise<void>) => {
    if (retiring.has(id)) return
    const timer = setTimeout(() => {
      tracked(workspaces.alone(keptGate, drop))
        .catch(() => {})
        .finally(() => retiring.delete(id))
    }, graceMs).unref()
    retiring.set(id, { timer, drop })
  }
  /** Ids in the engine of what is closed after its grace, unless it answers again by then. */
  const resting = new Map<string, NodeJS.Timeout>()
  /** One that is kept costs memory while it is open. What is built from it meanwhile comes first. */
  const rest = (row: GenerationRow) => {
    const id = engineIdOf(row)
    if (resting.has(id)) return
    const close = async () => {
      resting.delete(id)
      await workspaces.alone(`build ${row.id}`, () => known.rest(row))
    }
    const timer = setTimeout(() => tracked(workspaces.alone(keptGate, close)).catch(() => {}), graceMs)
    resting.set(id, timer.unref())
  }
  const isKept = (row: GenerationRow) => !retiring.has(engineIdOf(row))
  const count = async (row: GenerationRow) => {
    const id = engineIdOf(row)
    if (opened.has(id)) await countGeneration(storage.db, row.id, engine.info(id).documents)
  }

  const gateOf = (workspaceId: string, collection: string) => `${workspaceId} ${collection}`
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
          ...known.rowsOf(workspaceId, collection),
          ...(await listGenerations(storage.db, workspaceId, collection)),
        ].map(row => [row.id, row]),
      )
      await storage.write(writer => demoteGenerations(writer, workspaceId, collection))
      await load(workspaceId)
      const isOrphaned = !(await findWorkspaceById(storage.db, workspaceId))
      for (const row of rows.values()) {
        if (isOrphaned) orphans.add(engineIdOf(row))
        retire(engineIdOf(row), () => discard(row))
      }
    })
  /** Those beside the live one that some configuration answers with get its fields too; what nothing keeps goes. */
  const tend = async (workspaceId: string, definition: Definition) => {
    const rows = await listGenerations(storage.db, workspaceId)
    for (const [collection, all] of Map.groupBy(rows, row => row.collection)) {
      if (!Object.hasOwn(definition.collections ?? {}, collection)) continue
      const kept = all.filter(isKept)
      const [live] = promotedOf(kept)
      const answering = answeringRows(kept, definition, collection)
      for (const row of answering) if (row !== live) await upToDate(row)
      const surplus = surplusRows(kept, definition, collection)
      for (const row of surplus) retire(engineIdOf(row), () => discard(row))
      const idle = kept.filter(row => ![...answering, ...surplus].includes(row))
      for (const row of idle) if (row.state === 'ready' && opened.has(engineIdOf(row))) rest(row)
    }
    await load(workspaceId)
  }
  const reconcile = (workspaceId: string): Promise<void> =>
    workspaces.alone(`reconcile ${workspaceId}`, async () => {
      // As it is now: another change may have been committed since the caller's.
      const definition = (await findWorkspaceById(storage.db, workspaceId))?.definition
      const names = Object.keys(definition?.collections ?? {})
      for (const name of names) if (definition) await bringInLine(workspaceId, name, definition)
      for (const name of known.namesOf(workspaceId))
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
  const putTogether: Collections['putTogether'] = async (workspaceId, collection, fill, check) => {
    // Nothing is searched in it.
    const spec: GenerationSpec = { fields: [], synonyms: [] }
    const { row, filled } = await build({ workspaceId, collection, spec, aside: true }, fill)
    try {
      const put = async (live: string) => {
        await check?.(row.id, live)
        await engine.copy(row.id, live)
      }
      await write(workspaceId, collection, put, check !== undefined)
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
        promotedAt: row.promoted_at ?? undefined,
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
    answering: known.answering,
    redefine: (...given) => tracked(redefine(...given)),
    reconcile: workspaceId => tracked(reconcile(workspaceId)),
    write,
    replace: (...given) => tracked(replace(...given)),
    putTogether: (...given) => tracked(putTogether(...given)),
    list,
    promote: (...given) => tracked(promote(...given)),
    keeping: work => tracked(workspaces.share(keptGate, work)),
    async opening(row) {
      const id = engineIdOf(row)
      const wasOpen = opened.has(id)
      await openInEngine(id, specOf(row))
      if (!wasOpen) rest(row)
      return id
    },
    async close() {
      stopListening()
      for (const timer of resting.values()) clearTimeout(timer)
      for (const [id, { timer, drop }] of retiring) {
        clearTimeout(timer)
        if (orphans.has(id)) tracked(drop()).catch(() => {})
      }
      await Promise.allSettled(underway)
    },
  }
}

const notReady = (collection: string): Problem =>
  new Problem('unavailable', `the collection "${collection}" is being made ready; try again shortly`)
