/** Builds generations: filled by an import, or with the documents of another generation that has other fields. */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { splitFields } from '@querent/contract/object-fields'
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
import type { ClusterLocks, LockHandle } from './cluster-lock.ts'
import type { EngineGenerations } from './engine-generations.ts'
import { compileFieldValues, isValueMisfit, tooManyReaders } from './field-values.ts'
import type { GenerationRegistry } from './generation-registry.ts'
import { definedSpecKey, readSpec, specKey } from './generation-rows.ts'
import { findCollection, generationSpec } from './generation-spec.ts'
import { parseEntity, replaceIndexed } from './stored-entity.ts'

interface BuilderDependencies {
  storage: Storage
  engine: Engine
  engineGenerations: EngineGenerations
  registry: GenerationRegistry
  clusterLocks: ClusterLocks
  graceMs: number
}

/** The builder of a generation holds this lock until it is complete. If nobody holds it, the builder has died. */
export const buildLockKey = (generation: string): string => `build ${generation}`

export type GenerationBuilder = ReturnType<typeof createGenerationBuilder>

export const createGenerationBuilder = (deps: BuilderDependencies) => {
  const { storage, engine, engineGenerations, registry, clusterLocks } = deps
  const discard = async (row: GenerationRow) => {
    await engineGenerations.drop(makeEngineId(row))
    await storage.write(writer => removeGeneration(writer, row))
  }
  /**
   * Creates a generation, fills it, and passes it to `finish`, which may complete it. If either fails, the generation is dropped. The
   * lock is held all the time, so that no node takes the builder for dead.
   */
  const build = <T, R>(
    next: Omit<NewGeneration, 'id'>,
    fill: (engineId: string) => Promise<T>,
    finish: (row: GenerationRow, filled: T, lock: LockHandle) => Promise<R>,
  ): Promise<R> => {
    const id = randomUUID()
    return clusterLocks.withExclusive(buildLockKey(id), async lock => {
      const row = await storage.write(writer => createGeneration(writer, { ...next, id }))
      try {
        await engineGenerations.open(row)
        const filled = await fill(row.id)
        await engine.refresh(row.id)
        return await finish(row, filled, lock)
      } catch (error) {
        // A complete generation stays, whatever failed later. If the cleanup fails too, report the first error; any node drops the rest.
        const current = await findGeneration(storage.db, id).catch(() => row)
        // As above.
        if (current?.state !== 'ready') await discard(current ?? row).catch(() => {})
        throw error
      }
    })
  }
  const rebuild = (row: GenerationRow, lock: LockHandle): Promise<GenerationRow> =>
    rebuildGeneration(deps, row, lock)

  return {
    build,
    /** Rebuilds a generation if its fields differ from the definition. The caller holds its build lock. */
    rebuild,
    /** Rebuilds a complete generation if its fields differ from the definition. Takes its build lock. */
    rebuildIfStale: (row: GenerationRow): Promise<GenerationRow> =>
      clusterLocks.withExclusive(buildLockKey(row.id), lock => rebuild(row, lock)),
    /**
     * Copies the live generation's documents into a new one with the defined fields, and passes it to `finish`. Passes undefined if the
     * live generation has the defined fields already.
     */
    async copyLive<R>(
      workspaceId: string,
      collection: string,
      definition: Definition,
      finish: (row: GenerationRow | undefined, lock: LockHandle | undefined) => Promise<R>,
    ): Promise<R> {
      const live = registry.findLive(workspaceId, collection)
      const spec: GenerationSpec = generationSpec(definition, collection)
      if (live?.specKey === specKey(spec)) return finish(undefined, undefined)
      // Fails before a generation is created. Otherwise each round would create one from a source that cannot be read.
      if (live) await engineGenerations.openNow(live.row)
      const origin = live && { origin: live.row.origin ?? live.row.number }
      const fill = async (id: string) => {
        if (live)
          await copyDocuments(
            engine,
            { oldId: live.id, newId: id, oldSpec: readSpec(live.row), spec },
            definition,
            collection,
          )
      }
      return build({ workspaceId, collection, spec, ...origin }, fill, (row, _, lock) => finish(row, lock))
    },
    /** Drops a scratch generation after its documents were copied. */
    discard,
  }
}

