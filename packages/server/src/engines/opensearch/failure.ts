/** Turns errors of OpenSearch and its client into `EngineError`. Details go into the cause, for the log only. */
import { errors } from '@opensearch-project/opensearch'
import { EngineError } from '#engines/engine'

export const canceledByCaller = () => new EngineError('cancelled', 'the caller canceled the query')

export function toEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error
  // The client's errors contain the whole request with user name and password, so they must not reach the log.
  const loggedCause = error instanceof Error ? new Error(`${error.name}: ${error.message}`) : undefined
  if (error instanceof errors.TimeoutError || error instanceof errors.RequestAbortedError)
    return new EngineError('timeout', 'OpenSearch did not answer in time', { cause: loggedCause })
  if (error instanceof errors.ResponseError) {
    const { statusCode } = error
    const cause = (
      error.body as { error?: { root_cause?: { type?: string; reason?: string }[]; type?: string } } | null
    )?.error
    const { type = cause?.type ?? '', reason = error.message } = cause?.root_cause?.[0] ?? {}
    return failureReply(statusCode, type, reason)
  }
  return new EngineError('unavailable', 'OpenSearch cannot be reached', { cause: loggedCause })
}

export function failureReply(status: number, type: string, reason: string): EngineError {
  const cause = new Error(`OpenSearch answers ${status} ${type}: ${reason}`)
  const engineError = (code: EngineError['code'], message: string) =>
    new EngineError(code, message, { cause })
  if (type === 'cluster_block_exception' || type === 'index_create_block_exception')
    return engineError('unavailable', blocks.find(([pattern]) => pattern.test(reason))?.[1] ?? writesBlocked)
  if (type === 'index_closed_exception')
    return engineError(
      'unavailable',
      'the index of this generation is closed in OpenSearch; an operator must open it',
    )
  if (type === 'validation_exception' && /maximum .*shards open/.test(reason))
    return engineError(
      'unavailable',
      'OpenSearch rejects new indexes: it has reached cluster.max_shards_per_node',
    )
  if (status === 429) return engineError('overloaded', 'OpenSearch is overloaded')
  if (status === 401)
    return engineError('unavailable', 'OpenSearch rejects the user name and password of the settings')
  if (status === 403)
    return engineError(
      'unavailable',
      'OpenSearch does not permit this operation to the user of the settings; see the log for details',
    )
  if (type === 'index_not_found_exception')
    return engineError(
      'unavailable',
      'OpenSearch has no index for this generation: restore a snapshot of it, or restart the server and import the documents',
    )
  if (status === 404) return engineError('unavailable', `OpenSearch rejects the request: ${type}`)
  if (type.includes('task_cancelled') || type.includes('timeout'))
    return engineError('timeout', 'OpenSearch took too long')
  if (status === 503 && noShardCopyTypes.test(type)) return engineError('unavailable', noShardCopy)
  if (status >= 502) return engineError('unavailable', `OpenSearch cannot answer now: ${type}`)
  if (type === 'search_phase_execution_exception')
    return engineError('unavailable', 'a shard of the index does not answer')
  return engineError('fault', `OpenSearch rejects the request with ${status} ${type}: ${reason}`)
}

/** Message for a shard that no node has, or that is starting. */
export const noShardCopy =
  'OpenSearch cannot answer now: a shard of the index of this generation has no available copy'
const noShardCopyTypes = /^(search_phase_execution|no_shard_available_action|unavailable_shards)_exception$/

/** Messages by the reason that OpenSearch gives for a block. */
const blocks: readonly [RegExp, string][] = [
  [
    /flood.stage|read-only-allow-delete/,
    'the disks of OpenSearch are too full: it rejects documents until there is space',
  ],
  [
    /create-index/,
    'OpenSearch cannot create indexes now: its disks are too full, or an operator has blocked it',
  ],
  [/SERVICE_UNAVAILABLE/, 'OpenSearch cannot answer now: its cluster is not complete'],
  [/index read \(api\)/, 'an operator has blocked the index of this generation'],
]
const writesBlocked =
  'OpenSearch rejects documents of this generation now: its index is being rebuilt, or an operator has blocked it'
