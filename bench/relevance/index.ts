/** An engine with one collection, for figures of relevance. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Definition } from '@querent/contract/workspace-file'
import { generationSpec } from '#server/collections/generation-spec'
import { openEmbeddedEngine } from '#server/engines/embedded/embedded'
import { compileApi } from '#server/query/plan/compile'

const deadlineMs = 60_000
/** Documents that are written at once. */
const documentsAtOnce = 5_000

/** Returns the ids of the first documents. */
export type SearchIds = (
  endpoint: string,
  parameters: Readonly<Record<string, string>>,
  count: number,
) => Promise<string[]>

/** Indexes the documents as the collection, whose API has the same name, and calls `use`. */
export const withIndex = async (
  definition: Definition,
  collection: string,
  documents: readonly { id: string }[],
  use: (search: SearchIds) => Promise<void>,
): Promise<void> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'querent-bench-'))
  const engine = await openEmbeddedEngine({ dataDir })
  try {
    await engine.open(collection, generationSpec(definition, collection))
    for (let start = 0; start < documents.length; start += documentsAtOnce)
      await engine.write(
        collection,
        documents.slice(start, start + documentsAtOnce).map(({ id, ...attributes }) => ({
          put: { id, entity: JSON.stringify({ id, class: [], attributes }) },
        })),
      )
    await engine.refresh(collection)
    const api = compileApi(definition, collection)
    await use(async (endpoint, parameters, count) => {
      const stack = [
        { endpoint, parameters: Object.entries(parameters).map(([name, value]) => ({ name, value })) },
      ]
      const request = { stack, filters: [], offset: 0, count, cutoff: 0, statistics: false, total: false }
      const { hits } = await engine.search(collection, api.plan(request).plan, deadlineMs)
      return hits.map(({ entity }) => JSON.parse(entity).id as string)
    })
  } finally {
    await engine.close()
    await rm(dataDir, { recursive: true })
  }
}
