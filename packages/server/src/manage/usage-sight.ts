/**
 * Decides what a member who does not see everything learns from usage (authorization-server.md, "A limited user"): no name of a closed API or
 * collection or of an endpoint on hidden fields, and no searches of others, whose outcome depends on documents that they do not see.
 */
import type { Definition } from '@querent/contract/workspace-file'
import { findRights, isLimited, type Rights, unlimitedRights } from '#authz/rights'
import type { Call, ManagementDependencies } from './call.ts'
import { visibleDefinition } from './hidden-parts.ts'

export interface UsageSight {
  seesSearches: boolean
  /** `endpoint`: as usage has it; empty: an unknown one. */
  seesEndpoint: (api: string, endpoint: string) => boolean
  seesCollection: (collection: string) => boolean
}

export const findUsageSight = async (
  { directory }: Pick<ManagementDependencies, 'directory'>,
  { workspace, principal }: Pick<Call<'listUsage'>, 'workspace' | 'principal'>,
): Promise<UsageSight> => {
  const { definition } = workspace
  const member = await directory.member(workspace.id, principal.subject)
  const rights = member ? findRights(definition, member) : unlimitedRights
  if (!isLimited(rights)) return { seesSearches: true, seesEndpoint: () => true, seesCollection: () => true }
  const { apis = {} } = rights.hidden ? visibleDefinition(definition, rights.hidden) : definition
  const seesCollection = (collection: string) => rights.collections?.has(collection) ?? true
  return {
    seesSearches: false,
    seesEndpoint: (api, endpoint) =>
      isOpen(rights, api) && isVisible(apis, { api, endpoint, seesCollection }),
    seesCollection,
  }
}

const isOpen = ({ apis }: Rights, api: string): boolean => apis?.has(api) ?? true

/** An endpoint that the definition no longer has may have been on a hidden field. */
const isVisible = (
  apis: NonNullable<Definition['apis']>,
  {
    api,
    endpoint: name,
    seesCollection,
  }: { api: string; endpoint: string } & Pick<UsageSight, 'seesCollection'>,
): boolean => {
  if (name === '') return true
  const endpoints = Object.hasOwn(apis, api) ? (apis[api]?.endpoints ?? {}) : {}
  const [base = ''] = name.split(':', 1)
  const endpoint = Object.hasOwn(endpoints, base) ? endpoints[base] : undefined
  if (!endpoint) return false
  return (
    !('collection' in endpoint && endpoint.collection !== undefined) || seesCollection(endpoint.collection)
  )
}
