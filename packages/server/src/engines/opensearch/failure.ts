/** What OpenSearch and its client refuse, in the engine's words. Details are the cause: for the log, not for whoever asks. */
import { errors } from '@opensearch-project/opensearch'
import { EngineError } from '#engines/engine'

export const cancelled = () => new EngineError('cancelled', 'whoever asked has given the query up')

export function inWords(error: unknown): EngineError {
  if (error instanceof EngineError) return error
  // The client's own errors hold the whole request, the name and the password among it: they go no further.
  const told = error instanceof Error ? new Error(`${error.name}: ${error.message}`) : undefined
  if (error instanceof errors.TimeoutError || error instanceof errors.RequestAbortedError)
    return new EngineError('timeout', 'OpenSearch did not answer in time', { cause: told })
  if (error instanceof errors.ResponseError) {
    const { statusCode } = error
    const cause = (
      error.body as { error?: { root_cause?: { type?: string; reason?: string }[]; type?: string } } | null
    )?.error
    const { type = cause?.type ?? '', reason = error.message } = cause?.root_cause?.[0] ?? {}
    return failure(statusCode, type, reason)
  }
  return new EngineError('unavailable', 'OpenSearch cannot be reached', { cause: told })
}

export function failure(status: number, type: string, reason: string): EngineError {
  const cause = new Error(`OpenSearch answers ${status} ${type}: ${reason}`)
  const made = (code: EngineError['code'], message: string) => new EngineError(code, message, { cause })
  if (type === 'cluster_block_exception' || type === 'index_create_block_exception')
    return made('unavailable', blocks.find(([pattern]) => pattern.test(reason))?.[1] ?? writesBlocked)
  if (type === 'index_closed_exception')
    return made(
      'unavailable',
      'the index of this generation is closed in OpenSearch, until an operator opens it',
    )
  if (type === 'validation_exception' && /maximum .*shards open/.test(reason))
    return made(
      'unavailable',
      'OpenSearch takes no more indexes: it has as many shards as cluster.max_shards_per_node allows',
    )
  if (status === 429) return made('overloaded', 'OpenSearch has no room for the request')
  if (status === 401) return made('unavailable', 'OpenSearch refuses the name and password of the settings')
  if (status === 403)
    return made(
      'unavailable',
      'OpenSearch does not allow this to the user of the settings; the log says what',
    )
  if (type === 'index_not_found_exception')
    return made(
      'unavailable',
      'the index of this generation is not in OpenSearch: restore a snapshot of it, or start the server again and import the documents',
    )
  if (status === 404) return made('unavailable', `OpenSearch refuses: ${type}`)
  if (type.includes('task_cancelled') || type.includes('timeout'))
    return made('timeout', 'OpenSearch took too long')
  if (status === 503 && withoutCopy.test(type)) return made('unavailable', noCopy)
  if (status >= 502) return made('unavailable', `OpenSearch cannot answer now: ${type}`)
  if (type === 'search_phase_execution_exception')
    return made('unavailable', 'a part of the index does not answer')
  return made('fault', `OpenSearch refuses with ${status} ${type}: ${reason}`)
}

/** Of a shard that nobody has, or that is being started. */
export const noCopy =
  'OpenSearch cannot answer now: a part of the index of this generation has no copy, until its cluster or an operator gives it one'
const withoutCopy = /^(search_phase_execution|no_shard_available_action|unavailable_shards)_exception$/

/** OpenSearch's words for what is blocked. */
const blocks: readonly [RegExp, string][] = [
  [
    /flood.stage|read-only-allow-delete/,
    'the disks of OpenSearch are too full: it takes no documents until there is room',
  ],
  [/create-index/, 'OpenSearch makes no indexes now: its disks are too full, or an operator has blocked it'],
  [/SERVICE_UNAVAILABLE/, 'OpenSearch cannot answer now: its cluster is not complete'],
  [/index read \(api\)/, 'an operator has blocked the index of this generation'],
]
const writesBlocked =
  'OpenSearch takes no documents of this generation now: it is being built again, or an operator has blocked its index'
