/**
 * Generations of collections: which one answers, and how the next takes its place. A query sees the one before or the one after,
 * never a half-built one (workspace-file.md). Any number of nodes may do so at once, each leaning on gates that all of them share.
 */
import type { Definition } from '@querent/contract/workspace-file'
import { type Engine, EngineError, type GenerationSpec } from '#engines/engine'
import { Problem } from '#errors'
import type { Storage, Writer } from '#storage/db'
import {
  finishGeneration,
  type GenerationRow,
  listGenerations,
  makeEngineId,
  removeGeneration,
} from '#storage/generations'
import type { Locks } from '#storage/locks'
import { findWorkspaceById, listWorkspaceIds } from '#storage/workspaces'
import { type Held, openGates } from './cluster-lock.ts'
import type { Collections, Promote } from './collections.ts'
import { openBuilding } from './generation-builder.ts'
import { keptGate, openRetiring } from './generation-gc.ts'
import { openKnownGenerations } from './generation-registry.ts'
import {
  answeringRows,
  choiceOf,
  chosen,
  configurationNames,
  isInLine,
  latestOf,
  nameOf,
  promotedOf,
  specOf,
  wantedSpecKey,
} from './generation-rows.ts'
import { forWorkspaces, openHearing } from './generation-subscriber.ts'
import { openRounds } from './reconcile-loop.ts'

export interface CollectionsDependencies {
  storage: Storage
  engine: Engine
  /** Between the nodes that share storage and engine; undefined: there is this one only. */
  locks?: Locks | undefined
  /** For how long a superseded generation stays for the queries that run on it, here and on nodes that have not heard of it yet. */
  graceMs?: number
  /** An engine that does not answer is no reason to end: what it holds is opened by whoever needs it, or by a later round. */
  mayBeAway?: boolean
  /** How many of those that answer are open when this is done; 16. An engine may open the others when they are used. */
  openAtStart?: number
}

