/**
 * Decides which configurations a caller may use. On a public API, strangers read live generations only. A configuration with other
 * generations, such as staged ones, needs a member's token, unless it is marked `public: true`.
 */
import { checkApi, workspaceAccess } from '#authz/access'
import { AuthorizationError } from '#authz/authorization-error'
import { type AuthorizationDependencies, hasRepeatedAuthorization } from '#authz/authorize'
import type { HiddenFields } from '#authz/hidden-fields'
import { findReaders } from '#authz/readers'
import { configurationNames } from '#collections/generation-rows'
import type { QueryReply } from '#http/raw-reply'
import { addVary } from '#http/vary'
import type { WorkspaceRow } from '#storage/workspaces'
import { isConfiguration, noSuchConfiguration } from './cache/compiled-apis.ts'
import type { Caller } from './cache/not-modified.ts'
import type { CompiledApi } from './plan/compile.ts'
import type { OpenCollections } from './plan/open-collections.ts'

/** No configuration has this name, so the live generation of each collection answers. */
const liveOnly = ''

/** True if strangers may use it: it is marked public, or only live generations answer in it. */
const isOpenToStrangers = ({ definition: { configurations = {} } }: WorkspaceRow, name: string): boolean => {
  const configuration = Object.hasOwn(configurations, name) ? configurations[name] : undefined
  if (configuration === undefined || configuration.public === true) return true
  return Object.values(configuration).every(choice => typeof choice !== 'string' || choice === 'live')
}

/** Names of the configurations that the caller may use, `default` first. */
export const visibleConfigurations = (workspace: WorkspaceRow, mayOpenAll: boolean): string[] =>
  configurationNames(workspace.definition).filter(
    name => mayOpenAll || name === 'default' || isOpenToStrangers(workspace, name),
  )

/** The parts of a caller that a member's token changes. */
type OpenedCaller = Pick<Caller, 'filters' | 'api'>

export type ConfigurationAccess = ReturnType<typeof createConfigurationAccess>

export const createConfigurationAccess = (
  deps: AuthorizationDependencies,
  findApi: (
    workspace: WorkspaceRow,
    name: string,
    open: OpenCollections,
    hidden: HiddenFields | undefined,
  ) => CompiledApi | undefined,
) => {
  /**
   * Returns the rights of the member whose token a request to a public API carries, or undefined for everybody else. An invalid
   * token, and one of a member who may not use the API, count as none and are not rejected (query-service.md, Authorization).
   */
  const findMember = async (
    { request, url }: QueryReply,
    { workspace, api, memberFilters, memberApi }: Caller,
  ): Promise<OpenedCaller | undefined> => {
    if (memberFilters && memberApi) return { filters: memberFilters, api: memberApi }
    const { authorization } = request.headers
    const [path = ''] = url.split('?', 1)
    if (authorization === undefined || hasRepeatedAuthorization(request)) return undefined
    try {
      const principal = await deps.bearer.identify(request, `${deps.origin}${path}`, request.socket)
      const member = await deps.directory.member(workspace.id, principal.subject)
      const access = workspaceAccess(principal, workspace, member, 'query')
      if (!access.allowed || !checkApi(access.rights, api.name).passed) return undefined
      const { filter, collections, hidden } = access.rights
      const readers = await findReaders(workspace.definition, access.rights, principal, deps.directory)
      const filters = [filter, readers].filter(rowFilter => rowFilter !== undefined)
      const openedApi = findApi(workspace, api.name, collections, hidden)
      return openedApi && { filters, api: openedApi }
    } catch (error) {
      if (error instanceof AuthorizationError) return undefined
      throw error
    }
  }

  /** True if `about` and OpenAPI list all configurations for the caller. */
  const mayOpenAll = async (reply: QueryReply, caller: Caller): Promise<boolean> => {
    const { workspace, api } = caller
    if (api.access !== 'public') return true
    if (configurationNames(workspace.definition).every(name => isOpenToStrangers(workspace, name)))
      return true
    addVary(reply, 'authorization')
    return (await findMember(reply, caller)) !== undefined
  }

  /**
   * Returns the configuration that answers, which may differ from the named one, and the caller with the filters that apply in it. In a
   * configuration that strangers cannot use, a member's row filter applies even to a public API. Throws Problem `no-such-configuration`.
   */
  const resolve = async (
    reply: QueryReply,
    caller: Caller,
    config: string,
  ): Promise<{ caller: Caller; config: string }> => {
    const { workspace, api } = caller
    if (!isConfiguration(workspace, config)) {
      const seesAll = await mayOpenAll(reply, caller)
      throw noSuchConfiguration(config, visibleConfigurations(workspace, seesAll))
    }
    if (api.access !== 'public' || isOpenToStrangers(workspace, config)) return { caller, config }
    addVary(reply, 'authorization')
    const memberParts = await findMember(reply, caller)
    return memberParts ? { caller: { ...caller, ...memberParts }, config } : { caller, config: liveOnly }
  }

  return { mayOpenAll, resolve }
}
