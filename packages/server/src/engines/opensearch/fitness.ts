/** Refuses a cluster that this engine cannot work with when the server starts, in one line for the operator. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { EngineError } from '#engines/engine'
import type { Cluster, OpenSearchSettings } from './cluster.ts'

/** Of OpenSearch; that of Lucene's ways of leaving documents out. */
const majorLeast = 3

/** The text of a PEM file with certificates. Throws `unavailable` with a line that names the setting. */
export function authorityIn(file: string): string {
  let pem: string
  try {
    pem = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new EngineError('unavailable', `--engine-ca: ${file} cannot be read: ${messageOf(cause)}`, {
      cause,
    })
  }
  try {
    new X509Certificate(pem)
  } catch (cause) {
    throw new EngineError('unavailable', `--engine-ca: ${file} holds no certificate in PEM`, { cause })
  }
  return pem
}

/** Asks the cluster who it is. Throws `unavailable` when it cannot be reached, knows the settings' user not, or is no OpenSearch of 3 or newer. */
export async function refuseUnfit(
  cluster: Cluster,
  { nodes, username }: Pick<OpenSearchSettings, 'nodes' | 'username'>,
): Promise<void> {
  const told = (reason: string, cause?: unknown) =>
    new EngineError('unavailable', `--engine ${nodes.join(',')}: ${reason}`, { cause })
  let about: { version?: { distribution?: string; number?: string } } | undefined
  try {
    about = (await cluster.call('GET', '/')) as typeof about
  } catch (error) {
    throw told(reasonOf(error, username), error)
  }
  const { distribution, number = '' } = about?.version ?? {}
  if (distribution !== 'opensearch') throw told('what answers there is no OpenSearch')
  if (Number.parseInt(number, 10) < majorLeast)
    throw told(`OpenSearch ${number} is too old: ${majorLeast}.0 or newer is needed`)
}

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
  [
    /socket hang up|ECONNRESET|Parse Error|Received HTTP\/0\.9/,
    'it breaks the connection off: is it https://…?',
  ],
]

function reasonOf(error: unknown, username: string | undefined): string {
  if (!(error instanceof EngineError)) return messageOf(error)
  const detail = error.cause instanceof Error ? error.cause.message.replace(/^\w+Error: /, '') : error.message
  if (/^OpenSearch answers 401 /.test(detail))
    return username === undefined
      ? 'it asks for a name and a password: set QUERENT_ENGINE_USER and QUERENT_ENGINE_PASSWORD'
      : 'it refuses the name and password of QUERENT_ENGINE_USER and QUERENT_ENGINE_PASSWORD'
  const known = refusals.find(([pattern]) => pattern.test(detail))
  return known ? `${known[1]} (${detail})` : `it cannot be asked: ${detail}`
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
