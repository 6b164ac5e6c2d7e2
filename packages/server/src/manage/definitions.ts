/** What a workspace's definition holds, for those who look around: APIs, endpoints, collections, fields. */
import type { CollectionSummary } from '@querent/contract/manage'
import { rolesAllow } from '@querent/contract/roles'
import type { Handler } from './call.ts'
import { mayOpenSome } from './may-open.ts'

export const definitionHandlers = {
  listApis: async (_, { workspace }) => ({
    items: Object.entries(workspace.definition.apis ?? {}).map(
      ([api, { title, access, endpoints = {} }]) => ({
        api,
        title: title ?? api,
        access: access ?? 'members',
        endpoints: Object.entries(endpoints).map(([name, endpoint]) => ({
          name,
          kind: endpoint.kind,
          title: endpoint.title ?? name,
        })),
      }),
    ),
  }),
  listCollections: async ({ collections, directory }, { workspace, principal }) => {
    const member = await directory.member(workspace.id, principal.subject)
    // How many there are is not told to those who may see only some of them, or none.
    const isTold = !member?.filter && (!member || rolesAllow(member.roles, 'edit'))
    const mayOpen = mayOpenSome()
    const items: CollectionSummary[] = []
    for (const [collection, { fields = {} }] of Object.entries(workspace.definition.collections ?? {})) {
      const generations = isTold ? await collections.list(workspace, collection, mayOpen) : []
      const promoted = generations.find(({ state }) => state === 'promoted')
      items.push({
        collection,
        documents: isTold ? (promoted?.documents ?? null) : null,
        fields: Object.entries(fields).map(([name, { type, title }]) => ({
          name,
          type,
          ...(title === undefined ? {} : { title }),
        })),
      })
    }
    return { items }
  },
} satisfies { listApis: Handler<'listApis'>; listCollections: Handler<'listCollections'> }
