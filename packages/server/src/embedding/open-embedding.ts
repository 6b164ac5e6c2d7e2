/** Opens everything that makes vectors: the embedders, the vectors of queries, and the worker for documents. */
import type { FastifyBaseLogger } from 'fastify'
import type { Collections } from '#collections/collections'
import type { Engine } from '#engines/engine'
import type { WorkReports } from '#memory/work-reports'
import type { Storage } from '#storage/db'
import type { Locks } from '#storage/locks'
import { createEmbedders, type EmbedderSettings, type Embedders } from './embedders.ts'
import { createEmbedding, type Embedding } from './embedding.ts'
import { createQueryVectors, type QueryVectors } from './query-vectors.ts'
import { openVectorWorker, type VectorWorker } from './vector-worker.ts'

export interface EmbeddingSettings {
  /** Model servers by name. */
  embedders: Readonly<Record<string, EmbedderSettings>>
  /** Hosts in the operator's network. */
  internalHosts: string[]
}

interface Dependencies {
  storage: Storage
  engine: Engine
  collections: Pick<Collections, 'resolve' | 'write'>
  /** Locks between nodes; undefined if this is the only one. */
  locks: Locks | undefined
  reports: WorkReports
  settings: EmbeddingSettings
}

export interface OpenEmbedding {
  embedders: Embedders
  embedding: Embedding
  vectors: QueryVectors
  /** Starts the worker, if there are embedders. One thread of each node has one. */
  start(log: FastifyBaseLogger): void
  close(): Promise<void>
}

export const openEmbedding = ({ settings, ...deps }: Dependencies): OpenEmbedding => {
  const { internalHosts } = settings
  const embedders = createEmbedders(settings.embedders, { internalHosts })
  let worker: VectorWorker | undefined
  return {
    embedders,
    embedding: createEmbedding({ ...deps, embedders, wake: () => worker?.wake() }),
    vectors: createQueryVectors(embedders),
    start(log) {
      if (embedders.size > 0) worker = openVectorWorker({ ...deps, embedders, onState: logStates(log) })
    },
    close: async () => worker?.close(),
  }
}

/** Logs when an embedder starts to fail, and when it works again. */
const logStates = (log: FastifyBaseLogger) => {
  const failing = new Set<string>()
  return (embedder: string, reason: string | undefined): void => {
    if (reason === undefined && failing.delete(embedder)) log.info({ embedder }, 'the embedder works again')
    if (reason === undefined || failing.has(embedder)) return
    failing.add(embedder)
    log.warn({ embedder, reason }, 'the embedder fails: documents get their vectors when it works again')
  }
}
