/** Makes generations: filled by an import, or from the documents of another that has other fields. */
import { randomUUID } from 'node:crypto'
import type { Definition } from '@querent/contract/workspace-file'
import type { Engine, GenerationSpec } from '#engines/engine'
import type { Storage } from '#storage/db'
import { removeDrop, scheduleDrop } from '#storage/engine-drops'
import {
  createGeneration,
  findGeneration,
  type GenerationRow,
  makeEngineId,
  type NewGeneration,
  removeGeneration,
  saveGenerationSpec,
} from '#storage/generations'
import { findWorkspaceById } from '#storage/workspaces'
import type { Gates, Held } from './cluster-lock.ts'
import type { KnownGenerations } from './generation-registry.ts'
import { specKey, specOf, wantedSpecKey } from './generation-rows.ts'
import { generationSpec } from './generation-spec.ts'

export interface BuildingDependencies {
  storage: Storage
  engine: Engine
  known: KnownGenerations
  gates: Gates
  graceMs: number
}

/** Whoever builds a generation has it alone until it is complete: that of one which nobody holds has died. */
export const buildGate = (generation: string): string => `build ${generation}`

export const openBuilding = ({ storage, engine, known, gates, graceMs }: BuildingDependencies) => {
  const { openInEngine, openNow, dropInEngine, load, liveOf } = known

  const discard = async (row: GenerationRow) => {
    await dropInEngine(makeEngineId(row))
    await storage.write(writer => removeGeneration(writer, row))
  }
  /**
   * Makes a generation, fills it, and hands it to `finish`, which completes it or not; nothing is left of it when either fails. The
   * gate is held all the time, so that no node takes it for one whose builder has died.
   */
  const build = <T, R>(
    next: Omit<NewGeneration, 'id'>,
    fill: (engineId: string) => Promise<T>,
    finish: (row: GenerationRow, filled: T, held: Held) => Promise<R>,
  ): Promise<R> => {
    const id = randomUUID()
    return gates.alone(buildGate(id), async held => {
      const row = await storage.write(writer => createGeneration(writer, { ...next, id }))
      try {
        await openInEngine(row)
        const filled = await fill(row.id)
        await engine.refresh(row.id)
        return await finish(row, filled, held)
      } catch (error) {
        // One that is complete stays, whatever failed after that. The failure is what counts; what is left is dropped by whoever finds it.
        const current = await findGeneration(storage.db, id).catch(() => row)
        if (current?.state !== 'ready') await discard(current ?? row).catch(() => {})
        throw error
      }
    })
  }
  /** The generation with these documents and the fields that are defined now; built beside, where it has others. Its gate is held. */
  const builtAnew = async (given: GenerationRow, held: Held): Promise<GenerationRow> => {
    const { workspace_id: workspaceId, collection } = given
    const row = (await findGeneration(storage.db, given.id)) ?? given
    const definition = (await findWorkspaceById(storage.db, workspaceId))?.definition
    const key = definition && wantedSpecKey(definition, collection)
    if (!definition || key === undefined || key === specKey(specOf(row))) return row
    const spec = generationSpec(definition, collection)
    const next = { ...row, build: row.build + 1, spec_json: JSON.stringify(spec) }
    const [before, after] = [makeEngineId(row), makeEngineId(next)]
    const drop = { workspace_id: workspaceId, generation: row.id }
    await openNow(row)
    await storage.write(writer => scheduleDrop(writer, storage.kind, { id: after, ...drop }, 0))
    try {
      await openInEngine(next, spec)
      await engine.copy(before, after)
      await engine.refresh(after)
      await storage.write(async writer => {
        await saveGenerationSpec(writer, row, spec)
        await removeDrop(writer.db, after)
        await scheduleDrop(writer, storage.kind, { id: before, ...drop }, graceMs)
        held.confirm(writer)
      })
    } catch (error) {
      await dropUnused(row, after).catch(() => {})
      throw error
    }
    await load(workspaceId)
    return next
  }
  /** What was built, unless it is in use: a commit may have failed only in what was heard of it. */
  const dropUnused = async (row: GenerationRow, id: string) => {
    const current = await findGeneration(storage.db, row.id)
    if (current && makeEngineId(current) === id) return
    await dropInEngine(id)
    await removeDrop(storage.db, id)
  }

  return {
    build,
    builtAnew,
    /** The same for one that nobody builds. */
    upToDate: (row: GenerationRow): Promise<GenerationRow> =>
      gates.alone(buildGate(row.id), held => builtAnew(row, held)),
    /**
     * Puts what the live generation's documents are in one that is as defined, and hands it to `finish`; undefined when it is that
     * already.
     */
    async copyLive<R>(
      workspaceId: string,
      collection: string,
      definition: Definition,
      finish: (row: GenerationRow | undefined, held: Held | undefined) => Promise<R>,
    ): Promise<R> {
      const live = liveOf(workspaceId, collection)
      const spec: GenerationSpec = generationSpec(definition, collection)
      if (live?.specKey === specKey(spec)) return finish(undefined, undefined)
      // Nothing is made, round after round, of what cannot be read.
      if (live) await openNow(live.row)
      const origin = live && { origin: live.row.origin ?? live.row.number }
      const fill = async (id: string) => {
        if (live) await engine.copy(live.id, id)
      }
      return build({ workspaceId, collection, spec, ...origin }, fill, (row, _, held) => finish(row, held))
    },
  }
}
