/** Calls the REST API of the cluster through the OpenSearch client, and throws `EngineError`. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { Client, ConnectionPool, errors } from '@opensearch-project/opensearch'
import { EngineError } from '#engines/engine'
import { canceledByCaller, failureReply, toEngineError } from './failure.ts'

export interface OpenSearchSettings {
  /** Origins of nodes of one cluster; requests go to any of them. */
  nodes: string[]
  username?: string | undefined
  password?: string | undefined
  /** PEM file of the certificate authority of the nodes, unless the system trusts it already. */
  caFile?: string | undefined
  /** Prefix of every index and alias name, because several services may share a cluster. */
  prefix: string
  /** Number of primary shards of new indexes. */
  shards: number
  /** Number of replicas of each shard of new indexes. */
  replicas: number
}

export interface CallLimits {
  signal?: AbortSignal | undefined
  /** Time limit of the whole call, including retries. */
  msMax?: number
}

/** Makes one call; a `string` body is NDJSON. Returns the JSON of the reply; throws EngineError. */
export type Call = (
  method: string,
  path: string,
  body?: object | string,
  limits?: CallLimits,
) => Promise<unknown>

export interface Cluster {
  call: Call
  /** Like `call`, but returns undefined for status 404. */
  find: Call
  /** Runs operations through `_bulk`. Retries those that an overloaded cluster rejects. */
  bulk(operations: readonly Operation[]): Promise<void>
  /** Pings all addresses at once, and returns those without a reply within `msMax`. Calls skip them for a second. */
  pingAddresses(msMax: number): Promise<string[]>
  close(): Promise<void>
}

/** Writes `document` under the key, or deletes the document there. */
export interface Operation {
  index: string
  key: string
  document?: object
  /** Copies into an index that is being built instead of an alias. It never overwrites, because another node may have written since. */
  isCopy?: boolean
}

const callMsMax = 60_000
/** Maximum size of one `_bulk` request, in UTF-16 units. */
const bulkBytesMax = 8 * 1024 * 1024
/** The delays start at 0.1 s and double each time: half a minute in total. */
const attemptsMax = 9
const firstRetryMs = 100
/** Shorter than the limit of a call, so that a node that cannot write to its replicas rejects the write instead of leaving it open. */
const bulkWaitSeconds = 30
/** Extra time in which the client's own timeout can mark the node as dead before we abort the call. */
const graceMs = 100

/** Reads a PEM file with certificates. Throws `unavailable` with a message that names the setting. */
const readAuthority = (file: string): string => {
  let pem: string
  try {
    pem = readFileSync(file, 'utf8')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new EngineError('unavailable', `--engine-ca: cannot read ${file}: ${reason}`, { cause })
  }
  try {
    new X509Certificate(pem)
  } catch (cause) {
    throw new EngineError('unavailable', `--engine-ca: ${file} contains no certificate in PEM format`, {
      cause,
    })
  }
  return pem
}

/** Skips an unresponsive node for a second, and doubles this after each failed retry, up to half a minute. */
class NodePool extends ConnectionPool {
  override resurrectTimeout = 1_000
  override resurrectTimeoutCutoff = 5

  /** Marks connections without a reply within `timeout` ms as dead, and returns their addresses. */
  async ping(timeout: number): Promise<string[]> {
    const pings = this.connections.map(
      connection =>
        new Promise<string[]>(resolve => {
          connection.request({ method: 'HEAD', path: '/', timeout }, (error, response) => {
            // Otherwise the reply occupies its socket.
            response?.resume()
            if (error) this.markDead(connection)
            resolve(error ? [connection.url.host] : [])
          })
        }),
    )
    return (await Promise.all(pings)).flat()
  }
}