/** Rebuilds a generation if its fields differ from the definition: copies its documents to a new build. The caller holds its build lock. */
const rebuildGeneration = async (
  deps: BuilderDependencies,
  staleRow: GenerationRow,
  lock: LockHandle,
): Promise<GenerationRow> => {
  const { storage, engine, engineGenerations, registry, graceMs } = deps
  const { workspace_id: workspaceId, collection } = staleRow
  const row = (await findGeneration(storage.db, staleRow.id)) ?? staleRow
  const definition = (await findWorkspaceById(storage.db, workspaceId))?.definition
  const key = definition && definedSpecKey(definition, collection)
  if (!definition || key === undefined || key === specKey(readSpec(row))) return row
  const spec = generationSpec(definition, collection)
  const next = { ...row, build: row.build + 1, spec_json: JSON.stringify(spec) }
  const [oldId, newId] = [makeEngineId(row), makeEngineId(next)]
  const drop = { workspace_id: workspaceId, generation: row.id }
  await engineGenerations.openNow(row)
  await storage.write(writer => scheduleDrop(writer, storage.kind, { id: newId, ...drop }, 0))
  try {
    await engineGenerations.open(next, spec)
    await copyDocuments(engine, { oldId, newId, oldSpec: readSpec(row), spec }, definition, collection)
    await engine.refresh(newId)
    await storage.write(async writer => {
      await saveGenerationSpec(writer, row, spec)
      await removeDrop(writer.db, newId)
      await scheduleDrop(writer, storage.kind, { id: oldId, ...drop }, graceMs)
      lock.assertHeldAtCommit(writer)
    })
  } catch (error) {
    // Report the first failure; any node drops the rest.
    await dropUnused(deps, row, newId).catch(() => {})
    throw error
  }
  await registry.load(workspaceId)
  return next
}

/** Drops a build, unless it is in use: a commit may succeed although its reply was lost. */
const dropUnused = async (
  { storage, engineGenerations }: BuilderDependencies,
  row: GenerationRow,
  id: string,
): Promise<void> => {
  const current = await findGeneration(storage.db, row.id)
  if (current && makeEngineId(current) === id) return
  await engineGenerations.drop(id)
  await removeDrop(storage.db, id)
}

/** Documents read at a time. */
const pageDocuments = 1000

/**
 * Copies all documents. If the new fields read values in another way, reads them again, from the attributes as they were sent. A value that a field
 * does not take any longer is left out of the index, and stays in the document.
 */
const copyDocuments = async (
  engine: Engine,
  {
    oldId,
    newId,
    oldSpec,
    spec,
  }: { oldId: string; newId: string; oldSpec: GenerationSpec; spec: GenerationSpec },
  definition: Definition,
  collection: string,
): Promise<void> => {
  await engine.copy(oldId, newId)
  if (!needsReading(oldSpec, spec)) return
  const { fields: allFields, readers } = findCollection(definition, collection)
  const values = splitFields(allFields).map(fields =>
    compileFieldValues({ fields, ...(readers && { readers }) }),
  )
  const readAgain = (entity: string): string => {
    const { indexed: earlier = {}, attributes } = parseEntity(entity)
    const indexed = new Map(
      values.flatMap((one): [string, unknown][] => {
        const read = one.read(attributes)
        // Without readers, the document is for administrators only.
        if (read === tooManyReaders) return readers ? [[readers.field, null]] : []
        return typeof read === 'string' || isValueMisfit(read) ? [] : [...read]
      }),
    )
    return isDeepStrictEqual(earlier, Object.fromEntries(indexed)) ? entity : replaceIndexed(entity, indexed)
  }
  for (let afterId: string | undefined; ; ) {
    const page = await engine.list(oldId, afterId, pageDocuments)
    if (page.length === 0) return
    const changed = page.flatMap(({ id, entity }) => {
      const next = readAgain(entity)
      return next === entity ? [] : [{ put: { id, entity: next } }]
    })
    if (changed.length > 0) await engine.write(newId, changed)
    afterId = page.at(-1)?.id
  }
}

/** Whether a field's values may differ from those that the old generation indexed: it has rules, had some, is new, or has another type. */
const needsReading = (oldSpec: GenerationSpec, spec: GenerationSpec): boolean => {
  if (spec.reading !== undefined || oldSpec.reading !== undefined) return true
  const oldTypes = new Map(oldSpec.fields.map(({ name, type }) => [name, type]))
  return spec.fields.some(({ name, type }) => oldTypes.get(name) !== type && type !== 'vector')
}
