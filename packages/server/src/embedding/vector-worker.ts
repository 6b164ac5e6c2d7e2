/**
 * Makes the vectors of documents in the background. Documents wait in the storage (storage/embedding-work.ts), so any node continues after
 * a restart. A generation that is new, or whose embedder has another model, is scanned first: vectors of other models or texts are removed,
 * so that no query compares vectors of two models, and documents without a vector are added to the work.
 */

import { createHash } from 'node:crypto'
import pLimit from 'p-limit'
import { createClusterLocks } from '#collections/cluster-lock'
import type { Collections } from '#collections/collections'
import { parseEntity, type StoredEntity } from '#collections/stored-entity'
import type { Engine, EngineDocument } from '#engines/engine'
import type { WorkReports } from '#memory/work-reports'
import type { Storage } from '#storage/db'
import {
  addEmbeddingWork,
  type EmbeddingScan,
  type EmbeddingWork,
  findEmbeddingScan,
  keepEmbeddingWork,
  listEmbeddingWork,
  postponeEmbeddingWork,
  removeEmbeddingWork,
  saveEmbeddingScan,
  startEmbeddingScan,
} from '#storage/embedding-work'
import type { Locks } from '#storage/locks'
import { findWorkspaceById, type WorkspaceRow, workspaceVersions } from '#storage/workspaces'
import { type Embedder, EmbedderError, type Embedders } from './embedders.ts'
import {
  type EmbeddedField,
  embeddedFields,
  findEmbedder,
  type MadeVector,
  madeVectors,
  readFieldTexts,
  toNumbers,
  writeEntity,
} from './entity-vectors.ts'

interface WorkerDependencies {
  storage: Storage
  engine: Engine
  collections: Pick<Collections, 'resolve' | 'write'>
  embedders: Embedders
  /** Locks between nodes; undefined if this is the only one. */
  locks: Locks | undefined
  reports: WorkReports
  /** Called with the first failure of an embedder, and when it works again. */
  onState(embedder: string, failure: string | undefined): void
  /** How often other nodes' work is noticed. */
  intervalMs?: number
}

export interface VectorWorker {
  /** Starts a round soon: a document was written. */
  wake(): void
  /** Waits for the running round. */
  close(): Promise<void>
}

/** A generation that answers queries and has vectors to be made. */
interface Target {
  workspaceId: string
  collection: string
  generation: string
  fields: readonly EmbeddedField[]
}

const pageDocuments = 500
/** Requests that are sent to an embedder at once. */
const requestsAtOnce = 2
/** The first pause after a rejected text, doubled with each attempt. */
const rejectedMs = 60_000
const rejectedMsMax = 24 * 60 * 60_000
/** Documents that are made searchable together, as many as take about this time: a refresh costs as much as many documents. */
const roundMs = 1_000
const documentsMin = 16
const documentsMax = 2_000
/** Generations that no longer answer queries are forgotten this often. */
const forgetEveryMs = 10 * 60_000

export const openVectorWorker = (deps: WorkerDependencies): VectorWorker => {
  const { storage, reports, intervalMs = 1_000 } = deps
  const locks = createClusterLocks(deps.locks)
  const workspaces = new Map<string, WorkspaceRow>()
  let isClosed = false
  let forgetAtMs = 0
  const readWorkspaces = async () => {
    const versions = new Map((await workspaceVersions(storage.db)).map(({ id, version }) => [id, version]))
    for (const id of workspaces.keys()) if (!versions.has(id)) workspaces.delete(id)
    for (const [id, version] of versions) {
      if (workspaces.get(id)?.version === version) continue
      const workspace = await findWorkspaceById(storage.db, id)
      if (workspace) workspaces.set(id, workspace)
    }
  }
  const runRound = async () => {
    await readWorkspaces()
    const mustForget = Date.now() >= forgetAtMs
    if (mustForget) forgetAtMs = Date.now() + forgetEveryMs
    for (const workspace of workspaces.values()) {
      const targets = await findTargets(deps, workspace)
      if (mustForget)
        await keepEmbeddingWork(
          storage.db,
          workspace.id,
          targets.map(({ generation }) => generation),
        )
      for (const target of targets) {
        if (isClosed) return
        // Another node may be at it.
        await locks.tryExclusive(`embed ${target.generation}`, () => workOn(deps, target, () => isClosed))
      }
    }
  }
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> | undefined
  let isWoken = false
  const start = () => {
    clearTimeout(timer)
    isWoken = false
    round = reports.run('document-vectors', runRound).finally(() => {
      round = undefined
      if (isClosed) return
      if (isWoken) start()
      else timer = setTimeout(start, intervalMs).unref()
    })
  }
  start()
  return {
    wake() {
      if (isClosed) return
      if (round) isWoken = true
      else start()
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await round
    },
  }
}

