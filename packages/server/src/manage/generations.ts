/** Generations of a collection: which there are, and which one answers (workspace-file.md, Documents). */
import type { Generation } from '@querent/contract/manage'
import { didYouMean, listNames } from '@querent/contract/nearest-names'
import { Problem } from '#errors'
import type { WorkspaceRow } from '#storage/workspaces'
import { audit, type Call, type Handler, type ManagementDependencies, timestamp } from './call.ts'

type Operations = 'listGenerations' | 'promoteGeneration' | 'rollBackGeneration'

export const generationHandlers = {
  listGenerations: async (deps, call) => {
    refuseUnknownCollection(call.workspace, call.params.collection)
    return { items: await generationsOf(deps, call) }
  },
  promoteGeneration: (deps, call) => {
    const { generation } = call.input
    return promote(deps, call, ({ complete, building, latest }) => {
      const wanted = generation ?? latest
      if (wanted !== undefined && complete.includes(wanted)) return wanted
      if (wanted !== undefined && building.includes(wanted))
        throw new Problem(
          'conflict',
          `generation ${wanted} is still being built: promote it when it is complete`,
        )
      const { collection } = call.params
      throw new Problem(
        'no-such-resource',
        `${collection} has no generation ${wanted ?? ''}; complete are: ${complete.join(', ') || 'none yet'}`,
      )
    })
  },
  rollBackGeneration: (deps, call) =>
    promote(deps, call, ({ promoted: [, before] }) => {
      if (before !== undefined) return before
      const { collection } = call.params
      throw new Problem(
        'conflict',
        `${collection} has no generation that was promoted before the present one`,
      )
    }),
} satisfies { [Id in Operations]: Handler<Id> }

const promote = async (
  deps: ManagementDependencies,
  call: Call<'promoteGeneration' | 'rollBackGeneration'>,
  choose: Parameters<ManagementDependencies['collections']['promote']>[2],
): Promise<Generation> => {
  const { workspace, params } = call
  const { collection } = params
  refuseUnknownCollection(workspace, collection)
  const name = await deps.collections.promote(workspace.id, collection, choose, (writer, generation) =>
    audit(writer, call, { workspaceId: workspace.id, target: collection, detail: { generation } }),
  )
  const promoted = (await generationsOf(deps, call)).find(({ id }) => id === name)
  if (!promoted) throw new Error('a generation that was promoted is not there')
  return promoted
}

/** How many documents there are is not told to those who may see only some of them. */
const generationsOf = async (
  { collections, directory }: ManagementDependencies,
  { workspace, params, principal }: Call<Operations>,
): Promise<Generation[]> => {
  const filter = (await directory.member(workspace.id, principal.subject))?.filter
  const kept = await collections.list(workspace, params.collection)
  return kept.map(({ name, createdAt, documents, state, promotedAt, configurations }) => ({
    id: name,
    createdAt: timestamp(createdAt),
    documents: filter ? null : (documents ?? null),
    state,
    promotedAt: promotedAt === undefined ? null : timestamp(promotedAt),
    configurations,
  }))
}

const refuseUnknownCollection = ({ definition }: WorkspaceRow, name: string): void => {
  const names = Object.keys(definition.collections ?? {})
  if (names.includes(name)) return
  throw new Problem(
    'no-such-resource',
    `no such collection ${JSON.stringify(name)}; there are: ${listNames(names)}${didYouMean(name, names)}`,
  )
}
