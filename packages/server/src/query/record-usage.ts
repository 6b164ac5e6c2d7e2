/** Records a query in the usage figures. */
import type { Problem } from '#errors'
import type { QueryReply } from '#http/raw-reply'
import { setAttributes } from '#telemetry/request-attributes'
import type { QueryService, UsageDraft } from './query-context.ts'

/** `failure`: the error that the caller gets; undefined for an answer. */
export const recordUsage = (
  { deps }: QueryService,
  { request, response, requestId }: QueryReply,
  { caller, stack, facet, total, hasMoreThanTotal, isPreview, isLeftOut }: UsageDraft,
  ms: number,
  failure?: Pick<Problem, 'code' | 'message'>,
): void => {
  // Requests for about and status are no queries. A path that cannot be parsed counts as a failed query.
  if (!caller || isPreview || isLeftOut || (!stack && failure === undefined)) return
  const { workspace, api, subject } = caller
  const name = stack?.[0]?.endpoint ?? facet ?? ''
  const endpoint = api.endpointNames.has(name) ? name : ''
  setAttributes(response, { endpoint })
  deps.usageLog.record({
    workspace,
    api: api.name,
    endpoint,
    account: subject,
    address: subject === '' ? deps.clientAddress(request) : '',
    requestId,
    stack: stack ?? [],
    total: failure === undefined ? total : undefined,
    hasMoreThanTotal,
    facet,
    failure: failure?.code,
    failureMessage: failure?.message,
    ms,
  })
}
