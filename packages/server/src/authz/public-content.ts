/** What public APIs show, and who may not change it: "A `user` with a row filter can't change what a public API shows" (authorization-server.md). */
import { isDeepStrictEqual } from 'node:util'
import type { Definition } from '@querent/contract/workspace-file'
import type { MemberRow } from '#storage/members'

/**
 * Whether the member may not change what a public API shows: somebody with a row filter would publish, without any filter, what the filter
 * hides. Administrators may, because they could take the filter away.
 */
export const isHeldByRowFilter = (member: MemberRow | undefined): boolean =>
  member?.filter !== undefined && !member.roles.includes('administrator')

export const heldByRowFilterMessage = (part: string): string =>
  `${part} is shown by a public API, which a member with a row filter may not change: ask an administrator`

/** Names of the collections whose documents public APIs show. An API whose endpoints name no collection may show any. */
export const publicCollections = ({ apis = {}, collections = {} }: Definition): ReadonlySet<string> =>
  new Set(
    Object.values(apis).flatMap(({ access, endpoints = {} }) => {
      if (access !== 'public') return []
      const named = Object.values(endpoints).flatMap(each => ('collection' in each && each.collection) || [])
      return named.length > 0 ? named : Object.keys(collections)
    }),
  )

/** The first place, with dots, at which a new definition changes what public APIs show; undefined when it changes none of it. */
export const publicChange = (before: Definition, after: Definition): string | undefined => {
  const isPublic = (name: string) =>
    [before, after].some(({ apis = {} }) => Object.hasOwn(apis, name) && apis[name]?.access === 'public')
  const apis = Object.keys({ ...before.apis, ...after.apis }).filter(isPublic)
  if (apis.length === 0) return undefined
  const changedApi = apis.find(name => !isDeepStrictEqual(before.apis?.[name], after.apis?.[name]))
  if (changedApi !== undefined) return `apis.${changedApi}`
  const changedCollection = [...publicCollections(before)].find(
    name => !isDeepStrictEqual(before.collections?.[name], after.collections?.[name]),
  )
  if (changedCollection !== undefined) return `collections.${changedCollection}`
  // Which generation answers, and who may ask for it.
  const { configurations: previous = {} } = before
  const { configurations = {} } = after
  const changed = Object.keys({ ...previous, ...configurations }).find(
    name => !isDeepStrictEqual(previous[name], configurations[name]),
  )
  return changed === undefined ? undefined : `configurations.${changed}`
}
