/** Creates, finds, rebuilds, lists and deletes the indexes of generations. The alias of a generation points to its live index. */
import { setTimeout as wait } from 'node:timers/promises'
import { type EngineDocument, EngineError } from '#engines/engine'
import type { CallLimits, Cluster, OpenSearchSettings } from './cluster.ts'
import { noShardCopy } from './failure.ts'
import { anyCopy, type HedgedReads } from './hedged-read.ts'
import { documentKey, indexedDocuments, type Schema } from './schema.ts'
import type { SearchReply } from './search-context.ts'

/** Number of documents read or written per request. */
export const pageSize = 1_000

/** A new shard, which another node has just created, starts in less time. */
const shardStartMsMax = 500
const shardStartPollMs = 50

export type Indexes = ReturnType<typeof openIndexes>

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: older than the limit
export function openIndexes(
  { cluster, reads }: { cluster: Cluster; reads: HedgedReads },
  { prefix, shards, replicas }: OpenSearchSettings,
) {
  const aliasName = (id: string) => `${prefix}${id}`
  const indexName = (id: string, schema: Schema) => `${aliasName(id)}.${schema.fingerprint}`

  const createIndex = async (id: string, schema: Schema, isLive: boolean) => {
    const { settings, mappings } = schema.index
    const index = {
      ...('index' in settings ? (settings.index as object) : {}),
      number_of_shards: shards,
      number_of_replicas: replicas,
    }
    const body = {
      settings: { ...settings, index },
      mappings,
      ...(isLive && { aliases: { [aliasName(id)]: {} } }),
    }
    try {
      await cluster.call('PUT', `/${indexName(id, schema)}`, body)
    } catch (error) {
      // Another node has created it meanwhile.
      if (!(error instanceof EngineError && /resource_already_exists/.test(error.message))) throw error
    }
  }

  /** Returns the name of the index that the alias of the generation points to. */
  const findLive = async (id: string, limits: CallLimits = {}): Promise<string | undefined> => {
    const aliases = await cluster.find('GET', `/_alias/${aliasName(id)}`, undefined, limits)
    return aliases === undefined ? undefined : Object.keys(aliases as object)[0]
  }

  /** Counts the searchable documents. */
  const countDocuments = async (index: string, limits: CallLimits = {}): Promise<number> => {
    const reply = await reads.read(anyCopy, limits, (preference, attemptLimits) =>
      cluster.call('GET', `/${index}/_count?preference=${preference}`, undefined, attemptLimits),
    )
    const { count, _shards } = reply as { count: number; _shards: { total: number; successful: number } }
    if (_shards.successful < _shards.total) throw new EngineError('unavailable', noShardCopy)
    return count
  }

  /** Waits until every shard has an available copy, for as long as a shard needs to start. A refresh would wait for a minute. */
  const waitUntilAvailable = async (index: string, limits: CallLimits): Promise<void> => {
    const endsAt = performance.now() + shardStartMsMax
    for (;;) {
      const failure = await countDocuments(index, limits).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (failure === undefined) return
      const mayStart = failure instanceof EngineError && failure.message === noShardCopy
      if (!mayStart || performance.now() > endsAt) throw failure
      await wait(shardStartPollMs)
    }
  }

  /** Makes all writes searchable, and returns the number of documents. */
  const refreshAndCount = async (index: string, limits: CallLimits = {}): Promise<number> => {
    const refresh = (await cluster.call('POST', `/${index}/_refresh`, undefined, limits)) as {
      _shards: { failed: number }
    }
    if (refresh._shards.failed > 0)
      throw new EngineError('unavailable', 'OpenSearch cannot refresh a shard of the index')
    return countDocuments(index, limits)
  }

  /** Returns searchable documents in order of id. */
  const page = async (
    index: string,
    afterId: string | undefined,
    count: number,
  ): Promise<EngineDocument[]> => {
    const body = {
      size: count,
      _source: ['entity'],
      track_total_hits: false,
      sort: [{ id: 'asc' }],
      ...(afterId !== undefined && { search_after: [afterId] }),
    }
    const reply = await reads.read(anyCopy, {}, (preference, limits) => {
      const path = `/${index}/_search?allow_partial_search_results=false&preference=${preference}`
      return cluster.call('POST', path, body, limits)
    })
    const { hits } = reply as SearchReply
    return hits.hits.map(({ sort, _source }) => ({ id: String(sort?.[0]), entity: _source?.entity ?? '' }))
  }

  /** Yields all searchable documents of an index in pages. */
  async function* pages(index: string): AsyncGenerator<EngineDocument[]> {
    for (let afterId: string | undefined; ; ) {
      const documents = await page(index, afterId, pageSize)
      if (documents.length > 0) yield documents
      if (documents.length < pageSize) return
      afterId = documents.at(-1)?.id
    }
  }

  return {
    aliasName,

    waitUntilAvailable,
    refreshAndCount,
    page,
    pages,
    /** Returns the name of the live index. Creates one with this schema if there is none; `limits` do not apply to that. */
    async findOrCreate(id: string, schema: Schema, limits: CallLimits = {}): Promise<string> {
      const liveName = await findLive(id, limits)
      if (liveName !== undefined) return liveName
      await createIndex(id, schema, true)
      return (await findLive(id)) ?? indexName(id, schema)
    },
    isFor: (index: string, id: string, schema: Schema) => index === indexName(id, schema),
    /**
     * Copies all documents of the live index into one with this schema, which replaces it. Until then it blocks writes, so that no
     * acknowledged write is lost. Several nodes may run this concurrently.
     */
    async rebuild(id: string, schema: Schema, onProgress: (done: number) => void): Promise<void> {
      const oldIndex = await findLive(id)
      const newIndex = indexName(id, schema)
      if (oldIndex === undefined || oldIndex === newIndex) return
      await createIndex(id, schema, false)
      const block = (isBlocked: boolean | null) =>
        cluster.call('PUT', `/${oldIndex}/_settings`, { 'index.blocks.write': isBlocked })
      try {
        await block(true)
        await refreshAndCount(oldIndex)
        let done = 0
        for await (const documents of pages(oldIndex)) {
          const operations = await putOperations(schema, newIndex, documents)
          await cluster.bulk(operations.map(operation => ({ ...operation, isCopy: true })))
          done += documents.length
          onProgress(done)
        }
        await refreshAndCount(newIndex)
        const alias = aliasName(id)
        await cluster.call('POST', '/_aliases', {
          actions: [{ add: { index: newIndex, alias } }, { remove_index: { index: oldIndex } }],
        })
      } catch (error) {
        // Another node has finished the rebuild; otherwise the caller retries.
        if ((await findLive(id)) === newIndex) return
        await block(null)
        throw error
      }
    },
    async drop(id: string): Promise<void> {
      const aliases = await cluster.find('GET', `/${aliasName(id)}.*/_alias`)
      const names = Object.keys((aliases ?? {}) as object)
      if (names.length > 0) await cluster.find('DELETE', `/${names.join(',')}`)
    },
  }
}

/** Returns the operations that index the documents. */
export async function putOperations(schema: Schema, index: string, documents: readonly EngineDocument[]) {
  const indexed = await indexedDocuments(schema, documents)
  return indexed.map(document => ({ index, key: documentKey(document.id), document }))
}