export function openCluster({ nodes, username, password, caFile }: OpenSearchSettings): Cluster {
  const client = new Client({
    nodes,
    // A call fails only after every node refused the connection. An unresponsive node uses up all of its time.
    maxRetries: Math.max(2, nodes.length - 1),
    ConnectionPool: NodePool,
    requestTimeout: callMsMax,
    ...(username !== undefined && { auth: { username, password: password ?? '' } }),
    ...(caFile !== undefined && { ssl: { ca: readAuthority(caFile) } }),
  })
  const request = async (
    method: string,
    path: string,
    body: object | string | undefined,
    { signal, msMax = callMsMax }: CallLimits = {},
  ): Promise<unknown> => {
    if (signal?.aborted) throw canceledByCaller()
    if (msMax <= 0) throw new EngineError('timeout', 'OpenSearch did not answer in time')
    const params =
      typeof body === 'string' ? { method, path, bulkBody: body } : { method, path, ...(body && { body }) }
    const running = client.transport.request(params, { requestTimeout: Math.ceil(msMax) })
    const abort = () => {
      // Without a result: Node reports a thenable that an event listener returns and that rejects as an uncaught exception.
      running.abort()
    }
    // The client's timeout applies to one attempt only.
    const timer = setTimeout(abort, msMax + graceMs)
    signal?.addEventListener('abort', abort, { once: true })
    try {
      return (await running).body
    } catch (error) {
      throw signal?.aborted ? canceledByCaller() : error
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }
  const call: Call = async (...args) => request(...args).catch(error => Promise.reject(toEngineError(error)))
  const find: Call = async (...args) =>
    request(...args).catch(error => {
      if (error instanceof errors.ResponseError && error.statusCode === 404) return undefined
      throw toEngineError(error)
    })
  return {
    call,
    find,
    async bulk(operations) {
      let lines = operations.map(bulkLines)
      for (let attempt = 1; lines.length > 0; attempt++) {
        const rejected: string[] = []
        for (const batch of splitIntoBatches(lines)) rejected.push(...(await sendBatch(call, batch)))
        if (rejected.length > 0 && attempt === attemptsMax)
          throw new EngineError(
            'overloaded',
            'OpenSearch has rejected documents as overloaded for half a minute',
          )
        if (rejected.length > 0) await wait(firstRetryMs * 2 ** (attempt - 1))
        lines = rejected
      }
    },
    pingAddresses: async msMax =>
      client.connectionPool instanceof NodePool ? client.connectionPool.ping(msMax) : [],
    close: () => client.close(),
  }
}

function bulkLines({ index, key, document, isCopy = false }: Operation): string {
  const target = JSON.stringify({ _index: index, _id: key, require_alias: !isCopy })
  return document
    ? `{"${isCopy ? 'create' : 'index'}":${target}}\n${JSON.stringify(document)}\n`
    : `{"delete":${target}}\n`
}

function* splitIntoBatches(lines: readonly string[]): Iterable<string[]> {
  let batch: string[] = []
  let characters = 0
  for (const line of lines) {
    if (batch.length > 0 && characters + line.length > bulkBytesMax) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(line)
    characters += line.length
  }
  if (batch.length > 0) yield batch
}

interface BulkReply {
  errors: boolean
  items: Record<string, { status: number; error?: { type: string; reason: string } }>[]
}

/** Sends one request and returns the lines to retry. */
async function sendBatch(call: Call, batch: readonly string[]): Promise<string[]> {
  let reply: BulkReply
  try {
    reply = (await call('POST', `/_bulk?timeout=${bulkWaitSeconds}s`, batch.join(''))) as BulkReply
  } catch (error) {
    if (error instanceof EngineError && error.code === 'overloaded') return [...batch]
    throw error
  }
  if (!reply.errors) return []
  return reply.items.flatMap((item, index) => {
    const { status, error } = Object.values(item)[0] ?? { status: 500 }
    const line = batch[index]
    if (error === undefined || line === undefined) return []
    // OpenSearch also sends 429 if its disks are full, which takes longer than the retries.
    if (status === tooManyRequests && error.type !== 'cluster_block_exception') return [line]
    // The document of a copy exists already.
    if (status === conflict) return []
    throw failureReply(status, error.type, error.reason)
  })
}

const tooManyRequests = 429
const conflict = 409
