/** Generations of a collection, and which one is live. */
import type { Generation } from '@querent/contract/manage'
import { didYouMean, listNames } from '@querent/contract/nearest-names'
import { checkCollection } from '#authz/access'
import { findRights, seesAllDocuments, unlimitedRights } from '#authz/rights'
import { Problem } from '#errors'
import type { Db } from '#storage/db'
import { findWorkspaceById, type WorkspaceRow } from '#storage/workspaces'
import { refusePublicChange } from './admit.ts'
import { audit, type Call, type Handler, type ManagementDependencies, timestamp } from './call.ts'
import { makeRefusal } from './refuse.ts'

type Operations = 'listGenerations' | 'promoteGeneration' | 'rollBackGeneration'

export const generationHandlers = {
  listGenerations: async (deps, call) => {
    await refuseClosedCollection(deps, call)
    refuseUnknownCollection(call.workspace, call.params.collection)
    return { items: await readGenerations(deps, call) }
  },
  promoteGeneration: (deps, call) => {
    const { generation } = call.input
    return promote(deps, call, ({ complete, building, latest }) => {
      const chosen = generation ?? latest
      if (chosen !== undefined && complete.includes(chosen)) return chosen
      if (chosen !== undefined && building.includes(chosen))
        throw new Problem(
          'conflict',
          `generation ${chosen} is still being built: promote it when it is complete`,
        )
      const { collection } = call.params
      throw new Problem(
        'no-such-resource',
        `${collection} has no generation ${chosen ?? ''}; complete generations: ${complete.join(', ') || 'none yet'}`,
      )
    })
  },
  rollBackGeneration: (deps, call) =>
    promote(deps, call, ({ promoted: [, previous] }) => {
      if (previous !== undefined) return previous
      const { collection } = call.params
      throw new Problem(
        'conflict',
        `${collection} has no generation that was promoted before the current one`,
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
  await refuseClosedCollection(deps, call)
  refuseUnknownCollection(workspace, collection)
  // A promotion changes what others see.
  const refuseHeld = (db: Db, current: WorkspaceRow) =>
    refusePublicChange(deps, call, db, current, `collections.${collection}`)
  await refuseHeld(deps.storage.db, workspace)
  const name = await deps.collections.promote(
    workspace.id,
    collection,
    choose,
    async (writer, generation) => {
      // The member may have been limited meanwhile.
      await refuseHeld(writer.db, (await findWorkspaceById(writer.db, workspace.id)) ?? workspace)
      await audit(writer, call, { workspaceId: workspace.id, target: collection, detail: { generation } })
    },
  )
  const promoted = (await readGenerations(deps, call)).find(({ id }) => id === name)
  if (!promoted) throw new Error('a generation that was promoted is not there')
  return promoted
}

/** Hides the number of documents from members who may see only some of them. */
const readGenerations = async (
  { collections, directory }: ManagementDependencies,
  { workspace, params, principal }: Call<Operations>,
): Promise<Generation[]> => {
  const member = await directory.member(workspace.id, principal.subject)
  const seesAll = !member || seesAllDocuments(findRights(workspace.definition, member))
  const generations = await collections.list(workspace, params.collection)
  return generations.map(({ name, createdAt, documents, state, promotedAt, configurations, failure }) => ({
    id: name,
    createdAt: timestamp(createdAt),
    documents: seesAll ? (documents ?? null) : null,
    state,
    promotedAt: promotedAt === undefined ? null : timestamp(promotedAt),
    configurations,
    ...(failure && { down: failure.message }),
  }))
}

/** Throws 403 for a collection that the member may not use. One that doesn't exist gives the same answer. */
const refuseClosedCollection = async (
  deps: ManagementDependencies,
  call: Call<Operations>,
): Promise<void> => {
  const { workspace, params, principal } = call
  const member = await deps.directory.member(workspace.id, principal.subject)
  const check = checkCollection(
    member ? findRights(workspace.definition, member) : unlimitedRights,
    params.collection,
  )
  if (!check.passed)
    throw makeRefusal(deps, call, { message: check.message, workspace: workspace.slug, checks: [check] })
}

const refuseUnknownCollection = ({ definition }: WorkspaceRow, name: string): void => {
  const names = Object.keys(definition.collections ?? {})
  if (names.includes(name)) return
  throw new Problem(
    'no-such-resource',
    `unknown collection ${JSON.stringify(name)}; existing collections: ${listNames(names)}${didYouMean(name, names)}`,
  )
}