const findTargets = async (
  { collections }: WorkerDependencies,
  workspace: WorkspaceRow,
): Promise<Target[]> => {
  const targets = new Map<string, Target>()
  const { definition } = workspace
  const configurations = new Set(['default', ...Object.keys(definition.configurations ?? {})])
  for (const [collection, declared] of Object.entries(definition.collections ?? {})) {
    const fields = embeddedFields(declared)
    if (fields.length === 0) continue
    for (const config of configurations) {
      const generation = (await collections.resolve(workspace, collection, config))?.id
      if (generation !== undefined)
        targets.set(generation, { workspaceId: workspace.id, collection, generation, fields })
    }
  }
  return [...targets.values()]
}

/** Identifies what the vectors of a collection are made from. Undefined if an embedder is missing. */
export const scanKey = (fields: readonly EmbeddedField[], embedders: Embedders): string | undefined => {
  const parts = fields.map(field => [field, findEmbedder(embedders, field)?.settings.model] as const)
  return parts.some(([, model]) => model === undefined)
    ? undefined
    : createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

const workOn = async (deps: WorkerDependencies, target: Target, isClosed: () => boolean): Promise<void> => {
  await scan(deps, target, isClosed)
  let count = documentsMin
  while (!isClosed()) {
    const startedMs = performance.now()
    if (!(await embedNext(deps, target, count))) return
    const ms = performance.now() - startedMs
    if (ms < roundMs / 2) count = Math.min(count * 2, documentsMax)
    else if (ms > roundMs) count = Math.max(Math.ceil(count / 2), documentsMin)
  }
}

/** Starts the scan of a generation, or continues it. */
const scan = async (
  { storage, engine, collections, embedders }: WorkerDependencies,
  target: Target,
  isClosed: () => boolean,
): Promise<void> => {
  const { workspaceId, generation, fields } = target
  const key = scanKey(fields, embedders)
  if (key === undefined) return
  const lastScan = await findEmbeddingScan(storage.db, generation)
  let state: EmbeddingScan =
    lastScan?.key === key
      ? lastScan
      : { generation, workspace_id: workspaceId, key, after_id: '', documents: 0, done: 0 }
  if (state !== lastScan) await startEmbeddingScan(storage.db, state)
  let hasRemoved = false
  while (state.done === 0 && !isClosed()) {
    const page = await engine.list(
      generation,
      state.after_id === '' ? undefined : state.after_id,
      pageDocuments,
    )
    const outdated = page.filter(({ entity }) => isOutdated(parseEntity(entity), fields, embedders))
    await addEmbeddingWork(
      storage.db,
      workspaceId,
      generation,
      outdated.map(({ id }) => id),
    )
    const withVectors = outdated.filter(({ entity }) => parseEntity(entity).embedded !== undefined)
    if (withVectors.length > 0) {
      hasRemoved = true
      await rewrite(engine, collections, target, withVectors, entity => {
        return writeEntity(entity, keepCurrent(entity, fields, embedders))
      })
    }
    state = {
      ...state,
      after_id: page.at(-1)?.id ?? state.after_id,
      documents: state.documents + page.length,
      done: page.length < pageDocuments ? 1 : 0,
    }
    // If it was reset, the next round scans again.
    if (!(await saveEmbeddingScan(storage.db, state))) break
  }
  if (hasRemoved) await engine.refresh(generation)
}

const isOutdated = (entity: StoredEntity, fields: readonly EmbeddedField[], embedders: Embedders): boolean =>
  readFieldTexts(entity, fields, embedders).some(({ isCurrent }) => !isCurrent)

const keepCurrent = (entity: StoredEntity, fields: readonly EmbeddedField[], embedders: Embedders) => {
  const vectors = madeVectors(entity)
  for (const { field, isCurrent } of readFieldTexts(entity, fields, embedders))
    if (!isCurrent) vectors.delete(field.name)
  return vectors
}

/** Changes the documents as they are now: nobody else writes meanwhile. `change` returns undefined for no change. */
const rewrite = (
  engine: Engine,
  collections: WorkerDependencies['collections'],
  { workspaceId, collection, generation }: Target,
  documents: readonly Pick<EngineDocument, 'id'>[],
  change: (entity: StoredEntity, id: string) => string | undefined,
): Promise<void> =>
  collections.write(
    workspaceId,
    collection,
    async () => {
      const entities = await Promise.all(documents.map(({ id }) => engine.get(generation, id)))
      const writes = documents.flatMap(({ id }, index) => {
        const entity = entities[index]
        const changed = entity === undefined ? undefined : change(parseEntity(entity), id)
        return changed === undefined || changed === entity ? [] : [{ put: { id, entity: changed } }]
      })
      if (writes.length > 0) await engine.write(generation, writes)
    },
    true,
  )

/** A text to embed for a field of a document. */
interface Task {
  row: EmbeddingWork
  field: string
  hash: string
  text: string
  embedder: Embedder
}

/** Makes the vectors of at most `count` documents. Returns false if there are none, or if an embedder fails. */
const embedNext = async (deps: WorkerDependencies, target: Target, count: number): Promise<boolean> => {
  const { storage, engine, collections, embedders, onState } = deps
  const usedEmbedders = target.fields.flatMap(field => findEmbedder(embedders, field) ?? [])
  const ready = usedEmbedders.filter(embedder => embedder.pauseMs() === 0)
  if (ready.length < target.fields.length) return false
  const rows = await listEmbeddingWork(storage.db, target.generation, count)
  if (rows.length === 0) return false
  const entities = await Promise.all(rows.map(row => engine.get(target.generation, row.document_id)))
  const tasks = rows.flatMap((row, index): Task[] => {
    const entity = entities[index]
    if (entity === undefined) return []
    return readFieldTexts(parseEntity(entity), target.fields, embedders).flatMap(
      ({ field, embedder, text, hash, isCurrent }) =>
        isCurrent || !embedder || text === '' ? [] : [{ row, field: field.name, hash, text, embedder }],
    )
  })
  const results = new Map<string, Float32Array | EmbedderError>()
  try {
    await Promise.all(
      [...Map.groupBy(tasks, task => task.embedder)].map(([embedder, group]) =>
        embedAll(embedder, group, results),
      ),
    )
  } catch (error) {
    if (!(error instanceof EmbedderError)) throw error
    for (const { name } of usedEmbedders) onState(name, error.message)
    return false
  }
  for (const { name } of usedEmbedders) onState(name, undefined)
  const rejected = new Map<string, EmbeddingWork>()
  for (const { row, hash } of tasks)
    if (results.get(hash) instanceof EmbedderError) rejected.set(row.document_id, row)
  /** Documents that were written since; their writers added rows for them. */
  const changedSince = new Set<string>()
  await rewrite(
    engine,
    collections,
    target,
    rows.map(row => ({ id: row.document_id })),
    (entity, id) => {
      const vectors = madeVectors(entity)
      for (const { field, hash, isCurrent } of readFieldTexts(entity, target.fields, embedders)) {
        if (isCurrent) continue
        const vector = results.get(hash)
        if (vector instanceof Float32Array)
          vectors.set(field.name, { hash, vector: toNumbers(vector) } satisfies MadeVector)
        else {
          vectors.delete(field.name)
          if (hash !== '') changedSince.add(id)
        }
      }
      return writeEntity(entity, vectors)
    },
  )
  // Before the rows are removed, so that queries find all documents that `status` does not count as missing.
  await engine.refresh(target.generation)
  await removeEmbeddingWork(
    storage.db,
    rows.filter(row => !rejected.has(row.document_id) && !changedSince.has(row.document_id)),
  )
  for (const row of rejected.values())
    await postponeEmbeddingWork(
      storage.db,
      row,
      Math.min(rejectedMs * 2 ** Math.min(row.attempts, 20), rejectedMsMax),
    )
  return true
}

/** Embeds each text once, in requests side by side. */
const embedAll = async (
  embedder: Embedder,
  tasks: readonly Task[],
  results: Map<string, Float32Array | EmbedderError>,
): Promise<void> => {
  const texts = [...new Map(tasks.map(({ hash, text }) => [hash, text]))]
  const { batchSize } = embedder.settings
  const starts = Array.from({ length: Math.ceil(texts.length / batchSize) }, (_, index) => index * batchSize)
  const inTurn = pLimit(requestsAtOnce)
  const embedBatch = async (start: number) => {
    const batch = texts.slice(start, start + batchSize)
    const vectors = await embedder.embed(batch.map(([, text]) => text))
    for (const [index, [hash]] of batch.entries()) {
      const vector = vectors[index]
      if (vector) results.set(hash, vector)
    }
  }
  // All must settle, so that no request runs on after a failure.
  const settled = await Promise.allSettled(starts.map(start => inTurn(() => embedBatch(start))))
  const failure = settled.find(result => result.status === 'rejected')
  if (failure) throw failure.reason
}
