/** Refuses a cluster that this engine cannot work with, in one line for the operator: when the server starts, or when it answers later. */
import { EngineError } from '#engines/engine'
import type { Cluster, OpenSearchSettings } from './cluster.ts'

/** Of OpenSearch; that of Lucene's ways of leaving documents out. */
const majorLeast = 3

/** Nobody answers at the addresses, or not yet: the settings may be right. */
export class ClusterAway extends EngineError {
  constructor(message: string, options: ErrorOptions) {
    super('unavailable', message, options)
    this.name = 'ClusterAway'
  }
}

type Where = Pick<OpenSearchSettings, 'nodes' | 'username'>

/** Of one node; then the next is asked. */
const answerMsMax = 5_000
/** What was found is told for so long, and for as long as it took to find. */
const foundMsLeast = 1_000

/**
 * Asks the cluster who it is until it was found fit, and then no more. Throws as {@link refuseUnfit} does; what was found last while one
 * asks again: of those that hold gates, one waits for a cluster that is silent.
 */
export function openFitness(cluster: Cluster, where: Where): () => Promise<void> {
  let asked: Promise<void> | undefined
  let found: Promise<never> | undefined
  const ask = async () => {
    const began = performance.now()
    try {
      await refuseUnfit(cluster, where)
      found = undefined
    } catch (error) {
      found = Promise.reject(error)
      found.catch(() => {})
      setTimeout(
        () => {
          asked = undefined
        },
        Math.max(foundMsLeast, performance.now() - began),
      ).unref()
      throw error
    }
  }
  return () => {
    if (asked) return found ?? asked
    asked = ask()
    return asked
  }
}

/**
 * Asks the cluster who it is. Throws {@link ClusterAway} when it does not answer, and `unavailable` when the settings are wrong: it knows
 * their user not, cannot be trusted, or is no OpenSearch of 3 or newer.
 */
export async function refuseUnfit(cluster: Cluster, { nodes, username }: Where): Promise<void> {
  const named = (reason: string) => `--engine ${nodes.join(',')}: ${reason}`
  const told = (reason: string) => new EngineError('unavailable', named(reason))
  let about: { version?: { distribution?: string; number?: string } } | undefined
  try {
    about = (await answerOf(cluster, nodes.length)) as typeof about
  } catch (cause) {
    const [reason, isAway] = reasonOf(cause, username)
    if (isAway) throw new ClusterAway(named(reason), { cause })
    throw new EngineError('unavailable', named(reason), { cause })
  }
  const { distribution, number = '' } = about?.version ?? {}
  if (distribution !== 'opensearch') throw told('what answers there is no OpenSearch')
  if (Number.parseInt(number, 10) < majorLeast)
    throw told(`OpenSearch ${number} is too old: ${majorLeast}.0 or newer is needed`)
}

/** One that is silent is left alone by the next question. */
const answerOf = (cluster: Cluster, nodes: number): Promise<unknown> =>
  cluster.call('GET', '/', undefined, { msMax: answerMsMax }).catch(error => {
    if (nodes > 1 && error instanceof EngineError && error.code === 'timeout')
      return answerOf(cluster, nodes - 1)
    throw error
  })

/** Node's words for what TLS refuses, and what to do about it. */
const refusals: readonly [RegExp, string][] = [
  [/certificate has expired/, 'its certificate, or that of its authority, has expired: renew it'],
  [/not yet valid/, 'its certificate is not valid yet: compare the clocks'],
  [
    /self-signed certificate|unable to (get|verify)/,
    'its certificate is signed by an authority that is not known here: name the PEM file of that authority with --engine-ca',
  ],
  [/altnames|does not match certificate/, 'its certificate is for other names than this address'],
  [/wrong version number|packet length too long|EPROTO/, 'it does not speak TLS there: is it http://…?'],
  [/Parse Error|Received HTTP\/0\.9/, 'it does not speak HTTP there: is it https://…?'],
]
/** By TLS where HTTP is spoken, and by balancers that have no node to send to. */
const brokenOff = /socket hang up|ECONNRESET/
/** What a proxy answers for nodes that are not there, and a node that is not up yet. */
const notYet = /^OpenSearch answers (429|50[234]) /

/** And whether it is the cluster that is away. */
function reasonOf(error: unknown, username: string | undefined): [reason: string, isAway: boolean] {
  if (!(error instanceof EngineError)) return [messageOf(error), false]
  if (error.code === 'timeout') return ['it does not answer', true]
  const cause = error.cause instanceof Error ? error.cause.message : error.message
  const detail = cause.replace(/^\w+Error: /, '')
  if (/^OpenSearch answers 401 /.test(detail)) {
    const reason =
      username === undefined
        ? 'it asks for a name and a password: set QUERENT_ENGINE_USER and QUERENT_ENGINE_PASSWORD'
        : 'it refuses the name and password of QUERENT_ENGINE_USER and QUERENT_ENGINE_PASSWORD'
    return [reason, false]
  }
  const known = refusals.find(([pattern]) => pattern.test(detail))
  if (known) return [`${known[1]} (${detail})`, false]
  if (brokenOff.test(detail)) return [`it breaks the connection off: is it https://…? (${detail})`, true]
  return [`it cannot be asked: ${detail}`, notYet.test(detail) || unheard.test(cause)]
}

/** The client's errors where no node has answered. */
const unheard = /^(ConnectionError|NoLivingConnectionsError): /

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
