/** Leaves the values of hidden fields out of the documents of a reply: attributes, also inside objects and lists. */
import { removePaths } from '#collections/remove-paths'
import { parseEntity } from '#collections/stored-entity'
import { ownAttributes } from '#embedding/entity-vectors'
import type { Reply } from '#engines/engine'
import type { CompiledApi } from './compile.ts'

export const withoutHiddenValues = (
  reply: Reply,
  { hidden }: Pick<CompiledApi, 'hidden'>,
  collection: string,
): Reply => {
  const paths = hidden?.paths.get(collection)
  if (!paths || reply.hits.length === 0) return reply
  const hits = reply.hits.map(hit => ({
    ...hit,
    entity: withoutPaths(hit.entity, paths),
    ...(hit.collapsed && {
      collapsed: {
        ...hit.collapsed,
        others: hit.collapsed.others.map(entity => withoutPaths(entity, paths)),
      },
    }),
  }))
  return { ...reply, hits }
}

const withoutPaths = (text: string, paths: readonly string[]): string => {
  const stored = parseEntity(text)
  const attributes = removePaths(ownAttributes(stored), paths)
  return JSON.stringify({ id: stored.id, class: stored.class, attributes })
}
