/** Counts and reads the documents of an index, from any copy of its shards. */
import { setTimeout as wait } from 'node:timers/promises'
import { type EngineDocument, EngineError } from '#engines/engine'
import type { CallLimits, Cluster } from './cluster.ts'
import { noShardCopy } from './failure.ts'
import { anyCopy, type HedgedReads } from './hedged-read.ts'
import type { SearchReply } from './search-context.ts'

/** Number of documents read or written per request. */
export const pageSize = 1_000

/** A new shard, which another node has just created, starts in less time. */
const shardStartMsMax = 500
const shardStartPollMs = 50

export type IndexDocuments = ReturnType<typeof createIndexDocuments>

export function createIndexDocuments({ cluster, reads }: { cluster: Cluster; reads: HedgedReads }) {
  /** Counts the searchable documents. */
  const count = async (index: string, limits: CallLimits = {}): Promise<number> => {
    const reply = await reads.read(anyCopy, limits, (preference, attemptLimits) =>
      cluster.call('GET', `/${index}/_count?preference=${preference}`, undefined, attemptLimits),
    )
    const { count, _shards } = reply as { count: number; _shards: { total: number; successful: number } }
    if (_shards.successful < _shards.total) throw new EngineError('unavailable', noShardCopy)
    return count
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

  return {
    page,
    /** Yields all searchable documents of an index in pages. */
    async *pages(index: string): AsyncGenerator<EngineDocument[]> {
      for (let afterId: string | undefined; ; ) {
        const documents = await page(index, afterId, pageSize)
        if (documents.length > 0) yield documents
        if (documents.length < pageSize) return
        afterId = documents.at(-1)?.id
      }
    },
    /** Makes all writes searchable, and returns the number of documents. */
    async refreshAndCount(index: string, limits: CallLimits = {}): Promise<number> {
      const refresh = (await cluster.call('POST', `/${index}/_refresh`, undefined, limits)) as {
        _shards: { failed: number }
      }
      if (refresh._shards.failed > 0)
        throw new EngineError('unavailable', 'OpenSearch cannot refresh a shard of the index')
      return count(index, limits)
    },
    /** Waits until every shard has an available copy, for as long as a shard needs to start. A refresh would wait for a minute. */
    async waitUntilAvailable(index: string, limits: CallLimits): Promise<void> {
      const endsAt = performance.now() + shardStartMsMax
      for (;;) {
        const failure = await count(index, limits).then(
          () => undefined,
          (error: unknown) => error,
        )
        if (failure === undefined) return
        const mayStart = failure instanceof EngineError && failure.message === noShardCopy
        if (!mayStart || performance.now() > endsAt) throw failure
        await wait(shardStartPollMs)
      }
    },
  }
}
