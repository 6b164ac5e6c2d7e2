/** Lists the latest requests of a workspace: queries from memory, and for administrators refusals from their log. */
import { type LiveRequest, liveRequestsMax } from '@querent/contract/manage'
import { workspaceAccess } from '#authz/access'
import { isQueryUrl, splitQueryPath } from '#authz/query-path'
import { listWorkspaceRefusals, type RefusalRow } from '#storage/refusals'
import { describeQueryLog } from '#storage/usage'
import type { LiveQuery } from '#usage/live-requests'
import { type Handler, timestamp } from './call.ts'
import { findAllNames } from './refusals.ts'
import { findUsageSight } from './usage-sight.ts'

export const liveRequestHandlers = {
  listLiveRequests: async (deps, call) => {
    const { principal, workspace } = call
    const { db } = deps.storage
    const member = await deps.directory.member(workspace.id, principal.subject)
    const isAdministrator = workspaceAccess(principal, workspace, member, 'administer').allowed
    const { seesSearches, seesEndpoint } = await findUsageSight(deps, call)
    const queries = deps.usageLog.live
      .list(workspace)
      .filter(({ account }) => seesSearches || account === principal.subject)
      .filter(({ api, endpoint }) => seesEndpoint(api, endpoint))
    if (isAdministrator) await deps.refusalLog.flush()
    const refusals = isAdministrator ? await listWorkspaceRefusals(db, workspace, liveRequestsMax) : []
    const ids = [...queries.map(({ account }) => account), ...refusals.map(({ subject }) => subject)]
    const names = isAdministrator ? await findAllNames(db, ids.map(emptyToNull)) : new Map<string, string>()
    const describeAccount = (id: string | null) => {
      const name = id === null ? undefined : names.get(id)
      return id === null || name === undefined ? null : { id, name }
    }
    const items = [
      ...queries.map(query => describeQuery(query, describeAccount(query.account))),
      ...refusals.map(refusal => describeRefusal(refusal, describeAccount(refusal.subject))),
    ]
    return {
      items: items.sort((one, other) => other.at.localeCompare(one.at)).slice(0, liveRequestsMax),
      answersQueries: deps.answersQueries,
      parameters: describeQueryLog(workspace.definition).parameters,
    }
  },
} satisfies { listLiveRequests: Handler<'listLiveRequests'> }

const emptyToNull = (id: string | null): string | null => (id === '' ? null : id)

const describeQuery = (
  {
    at,
    api,
    endpoint,
    parameters,
    total,
    hasMoreThanTotal,
    facet,
    failure,
    message,
    ms,
    requestId,
  }: LiveQuery,
  account: LiveRequest['account'],
): LiveRequest => ({
  kind: 'query',
  at: timestamp(at),
  ...{ api, endpoint, parameters, account },
  facet: facet ?? null,
  total: total ?? null,
  totalRelation: hasMoreThanTotal ? 'gte' : 'eq',
  code: failure ?? null,
  message: message ?? null,
  ms: Math.round(ms * 10) / 10,
  requestId: requestId ?? null,
})

const describeRefusal = (
  { at, path, checks, requestId }: RefusalRow,
  account: LiveRequest['account'],
): LiveRequest => {
  const failed = checks.find(({ passed }) => passed === false)
  return {
    kind: 'refusal',
    at: timestamp(at),
    api: isQueryUrl(path) ? splitQueryPath(path).api : '',
    endpoint: '',
    parameters: null,
    facet: null,
    total: null,
    totalRelation: 'eq',
    code: failed?.name ?? null,
    message: failed?.message ?? null,
    ms: null,
    account,
    requestId,
  }
}
