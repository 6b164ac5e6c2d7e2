/** Creates, finds, rebuilds, lists and deletes the indexes of generations. The alias of a generation points to its live index. */
import { type EngineDocument, EngineError } from '#engines/engine'
import type { CallLimits, Cluster, OpenSearchSettings } from './cluster.ts'
import type { HedgedReads } from './hedged-read.ts'
import { createIndexDocuments, type IndexDocuments } from './index-documents.ts'
import { documentKey, indexedDocuments, type Schema } from './schema.ts'

export type Indexes = ReturnType<typeof openIndexes>

export function openIndexes(
  { cluster, reads }: { cluster: Cluster; reads: HedgedReads },
  { prefix, shards, replicas }: OpenSearchSettings,
) {
  const aliasName = (id: string) => `${prefix}${id}`
  const indexName = (id: string, schema: Schema) => `${aliasName(id)}.${schema.fingerprint}`
  const documents = createIndexDocuments({ cluster, reads })

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

  return {
    ...documents,
    aliasName,
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
        await copyIndex({ cluster, documents }, { schema, oldIndex, newIndex }, onProgress)
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

/** Makes all documents of the old index searchable in the new one. */
async function copyIndex(
  { cluster, documents }: { cluster: Cluster; documents: IndexDocuments },
  { schema, oldIndex, newIndex }: { schema: Schema; oldIndex: string; newIndex: string },
  onProgress: (done: number) => void,
): Promise<void> {
  await documents.refreshAndCount(oldIndex)
  let done = 0
  for await (const page of documents.pages(oldIndex)) {
    const operations = await putOperations(schema, newIndex, page)
    await cluster.bulk(operations.map(operation => ({ ...operation, isCopy: true })))
    done += page.length
    onProgress(done)
  }
  await documents.refreshAndCount(newIndex)
}

/** Returns the operations that index the documents. */
export async function putOperations(schema: Schema, index: string, documents: readonly EngineDocument[]) {
  const indexed = await indexedDocuments(schema, documents)
  return indexed.map(document => ({ index, key: documentKey(document.id), document }))
}
