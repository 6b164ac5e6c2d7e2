/** Checks a server's public addresses from this machine. */

import { connect } from 'node:tls'
import { isDeepStrictEqual } from 'node:util'
import type { HealthCheck } from '@querent/contract/manage'
import { adviseForeignReply, adviseUnreachable } from '#command-line/unreachable'

export interface AddressCheck {
  check: HealthCheck
  /** Milliseconds that the server's clock is ahead of ours, accurate to about half a second. Undefined if the reply has no date. */
  aheadMs?: number
}

const answerTimeoutMs = 10_000

/** Checks that the metadata document at this path answers and has these members, as clients compare them. */
export const checkAddress = async (
  origin: string,
  path: string,
  expected: Readonly<Record<string, unknown>>,
): Promise<AddressCheck> => {
  const fail = (message: string, advice: string): AddressCheck => ({
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
    const reason = describeCause(error)
    return fail(
      `${origin} does not answer (${reason})`,
      adviseUnreachable(reason) ?? 'is the server running, and does the proxy forward this origin to it?',
    )
  }
  const date = Date.parse(reply.headers.get('date') ?? '')
  // The Date header has whole seconds.
  const aheadMs = Number.isNaN(date) ? undefined : date + 500 - (beganAt + Date.now()) / 2
  if (reply.status !== 200)
    return fail(`${origin}${path} answers with ${reply.status}`, adviseForeignReply(reply.status))
  const metadata = parseObject(text)
  const different = Object.entries(expected).find(
    ([name, value]) => !isDeepStrictEqual(metadata[name], value),
  )
  if (different) {
    const [name, value] = different
    return fail(
      `${origin}${path} has ${name} ${JSON.stringify(metadata[name])}, expected ${JSON.stringify(value)}`,
      'another server answers there: use the same origins in baseUrl, authUrl and the proxy',
    )
  }
  const check: HealthCheck = { name: 'addresses', state: 'ok', message: `${origin} answers correctly` }
  return aheadMs === undefined ? { check } : { check, aheadMs }
}

const parseObject = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/** Returns the innermost cause, because fetch itself only says "fetch failed". */
const describeCause = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return describeCause(error.cause)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

const dayMs = 24 * 60 * 60 * 1000
const renewDays = 14

/** Checks how long the certificate is valid. Returns nothing for http, or without a certificate: then `checkAddress` fails already. */
export const checkCertificate = async (origin: string): Promise<HealthCheck[]> => {
  const { protocol, hostname, port } = new URL(origin)
  if (protocol !== 'https:') return []
  const expiryMs = await readExpiry(hostname.replace(/^\[|\]$/g, ''), Number(port || 443))
  if (expiryMs === undefined) return []
  const days = Math.floor((expiryMs - Date.now()) / dayMs)
  const message = `the certificate of ${origin} is valid until ${new Date(expiryMs).toISOString()}`
  return [
    days >= renewDays
      ? { name: 'tls', state: 'ok', message }
      : { name: 'tls', state: days < 0 ? 'fail' : 'warn', message, advice: 'renew it at the proxy' },
  ]
}

const readExpiry = (host: string, port: number): Promise<number | undefined> =>
  new Promise(resolve => {
    // The request before has checked the trust. Here the dates matter, even of an expired certificate.
    const socket = connect({
      host,
      port,
      servername: host,
      rejectUnauthorized: false,
      timeout: answerTimeoutMs,
    })
    const end = (expiryMs?: number) => {
      socket.destroy()
      resolve(expiryMs)
    }
    socket.once('secureConnect', () => {
      const expiryMs = Date.parse(socket.getPeerCertificate().valid_to)
      end(Number.isNaN(expiryMs) ? undefined : expiryMs)
    })
    socket.once('error', () => end())
    socket.once('timeout', () => end())
  })
