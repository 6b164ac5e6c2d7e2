/** The indexes of generations: made, found again by their alias, read page by page, deleted. */
import { setTimeout as wait } from 'node:timers/promises'
import { type EngineDocument, EngineError } from '#engines/engine'
import type { CallLimits, Cluster, OpenSearchSettings } from './cluster.ts'
import { noCopy } from './failure.ts'
import { documentOf, keyOf, type Schema } from './schema.ts'
import type { SearchReply } from './search-context.ts'

/** Documents that are read or written at once. */
export const pageSize = 1_000

/** A shard that is new, which another node has just made, starts in less. */
const startMsMax = 500
const startWaitMs = 50

export type Indexes = ReturnType<typeof openIndexes>

export function openIndexes(cluster: Cluster, { prefix, shards, replicas }: OpenSearchSettings) {
  const aliasOf = (id: string) => `${prefix}${id}`
  const nameOf = (id: string, schema: Schema) => `${aliasOf(id)}.${schema.fingerprint}`

  const make = async (id: string, schema: Schema, isLive: boolean) => {
    const { settings, mappings } = schema.index
    const index = {
      ...('index' in settings ? (settings.index as object) : {}),
      number_of_shards: shards,
      number_of_replicas: replicas,
    }
    const body = {
      settings: { ...settings, index },
      mappings,
      ...(isLive && { aliases: { [aliasOf(id)]: {} } }),
    }
    try {
      await cluster.call('PUT', `/${nameOf(id, schema)}`, body)
    } catch (error) {
      // Another node was faster.
      if (!(error instanceof EngineError && /resource_already_exists/.test(error.message))) throw error
    }
  }

  /** Name of the index that the alias of the generation stands for. */
  const live = async (id: string, limits: CallLimits = {}): Promise<string | undefined> => {
    const found = await cluster.find('GET', `/_alias/${aliasOf(id)}`, undefined, limits)
    return found === undefined ? undefined : Object.keys(found as object)[0]
  }

  /** How many documents can be found. */
  const counted = async (index: string, limits: CallLimits = {}): Promise<number> => {
    const { count, _shards } = (await cluster.call('GET', `/${index}/_count`, undefined, limits)) as {
      count: number
      _shards: { total: number; successful: number }
    }
    if (_shards.successful < _shards.total) throw new EngineError('unavailable', noCopy)
    return count
  }

  /** Every shard has a copy that answers: at once, or in the time in which one starts. A refresh would wait for it a minute. */
  const answers = async (index: string, limits: CallLimits): Promise<void> => {
    const endsAt = performance.now() + startMsMax
    for (;;) {
      const failure = await counted(index, limits).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (failure === undefined) return
      const mayStart = failure instanceof EngineError && failure.message === noCopy
      if (!mayStart || performance.now() > endsAt) throw failure
      await wait(startWaitMs)
    }
  }

  /** Makes what was written searchable, and counts the documents. */
  const refreshed = async (index: string, limits: CallLimits = {}): Promise<number> => {
    const refresh = (await cluster.call('POST', `/${index}/_refresh`, undefined, limits)) as {
      _shards: { failed: number }
    }
    if (refresh._shards.failed > 0)
      throw new EngineError('unavailable', 'a part of the index cannot be refreshed')
    return counted(index, limits)
  }

  /** Searchable documents in order of id. */
  const page = async (index: string, after: string | undefined, count: number): Promise<EngineDocument[]> => {
    const { hits } = (await cluster.call('POST', `/${index}/_search?allow_partial_search_results=false`, {
      size: count,
      _source: ['entity'],
      track_total_hits: false,
      sort: [{ id: 'asc' }],
      ...(after !== undefined && { search_after: [after] }),
    })) as SearchReply
    return hits.hits.map(({ sort, _source }) => ({ id: String(sort?.[0]), entity: _source?.entity ?? '' }))
  }

  /** Every searchable document of an index, in pages. */
  async function* pages(index: string): AsyncGenerator<EngineDocument[]> {
    for (let after: string | undefined; ; ) {
      const documents = await page(index, after, pageSize)
      if (documents.length > 0) yield documents
      if (documents.length < pageSize) return
      after = documents.at(-1)?.id
    }
  }

  return {
    aliasOf,
    live,
    answers,
    refreshed,
    page,
    pages,
    /** Makes the index where there is none of this schema, which takes the time it takes, and resolves to the name of the live one. */
    async found(id: string, schema: Schema, limits: CallLimits = {}): Promise<string> {
      const known = await live(id, limits)
      if (known !== undefined) return known
      await make(id, schema, true)
      return (await live(id)) ?? nameOf(id, schema)
    },
    isFor: (index: string, id: string, schema: Schema) => index === nameOf(id, schema),
    /**
     * Puts all documents of the live index into one of this schema, which takes its place. Until then nothing can be written: what was
     * acknowledged is never lost. Several nodes may do it at the same time.
     */
    async rebuild(id: string, schema: Schema, onProgress: (done: number) => void): Promise<void> {
      const before = await live(id)
      const after = nameOf(id, schema)
      if (before === undefined || before === after) return
      await make(id, schema, false)
      const block = (isBlocked: boolean | null) =>
        cluster.call('PUT', `/${before}/_settings`, { 'index.blocks.write': isBlocked })
      try {
        await block(true)
        await refreshed(before)
        let done = 0
        for await (const documents of pages(before)) {
          await cluster.bulk(documents.map(one => ({ ...operation(schema, after, one), isCopy: true })))
          done += documents.length
          onProgress(done)
        }
        await refreshed(after)
        const alias = aliasOf(id)
        await cluster.call('POST', '/_aliases', {
          actions: [{ add: { index: after, alias } }, { remove_index: { index: before } }],
        })
      } catch (error) {
        // Another node was faster, or it is tried again.
        if ((await live(id)) === after) return
        await block(null)
        throw error
      }
    },
    async drop(id: string): Promise<void> {
      const found = await cluster.find('GET', `/${aliasOf(id)}.*/_alias`)
      const names = Object.keys((found ?? {}) as object)
      if (names.length > 0) await cluster.find('DELETE', `/${names.join(',')}`)
    },
  }
}

export const operation = (schema: Schema, index: string, { id, entity }: EngineDocument) => ({
  index,
  key: keyOf(id),
  document: documentOf(schema, id, entity),
})
