/**
 * Which configurations a caller may open. On a public API, strangers read what is live: a configuration with other generations, such as
 * staged ones, opens to members who send their token, unless it is marked `public: true`.
 */
import type { RowFilter } from '@querent/contract/manage'
import { workspaceAccess } from '#authz/access'
import { type AuthorizationDependencies, hasRepeatedAuthorization } from '#authz/authorize'
import { AuthorizationError } from '#authz/bearer'
import type { QueryReply } from '#http/raw-reply'
import { type Steps, waitFor } from '#http/recipe'
import { addVary } from '#http/vary'
import type { WorkspaceRow } from '#storage/workspaces'
import { configurationsOf } from './about.ts'
import { isConfiguration, noSuchConfiguration } from './cache/compiled-apis.ts'
import type { Asking } from './cache/not-modified.ts'

/** The name of no configuration: the promoted generation of each collection answers. */
const liveOnly = ''

/** Whether strangers may open it: it is marked public, or nothing but live generations answer in it. */
const isOpenToStrangers = ({ definition: { configurations = {} } }: WorkspaceRow, name: string): boolean => {
  const configuration = Object.hasOwn(configurations, name) ? configurations[name] : undefined
  if (configuration === undefined || configuration.public === true) return true
  return Object.values(configuration).every(choice => typeof choice !== 'string' || choice === 'live')
}

/** Names of the configurations that the caller may open, `default` first. */
export const visibleConfigurations = (workspace: WorkspaceRow, mayOpenAll: boolean): string[] =>
  configurationsOf(workspace).filter(
    name => mayOpenAll || name === 'default' || isOpenToStrangers(workspace, name),
  )

export const openConfigurations = (deps: AuthorizationDependencies) => {
  /**
   * The row filters of a member whose token a request to a public API carries; undefined for anybody else. A token that is not good
   * counts as none and is not refused (query-service.md, Authorization).
   */
  const filtersOfMember = function* (
    { request, url }: QueryReply,
    { workspace, memberFilters }: Asking,
  ): Steps<readonly RowFilter[] | undefined> {
    if (memberFilters) return memberFilters
    const { authorization } = request.headers
    const [path = ''] = url.split('?', 1)
    if (authorization === undefined || hasRepeatedAuthorization(request)) return undefined
    try {
      const principal = yield* deps.bearer.identify(authorization, `${deps.origin}${path}`, request.socket)
      const member = yield* waitFor(deps.directory.member(workspace.id, principal.subject))
      const access = workspaceAccess(principal, workspace, member, 'query')
      if (!access.allowed) return undefined
      return access.filter ? [access.filter] : []
    } catch (error) {
      if (error instanceof AuthorizationError) return undefined
      throw error
    }
  }

  /** Whether `about` and OpenAPI name all configurations to the caller. */
  const mayOpenAll = function* (exchange: QueryReply, asking: Asking): Steps<boolean> {
    const { workspace, api } = asking
    if (api.access !== 'public') return true
    if (configurationsOf(workspace).every(name => isOpenToStrangers(workspace, name))) return true
    addVary(exchange, 'authorization')
    return (yield* filtersOfMember(exchange, asking)) !== undefined
  }

  /**
   * The request as it may be answered: `config` is what answers, in place of the one that was named. The row filter of a member holds in a
   * configuration that strangers can't open, because a public API shows them no more than that. Throws Problem `no-such-configuration`.
   */
  const resolve = function* (
    exchange: QueryReply,
    asking: Asking,
    config: string,
  ): Steps<{ asking: Asking; config: string }> {
    const { workspace, api } = asking
    if (!isConfiguration(workspace, config)) {
      const seesAll = yield* mayOpenAll(exchange, asking)
      throw noSuchConfiguration(config, visibleConfigurations(workspace, seesAll))
    }
    if (api.access !== 'public' || isOpenToStrangers(workspace, config)) return { asking, config }
    addVary(exchange, 'authorization')
    const filters = yield* filtersOfMember(exchange, asking)
    return filters ? { asking: { ...asking, filters }, config } : { asking, config: liveOnly }
  }

  return { mayOpenAll, resolve }
}
