/** What an API tells of itself (query-service.md, Paths: `/` and `/status`). */
import type { ApiDescription, Status } from '@querent/contract/query'
import type { Engine } from '#engines/engine'
import type { Steps } from '#http/recipe'
import type { WorkspaceRow } from '#storage/workspaces'
import type { CompiledApi } from './plan/compile.ts'

export const configurationsOf = ({ definition }: WorkspaceRow): string[] => [
  ...new Set(['default', ...Object.keys(definition.configurations ?? {})]),
]

export const about = (
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

/** `generation` is of the one that answers for a collection; throws what it throws. */
export function* status(
  api: CompiledApi,
  config: string,
  generation: (collection: string) => Steps<{ id: string; name: string }>,
  engine: Engine,
): Steps<Status> {
  const generations: Record<string, string> = {}
  const rebuilding: NonNullable<Status['rebuilding']> = {}
  for (const collection of api.collections) {
    const { id, name } = yield* generation(collection)
    generations[collection] = name
    const { state } = engine.info(id)
    if (state !== 'ready') rebuilding[collection] = state.rebuilding
  }
  if (Object.keys(rebuilding).length === 0) return { status: 'ok', config, generations }
  return { status: 'rebuilding', config, generations, rebuilding }
}
