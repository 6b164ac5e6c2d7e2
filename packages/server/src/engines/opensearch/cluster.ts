/** The cluster: calls of its REST API through OpenSearch's own client, with errors in the engine's words. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { Client, ConnectionPool, errors } from '@opensearch-project/opensearch'
import { EngineError } from '#engines/engine'
import { cancelled, failure, inWords } from './failure.ts'

export interface OpenSearchSettings {
  /** Origins of nodes of one cluster; each may be asked. */
  nodes: string[]
  username?: string | undefined
  password?: string | undefined
  /** PEM file of the authority that signed the nodes' certificates, where the system does not know it. */
  caFile?: string | undefined
  /** Begins the name of every index and alias: several services may share a cluster. */
  prefix: string
  /** Primary shards of an index; of indices made from now on. */
  shards: number
  /** Copies of each besides. */
  replicas: number
}

export interface CallLimits {
  signal?: AbortSignal | undefined
  /** Of the whole call. */
  msMax?: number
}

/** One call; a `string` body is NDJSON. Resolves to the reply's JSON, and throws EngineError. */
export type Call = (
  method: string,
  path: string,
  body?: object | string,
  limits?: CallLimits,
) => Promise<unknown>

export interface Cluster {
  call: Call
  /** The same, undefined where the answer is 404. */
  find: Call
  /** Sends operations of `_bulk` until every one is done; those that the cluster has no room for wait and are sent again. */
  bulk(operations: readonly Operation[]): Promise<void>
  close(): Promise<void>
}

/** Puts `document` under the key, or deletes what is there. */
export interface Operation {
  index: string
  key: string
  document?: object
  /** Into an index that is being built, not the alias of a generation: never over what another node has put there since. */
  isCopy?: boolean
}

const callMsMax = 60_000
/** Of one `_bulk` request. */
const bulkBytesMax = 8 * 1024 * 1024
/** Waits of 0.1 s, doubled each time: half a minute in all. */
const attemptsMax = 9
const firstWaitMs = 100
/** Shorter than a call may take: what a node cannot write to its copies is refused, not left open. */
const bulkWaitSeconds = 30
/** A call that is given up has told by then that its node does not answer. */
const graceMs = 100

/** The text of a PEM file with certificates. Throws `unavailable` with a line that names the setting. */
const authorityIn = (file: string): string => {
  let pem: string
  try {
    pem = readFileSync(file, 'utf8')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new EngineError('unavailable', `--engine-ca: ${file} cannot be read: ${reason}`, { cause })
  }
  try {
    new X509Certificate(pem)
  } catch (cause) {
    throw new EngineError('unavailable', `--engine-ca: ${file} holds no certificate in PEM`, { cause })
  }
  return pem
}

/** A node that does not answer is left alone for a second, and each time it still does not for twice as long, up to half a minute. */
class Nodes extends ConnectionPool {
  override resurrectTimeout = 1_000
  override resurrectTimeoutCutoff = 5
}

export function openCluster({ nodes, username, password, caFile }: OpenSearchSettings): Cluster {
  const client = new Client({
    nodes,
    // Where nodes refuse, every one is asked before a call fails; one that is silent takes all of the call's time.
    maxRetries: Math.max(2, nodes.length - 1),
    ConnectionPool: Nodes,
    requestTimeout: callMsMax,
    ...(username !== undefined && { auth: { username, password: password ?? '' } }),
    ...(caFile !== undefined && { ssl: { ca: authorityIn(caFile) } }),
  })
  const request = async (
    method: string,
    path: string,
    body: object | string | undefined,
    { signal, msMax = callMsMax }: CallLimits = {},
  ): Promise<unknown> => {
    if (signal?.aborted) throw cancelled()
    if (msMax <= 0) throw new EngineError('timeout', 'OpenSearch did not answer in time')
    const params =
      typeof body === 'string' ? { method, path, bulkBody: body } : { method, path, ...(body && { body }) }
    const running = client.transport.request(params, { requestTimeout: Math.ceil(msMax) })
    const giveUp = () => running.abort()
    // The client's limit is that of one attempt.
    const timer = setTimeout(giveUp, msMax + graceMs)
    signal?.addEventListener('abort', giveUp, { once: true })
    try {
      return (await running).body
    } catch (error) {
      throw signal?.aborted ? cancelled() : error
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
    }
  }
  const call: Call = async (...asked) => request(...asked).catch(error => Promise.reject(inWords(error)))
  const find: Call = async (...asked) =>
    request(...asked).catch(error => {
      if (error instanceof errors.ResponseError && error.statusCode === 404) return undefined
      throw inWords(error)
    })
  return {
    call,
    find,
    async bulk(operations) {
      let lines = operations.map(linesOf)
      for (let attempt = 1; lines.length > 0; attempt++) {
        const refused: string[] = []
        for (const batch of batched(lines)) refused.push(...(await refusedOf(call, batch)))
        if (refused.length > 0 && attempt === attemptsMax)
          throw new EngineError('overloaded', 'OpenSearch has had no room for documents for half a minute')
        if (refused.length > 0) await wait(firstWaitMs * 2 ** (attempt - 1))
        lines = refused
      }
    },
    close: () => client.close(),
  }
}

function linesOf({ index, key, document, isCopy = false }: Operation): string {
  const target = JSON.stringify({ _index: index, _id: key, require_alias: !isCopy })
  return document
    ? `{"${isCopy ? 'create' : 'index'}":${target}}\n${JSON.stringify(document)}\n`
    : `{"delete":${target}}\n`
}

function* batched(lines: readonly string[]): Iterable<string[]> {
  let batch: string[] = []
  let letters = 0
  for (const line of lines) {
    if (batch.length > 0 && letters + line.length > bulkBytesMax) {
      yield batch
      batch = []
      letters = 0
    }
    batch.push(line)
    letters += line.length
  }
  if (batch.length > 0) yield batch
}

interface BulkReply {
  errors: boolean
  items: Record<string, { status: number; error?: { type: string; reason: string } }>[]
}

/** Sends one request; the lines that are to be sent again. */
async function refusedOf(call: Call, batch: readonly string[]): Promise<string[]> {
  let reply: BulkReply
  try {
    reply = (await call('POST', `/_bulk?timeout=${bulkWaitSeconds}s`, batch.join(''))) as BulkReply
  } catch (error) {
    if (error instanceof EngineError && error.code === 'overloaded') return [...batch]
    throw error
  }
  if (!reply.errors) return []
  return reply.items.flatMap((item, at) => {
    const { status, error } = Object.values(item)[0] ?? { status: 500 }
    const line = batch[at]
    if (error === undefined || line === undefined) return []
    // 429 as well where the disks are full: that is not over in half a minute.
    if (status === tooManyRequests && error.type !== 'cluster_block_exception') return [line]
    // A copy of what is there already.
    if (status === conflict) return []
    throw failure(status, error.type, error.reason)
  })
}

const tooManyRequests = 429
const conflict = 409
