/** Records a query in the usage figures. */
import type { QueryReply } from '#http/raw-reply'
import { setAttributes } from '#telemetry/request-attributes'
import type { QueryService, UsageDraft } from './query-context.ts'

export const recordUsage = (
  { deps }: QueryService,
  { response }: QueryReply,
  { caller, stack, endpoint: facet = '', total, isPreview }: UsageDraft,
  ms: number,
  failed: boolean,
): void => {
  // Requests for about and status are no queries. A path that cannot be parsed counts as a failed query.
  if (!caller || isPreview || (!stack && !failed)) return
  const { workspace, api, subject } = caller
  const name = stack?.[0]?.endpoint ?? facet
  const endpoint = api.endpointNames.has(name) ? name : ''
  setAttributes(response, { endpoint })
  deps.usageLog.record({
    workspace,
    api: api.name,
    endpoint,
    account: subject,
    stack: stack ?? [],
    total: failed ? undefined : total,
    failed,
    ms,
  })
}
