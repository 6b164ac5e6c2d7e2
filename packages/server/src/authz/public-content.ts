/** The content of public APIs, and the members who may not change it: a limited `user` can't change what others see (authorization-server.md). */
import { isDeepStrictEqual } from 'node:util'
import type { Api, Definition } from '@querent/contract/workspace-file'
import type { MemberRow } from '#storage/members'
import { findRights, isLimited } from './rights.ts'

/**
 * True if the member may not change the content of a public API. A member with a row filter could publish documents that the filter hides.
 * Administrators may change it, because they could also remove their filter.
 */
export const isBlockedByRowFilter = (definition: Definition, member: MemberRow | undefined): boolean =>
  member !== undefined && isLimited(findRights(definition, member))

export const blockedByRowFilterMessage = (part: string): string =>
  `${part} is what others see, which a member who does not see everything may not change: ask an administrator`

/** Names of the collections whose documents public APIs show. */
export const publicCollections = ({ apis = {}, collections = {} }: Definition): ReadonlySet<string> =>
  new Set(
    Object.values(apis).flatMap(api =>
      api.access === 'public' ? searchedCollections(api, Object.keys(collections)) : [],
    ),
  )

/** Names of the collections that an API may show: all if its endpoints name none. */
export const searchedCollections = ({ endpoints = {} }: Api, allCollections: readonly string[]): string[] => {
  const namedCollections = Object.values(endpoints).flatMap(
    endpoint => ('collection' in endpoint && endpoint.collection) || [],
  )
  return namedCollections.length > 0 ? namedCollections : [...allCollections]
}

/** Returns the first place, with dots, where a new definition changes what others see: public APIs and configurations. Undefined if there is none. */
export const publicChange = (oldDefinition: Definition, newDefinition: Definition): string | undefined =>
  publicContentChange(oldDefinition, newDefinition) ?? configurationChange(oldDefinition, newDefinition)

/** Configurations decide which generation answers, and for whom. */
const configurationChange = (
  { configurations: previous = {} }: Definition,
  { configurations = {} }: Definition,
): string | undefined => {
  const changed = Object.keys({ ...previous, ...configurations }).find(
    name => !isDeepStrictEqual(previous[name], configurations[name]),
  )
  return changed === undefined ? undefined : `configurations.${changed}`
}

const publicContentChange = (oldDefinition: Definition, newDefinition: Definition): string | undefined => {
  const isPublic = (name: string) =>
    [oldDefinition, newDefinition].some(
      ({ apis = {} }) => Object.hasOwn(apis, name) && apis[name]?.access === 'public',
    )
  const apis = Object.keys({ ...oldDefinition.apis, ...newDefinition.apis }).filter(isPublic)
  if (apis.length === 0) return undefined
  const changedApi = apis.find(
    name => !isDeepStrictEqual(oldDefinition.apis?.[name], newDefinition.apis?.[name]),
  )
  if (changedApi !== undefined) return `apis.${changedApi}`
  const changedCollection = [...publicCollections(oldDefinition)].find(
    name => !isDeepStrictEqual(oldDefinition.collections?.[name], newDefinition.collections?.[name]),
  )
  if (changedCollection !== undefined) return `collections.${changedCollection}`
  return undefined
}
