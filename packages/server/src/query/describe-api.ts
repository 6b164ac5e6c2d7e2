/** The replies of `/` and `/status` of an API (query-service.md, Paths). */
import type { ApiDescription, Status } from '@querent/contract/query'
import type { Engine } from '#engines/engine'
import type { WorkspaceRow } from '#storage/workspaces'
import type { CompiledApi } from './plan/compile.ts'

export const describeApi = (
  workspace: WorkspaceRow,
  api: CompiledApi,
  configurations: readonly string[],
): ApiDescription => ({
  workspace: workspace.slug,
  api: api.name,
  title: api.title,
  access: api.access,
  configurations: [...configurations],
  endpoints: api.endpoints,
})

/** `findGeneration` finds the generation that answers for a collection. Throws what it throws. */
export const readStatus = async (
  api: CompiledApi,
  config: string,
  findGeneration: (collection: string) => Promise<{ id: string; name: string }>,
  engine: Engine,
): Promise<Status> => {
  const generations: Record<string, string> = {}
  const rebuilding: NonNullable<Status['rebuilding']> = {}
  for (const collection of api.collections) {
    const { id, name } = await findGeneration(collection)
    generations[collection] = name
    const { state } = engine.info(id)
    if (state !== 'ready') rebuilding[collection] = state.rebuilding
  }
  if (Object.keys(rebuilding).length === 0) return { status: 'ok', config, generations }
  return { status: 'rebuilding', config, generations, rebuilding }
}
