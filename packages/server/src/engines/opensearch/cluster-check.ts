/** Checks that the engine can work with the cluster, at the start or once the cluster responds. Errors are one line for the operator. */
import { EngineError } from '#engines/engine'
import type { CallLimits, Cluster, OpenSearchSettings } from './cluster.ts'
import { knnPlugin } from './vectors.ts'

/** Oldest supported major version of OpenSearch: the engine relies on how its Lucene prunes documents. */
const majorVersionMin = 3

/** The cluster does not respond, or not yet. The settings may be right. */
export class ClusterUnreachable extends EngineError {
  constructor(message: string, options: ErrorOptions) {
    super('unavailable', message, options)
    this.name = 'ClusterAway'
  }
}

type ClusterAddress = Pick<OpenSearchSettings, 'nodes' | 'username'>

/** Timeout per node, before the check tries the next one. */
const nodeTimeoutMs = 5_000
/** Minimum time for which a failure is cached. A slow check is cached for as long as it took. */
const failureTtlMs = 1_000

/**
 * Returns a function that checks the cluster until a check has succeeded. It throws like {@link checkCluster}. While one caller repeats the
 * check, it throws the last failure to the others, so that only one lock holder waits for an unresponsive cluster.
 */
export function createClusterCheck(cluster: Cluster, address: ClusterAddress): () => Promise<void> {
  let lastCheck: Promise<void> | undefined
  let lastFailure: Promise<never> | undefined
  const check = async () => {
    const startedMs = performance.now()
    try {
      await checkCluster(cluster, address)
      lastFailure = undefined
    } catch (error) {
      lastFailure = Promise.reject(error)
      // The next caller gets it; until then it is not unhandled.
      lastFailure.catch(() => {})
      setTimeout(
        () => {
          lastCheck = undefined
        },
        Math.max(failureTtlMs, performance.now() - startedMs),
      ).unref()
      throw error
    }
  }
  return () => {
    if (lastCheck) return lastFailure ?? lastCheck
    lastCheck = check()
    return lastCheck
  }
}

/**
 * Requests name and version of the cluster. Throws {@link ClusterUnreachable} if it does not respond, and `unavailable` if the settings
 * are wrong: user unknown, certificate not trusted, or not OpenSearch 3 or newer.
 */
export async function checkCluster(cluster: Cluster, { nodes, username }: ClusterAddress): Promise<void> {
  const withAddress = (reason: string) => `--engine ${nodes.join(',')}: ${reason}`
  const unavailable = (reason: string) => new EngineError('unavailable', withAddress(reason))
  let info: { version?: { distribution?: string; number?: string } } | undefined
  try {
    info = (await requestInfo(cluster, nodes.length)) as typeof info
  } catch (cause) {
    const [reason, isAway] = explainFailure(cause, username)
    if (isAway) throw new ClusterUnreachable(withAddress(reason), { cause })
    throw new EngineError('unavailable', withAddress(reason), { cause })
  }
  const { distribution, number = '' } = info?.version ?? {}
  if (distribution !== 'opensearch') throw unavailable('the server at this address is not OpenSearch')
  if (Number.parseInt(number, 10) < majorVersionMin)
    throw unavailable(`OpenSearch ${number} is too old: use ${majorVersionMin}.0 or newer`)
}

/** Returns the names of data nodes without the k-NN plugin, which vectors need. */
export async function listNodesWithoutKnn(cluster: Pick<Cluster, 'call'>): Promise<string[]> {
  const path = '/_nodes/plugins?filter_path=nodes.*.name,nodes.*.roles,nodes.*.plugins.name'
  const limits: CallLimits = { msMax: nodeTimeoutMs }
  const { nodes } = (await cluster.call('GET', path, undefined, limits)) as {
    nodes: Record<string, NodeInfo>
  }
  return Object.values(nodes)
    .filter(({ roles = ['data'] }) => roles.includes('data'))
    .filter(({ plugins = [] }) => !plugins.some(({ name }) => name === knnPlugin))
    .map(({ name }) => name)
}

interface NodeInfo {
  name: string
  roles?: string[]
  plugins?: { name: string }[]
}

/** The client skips an unresponsive node at the next attempt. */
const requestInfo = (cluster: Cluster, nodes: number): Promise<unknown> =>
  cluster.call('GET', '/', undefined, { msMax: nodeTimeoutMs }).catch(error => {
    if (nodes > 1 && error instanceof EngineError && error.code === 'timeout')
      return requestInfo(cluster, nodes - 1)
    throw error
  })

/** TLS errors of Node.js, with their remedies. */
const tlsProblems: readonly [RegExp, string][] = [
  [/certificate has expired/, 'its certificate or that of its authority has expired: renew it'],
  [/not yet valid/, 'its certificate is not valid yet: compare the clocks'],
  [
    /self-signed certificate|unable to (get|verify)/,
    'its certificate is signed by an unknown authority: set --engine-ca to the PEM file of that authority',
  ],
  [/altnames|does not match certificate/, 'its certificate does not include this address'],
  [/wrong version number|packet length too long|EPROTO/, 'it does not speak TLS: use http://…?'],
  [/Parse Error|Received HTTP\/0\.9/, 'it does not speak HTTP: use https://…?'],
]
/** The error for HTTP on a TLS port, and for load balancers without an available node. */
const connectionReset = /socket hang up|ECONNRESET/
/** Statuses of a proxy without nodes, and of a node that is starting. */
const notReady = /^OpenSearch answers (429|50[234]) /

/** Returns the reason of a failed check, and whether the cluster may respond later. */
function explainFailure(error: unknown, username: string | undefined): [reason: string, isAway: boolean] {
  if (!(error instanceof EngineError)) return [errorMessage(error), false]
  if (error.code === 'timeout') return ['it does not answer', true]
  const cause = error.cause instanceof Error ? error.cause.message : error.message
  const detail = cause.replace(/^\w+Error: /, '')
  if (/^OpenSearch answers 401 /.test(detail)) {
    const reason =
      username === undefined
        ? 'it requires a user name and password: set QUERENT_ENGINE_USER and QUERENT_ENGINE_PASSWORD'
        : 'it rejects the user name and password in QUERENT_ENGINE_USER and QUERENT_ENGINE_PASSWORD'
    return [reason, false]
  }
  const tlsProblem = tlsProblems.find(([pattern]) => pattern.test(detail))
  if (tlsProblem) return [`${tlsProblem[1]} (${detail})`, false]
  if (connectionReset.test(detail)) return [`it closes the connection: use https://…? (${detail})`, true]
  return [`the request failed: ${detail}`, notReady.test(detail) || noAnswer.test(cause)]
}

/** Errors of the client if no node has responded. */
const noAnswer = /^(ConnectionError|NoLivingConnectionsError): /

const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))