/** Finds the generations that answer, of every collection, and finishes what a crash left half done. */
export const openCollections = async ({
  storage,
  engine,
  locks,
  graceMs = 30_000,
  mayBeAway = false,
  openAtStart = openAtStartMax,
}: CollectionsDependencies): Promise<Collections> => {
  const known = openKnownGenerations({ storage, engine })
  const { opened, openLater, openNow, documentsOf, count, dropInEngine, load, liveOf } = known
  const gates = openGates(locks)
  const { build, builtAnew, upToDate, copyLive } = openBuilding({ storage, engine, known, gates, graceMs })
  const retiring = openRetiring({ storage, known, gates, graceMs })
  const underway = new Set<Promise<unknown>>()

  const tracked = <T>(work: Promise<T>): Promise<T> => {
    underway.add(work)
    const forget = () => underway.delete(work)
    work.then(forget, forget)
    return work
  }

  const gateOf = (workspaceId: string, collection: string) => `${workspaceId} ${collection}`
  /** What another node has changed is known before `work` leans on it. */
  const catchUp = async (workspaceId: string, collection: string) => {
    if (locks) await known.catchUp(workspaceId, collection)
  }
  const aloneIn = <T>(
    workspaceId: string,
    collection: string,
    work: (held: Held) => Promise<T>,
  ): Promise<T> =>
    gates.alone(gateOf(workspaceId, collection), async held => {
      await catchUp(workspaceId, collection)
      return work(held)
    })
  /** The same for several, always in one order: nobody waits for whoever waits for them. */
  const aloneInAll = <T>(
    workspaceId: string,
    names: readonly string[],
    work: (held: Held[]) => Promise<T>,
  ): Promise<T> => {
    const [first, ...others] = names
    if (first === undefined) return work([])
    return aloneIn(workspaceId, first, held => aloneInAll(workspaceId, others, rest => work([held, ...rest])))
  }
  /** Completes it, if all that it leans on was held until now. */
  const complete = async (writer: Writer, row: GenerationRow, promote: boolean, held: readonly Held[]) => {
    await finishGeneration(writer, row, promote)
    for (const each of held) each.confirm(writer)
  }

  /** Builds what each collection needs; all of it is completed in one `commit`, and dropped when that fails. */
  const buildAll = <T>(
    workspaceId: string,
    names: readonly string[],
    definition: Definition,
    commit: (built: { row: GenerationRow; held: Held }[]) => Promise<T>,
  ): Promise<T> => {
    const [name, ...others] = names
    if (name === undefined) return commit([])
    return copyLive(workspaceId, name, definition, (row, held) =>
      buildAll(workspaceId, others, definition, built =>
        commit(row && held ? [{ row, held }, ...built] : built),
      ),
    )
  }
  const redefine = <T>(
    workspaceId: string,
    definition: Definition,
    commit: (promote: Promote) => Promise<T>,
  ): Promise<T> => {
    const names = Object.keys(definition.collections ?? {}).toSorted()
    const isChanged = (name: string) => liveOf(workspaceId, name)?.specKey !== wantedSpecKey(definition, name)
    return gates.alone(`reconcile ${workspaceId}`, async reconciling => {
      if (locks) await load(workspaceId)
      const changed = names.filter(isChanged)
      // Writes wait from here to the exchange: none is lost, and each copy is of a collection that stands still.
      return aloneInAll(workspaceId, changed, held =>
        buildAll(workspaceId, changed, definition, async built => {
          const before = built.map(({ row }) => liveOf(workspaceId, row.collection))
          try {
            return await commit(async writer => {
              for (const { row } of built) await finishGeneration(writer, row, true)
              for (const each of [reconciling, ...held, ...built.map(each => each.held)]) each.confirm(writer)
            })
          } finally {
            await load(workspaceId).catch(() => {})
            for (const live of before) if (live) await count(live.row)
          }
        }),
      )
    })
  }

  const bringInLine = async (workspaceId: string, collection: string, definition: Definition) => {
    if (liveOf(workspaceId, collection)?.specKey === wantedSpecKey(definition, collection)) return
    await aloneIn(workspaceId, collection, held =>
      copyLive(workspaceId, collection, definition, async (row, building) => {
        if (!row || !building) return
        const before = liveOf(workspaceId, collection)
        await storage.write(writer => complete(writer, row, true, [held, building]))
        await load(workspaceId)
        if (before) await count(before.row)
      }),
    )
  }
  const removeCollection = (workspaceId: string, collection: string) =>
    aloneIn(workspaceId, collection, async () => {
      // Those of a workspace that was removed are to be dropped already.
      await retiring.retire(workspaceId, rows => rows.filter(row => row.collection === collection))
      await load(workspaceId)
    })
  /** Those beside the live one that some configuration answers with get its fields too; what nothing keeps goes. */
  const tend = async (workspaceId: string, definition: Definition, goingOn: GoingOn) => {
    const rows = (await listGenerations(storage.db, workspaceId)).filter(({ state }) => state === 'ready')
    for (const [collection, all] of Map.groupBy(rows, row => row.collection)) {
      if (!Object.hasOwn(definition.collections ?? {}, collection)) continue
      const [live] = promotedOf(all)
      for (const row of answeringRows(all, definition, collection))
        if (row !== live) await goingOn(upToDate(row))
    }
    await retiring.retireSurplus(workspaceId, definition)
  }
  const bringAllInLine = async (workspaceId: string): Promise<void> => {
    const failures: EngineError[] = []
    // What one collection cannot be opened for keeps no other from it; who called is told all the same, and tries again.
    const goingOn: GoingOn = work =>
      work.catch(error => {
        if (!(error instanceof EngineError)) throw error
        failures.push(error)
      })
    await load(workspaceId)
    // As it is now: another change may have been committed since the caller's.
    const definition = (await findWorkspaceById(storage.db, workspaceId))?.definition
    const names = Object.keys(definition?.collections ?? {})
    for (const name of names) if (definition) await goingOn(bringInLine(workspaceId, name, definition))
    for (const name of known.namesOf(workspaceId))
      if (!names.includes(name)) await removeCollection(workspaceId, name)
    if (definition) await tend(workspaceId, definition, goingOn)
    await load(workspaceId)
    await retiring.restIdle(workspaceId)
    if (failures[0]) throw failures[0]
  }
  const reconcile = (workspaceId: string): Promise<void> =>
    gates.alone(`reconcile ${workspaceId}`, () => bringAllInLine(workspaceId))

  /** False: another node is at it, and it is left to that. */
  const reconcileUnlessInLine = async (workspaceId: string): Promise<boolean> => {
    const rows = await load(workspaceId)
    const definition = (await findWorkspaceById(storage.db, workspaceId))?.definition
    if (!definition || isInLine(rows, definition)) return true
    return gates.tryAlone(`reconcile ${workspaceId}`, () => bringAllInLine(workspaceId))
  }
  await retiring.sweep(locks === undefined)
  // Before the first is read: what changes from then on is heard of.
  const hearing = openHearing({
    storage,
    known,
    async read(workspaceId) {
      await load(workspaceId)
      if (locks) await retiring.restIdle(workspaceId)
    },
    tracked,
  })
  await forWorkspaces(
    (await listWorkspaceIds(storage.db)).map(({ id }) => id),
    id =>
      reconcileUnlessInLine(id).catch(error => {
        // An engine elsewhere keeps a collection from being brought in line, and the others no more than that: a later round tries again.
        if (!(mayBeAway || locks) || !(error instanceof EngineError)) throw error
        known.behind.add(id)
      }),
  )
  await known.openNewest(openAtStart)
  const rounds = openRounds({
    storage,
    everyMs: Math.min(graceMs, 10_000),
    readAgain: hearing.readAgain,
    sweep: () => tracked(retiring.sweep()),
    reconcile: locks ? id => tracked(reconcileUnlessInLine(id)) : undefined,
  })

  const write: Collections['write'] = (workspaceId, collection, work, alone = false) => {
    const onLive = async () => {
      const live = liveOf(workspaceId, collection)
      if (!live) throw notReady(collection)
      return work(live.id)
    }
    if (alone) return aloneIn(workspaceId, collection, onLive)
    return gates.share(gateOf(workspaceId, collection), onLive, () => catchUp(workspaceId, collection))
  }
  const replace: Collections['replace'] = async (workspaceId, collection, fill, stage = false, also) => {
    if (!liveOf(workspaceId, collection)) await catchUp(workspaceId, collection)
    const live = liveOf(workspaceId, collection)
    if (!live) throw notReady(collection)
    type Also = (writer: Writer) => Promise<void> | undefined
    const finish = async (row: GenerationRow, building: Held, held: readonly Held[], record: Also) => {
      // Fields may have changed while the stream came in.
      const current = await builtAnew(row, building)
      const before = liveOf(workspaceId, collection)
      await storage.write(async writer => {
        await record(writer)
        await complete(writer, current, !stage, [building, ...held])
      })
      await load(workspaceId)
      if (before && !stage) await count(before.row)
    }
    const spec = specOf(live.row)
    const filled = await build({ workspaceId, collection, spec }, fill, async (row, filled, building) => {
      await count(row)
      const record: Also = writer => also?.(writer, filled)
      await (stage
        ? finish(row, building, [], record)
        : aloneIn(workspaceId, collection, held => finish(row, building, [held], record)))
      return filled
    })
    await reconcile(workspaceId)
    return filled
  }
  const putTogether: Collections['putTogether'] = (workspaceId, collection, fill, confirm, check) => {
    // Nothing is searched in it.
    const spec: GenerationSpec = { fields: [], synonyms: [] }
    return build({ workspaceId, collection, spec, isScratch: true }, fill, async (row, filled) => {
      const put = async (live: string) => {
        await check?.(row.id, live)
        await confirm()
        await engine.copy(row.id, live)
      }
      await write(workspaceId, collection, put, check !== undefined)
      // What could not be dropped is dropped by the next round.
      await discardAside(row).catch(() => {})
      return filled
    })
  }
  const discardAside = async (row: GenerationRow) => {
    await dropInEngine(row.id)
    await storage.write(writer => removeGeneration(writer, row))
  }

  const keptRows = async (workspaceId: string, collection: string) =>
    (await listGenerations(storage.db, workspaceId, collection)).filter(row => row.state !== 'aside')
  const list: Collections['list'] = async (
    { id: workspaceId, definition },
    collection,
    mayOpen = () => true,
  ) => {
    const rows = await keptRows(workspaceId, collection)
    const [live] = promotedOf(rows)
    const answers = (row: GenerationRow) =>
      configurationNames(definition).filter(
        name => chosen(rows, choiceOf(definition, name, collection)) === row,
      )
    const counted = async (row: GenerationRow): Promise<number | undefined> => {
      const before = row.documents ?? undefined
      const id = makeEngineId(row)
      if (!opened.has(id)) return before
      // One that cannot be opened is listed all the same.
      const documents = await documentsOf(id, engine.isOpened?.(id) === false && mayOpen()).catch(
        () => undefined,
      )
      return documents ?? before
    }
    const documents = await Promise.all(rows.map(counted))
    return rows.map((row, at) => {
      return {
        name: nameOf(row),
        createdAt: row.created_at,
        documents: documents[at],
        state: row.state === 'ready' ? (row === live ? 'promoted' : 'complete') : 'building',
        promotedAt: row.promoted_at ?? undefined,
        configurations: answers(row),
      }
    })
  }
  const promote: Collections['promote'] = async (workspaceId, collection, choose, also) => {
    const name = await aloneIn(workspaceId, collection, async held => {
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
      await openNow(current)
      await storage.write(async writer => {
        await complete(writer, current, true, [held])
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
    live: known.answeringNow,
    planRemoval: retiring.planRemoval,
    answering: known.answering,
    redefine: (...given) => tracked(redefine(...given)),
    reconcile: workspaceId => tracked(reconcile(workspaceId)),
    write,
    replace: (...given) => tracked(replace(...given)),
    putTogether: (...given) => tracked(putTogether(...given)),
    list,
    promote: (...given) => tracked(promote(...given)),
    keeping: work => tracked(gates.share(keptGate, work)),
    async opening(row) {
      const id = makeEngineId(row)
      const wasOpen = opened.has(id)
      await openLater(row)
      if (!wasOpen) retiring.rest(id)
      return id
    },
    async close() {
      hearing.close()
      rounds.close()
      retiring.close()
      await Promise.allSettled(underway)
    },
  }
}

type GoingOn = (work: Promise<unknown>) => Promise<unknown>

/** More would make the start long, and each can be opened in the time of a query. */
export const openAtStartMax = 16

const notReady = (collection: string): Problem =>
  new Problem('unavailable', `the collection "${collection}" is being made ready; try again shortly`)
