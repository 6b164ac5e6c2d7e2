/** A server's public addresses as they are seen from this machine. */

import { connect } from 'node:tls'
import { isDeepStrictEqual } from 'node:util'
import type { HealthCheck } from '@querent/contract/manage'
import { adviseForeignReply, adviseUnreachable } from '#command-line/unreachable'

export interface Seen {
  check: HealthCheck
  /** By how much the server's clock is ahead of ours, to half a second or so; undefined: it did not say. */
  aheadMs?: number
}

const answerTimeoutMs = 10_000

/** Whether the metadata document at this path answers and has these members, as clients compare them. */
export const checkAddress = async (
  origin: string,
  path: string,
  expected: Readonly<Record<string, unknown>>,
): Promise<Seen> => {
  const fail = (message: string, advice: string): Seen => ({
    check: { name: 'addresses', state: 'fail', message, advice },
  })
  const beganAt = Date.now()
  let reply: Response
  let text: string
  try {
    reply = await fetch(`${origin}${path}`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(answerTimeoutMs),
    })
    text = await reply.text()
  } catch (error) {
    const reason = reasonOf(error)
    return fail(
      `${origin} does not answer (${reason})`,
      adviseUnreachable(reason) ?? 'is the server running, and does the proxy pass this origin on to it?',
    )
  }
  const date = Date.parse(reply.headers.get('date') ?? '')
  // The header is cut to the second.
  const aheadMs = Number.isNaN(date) ? undefined : date + 500 - (beganAt + Date.now()) / 2
  if (reply.status !== 200)
    return fail(`${origin}${path} answers ${reply.status}`, adviseForeignReply(reply.status))
  const found = membersOf(text)
  const different = Object.entries(expected).find(([name, value]) => !isDeepStrictEqual(found[name], value))
  if (different) {
    const [name, value] = different
    return fail(
      `${origin}${path} says ${name} ${JSON.stringify(found[name])}, expected ${JSON.stringify(value)}`,
      'another server answers there: let baseUrl, authUrl and the proxy name the same origins',
    )
  }
  const check: HealthCheck = { name: 'addresses', state: 'ok', message: `${origin} answers as itself` }
  return aheadMs === undefined ? { check } : { check, aheadMs }
}

const membersOf = (text: string): Record<string, unknown> => {
  try {
    const found: unknown = JSON.parse(text)
    return typeof found === 'object' && found !== null ? { ...found } : {}
  } catch {
    return {}
  }
}

/** The innermost cause: fetch itself only says "fetch failed". */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

const dayMs = 24 * 60 * 60 * 1000
const renewDays = 14

/** How long the certificate is good for; nothing for http, and where none is shown (then the address does not answer either). */
export const checkCertificate = async (origin: string): Promise<HealthCheck[]> => {
  const { protocol, hostname, port } = new URL(origin)
  if (protocol !== 'https:') return []
  const until = await expiryOf(hostname.replace(/^\[|\]$/g, ''), Number(port || 443))
  if (until === undefined) return []
  const days = Math.floor((until - Date.now()) / dayMs)
  const message = `the certificate of ${origin} is good until ${new Date(until).toISOString()}`
  return [
    days >= renewDays
      ? { name: 'tls', state: 'ok', message }
      : { name: 'tls', state: days < 0 ? 'fail' : 'warn', message, advice: 'renew it at the proxy' },
  ]
}

const expiryOf = (host: string, port: number): Promise<number | undefined> =>
  new Promise(resolve => {
    // Whether it is trusted is seen by the request before: here its dates are read, also of one that has expired.
    const socket = connect({
      host,
      port,
      servername: host,
      rejectUnauthorized: false,
      timeout: answerTimeoutMs,
    })
    const end = (until?: number) => {
      socket.destroy()
      resolve(until)
    }
    socket.once('secureConnect', () => {
      const until = Date.parse(socket.getPeerCertificate().valid_to)
      end(Number.isNaN(until) ? undefined : until)
    })
    socket.once('error', () => end())
    socket.once('timeout', () => end())
  })
