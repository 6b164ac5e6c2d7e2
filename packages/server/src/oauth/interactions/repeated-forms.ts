/**
 * Forms that a browser sends twice: a double click, a reload, a slow connection. The browser drops the first answer and shows the second,
 * so the server works once and both requests get the same reply, for 30 seconds. Holds on all nodes, because the storage keeps the reply.
 * - A form is found by a keyed hash of its address, its values and the key of the browser's forms (forgery.ts). No value is kept.
 * - Another form of the same page ends it: a name that is changed to and fro is changed twice.
 * - The reply may contain cookies and codes, so it is encrypted, and goes only to the browser that sent the form.
 * - A request that arrives during the work waits for its outcome.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { type IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { createFairShare } from '#authz/fair-share'
import { toNetwork } from '#authz/network'
import type { Keyring } from '#keys/keyring'
import { createRecordEncryption } from '#keys/record-encryption'
import type { Cookies } from '#oauth/library/cookies'
import type { Log } from '#oauth/library/log'
import type { Db } from '#storage/db'
import {
  claimForm,
  type FormKey,
  findFormReply,
  pruneFormReplies,
  releaseForm,
  removeFormReplies,
  removeFormReply,
  removeOtherReplies,
  saveFormReply,
} from '#storage/form-replies'
import { shareObservation } from '#telemetry/request-attributes'
import { readFormKey } from './forgery.ts'

export interface SubmittedForm {
  /** Path of the page. */
  page: string
  /** Query and fields, which tell two forms of the page apart. */
  values: readonly string[]
}

export interface RepeatedForms {
  /**
   * Answers with what `work` sends, or with what it sent to the same browser for the same form before. `work` gets a response of its own, so
   * it completes also if the client hangs up.
   */
  answer(
    request: IncomingMessage,
    response: ServerResponse,
    form: SubmittedForm,
    work: (response: ServerResponse) => Promise<void>,
  ): Promise<void>
  /** Forgets the replies to this browser, because the person signs out. */
  forget(request: IncomingMessage): Promise<void>
}

interface Reply {
  status: number
  headers: Record<string, string>
  /** `before`: keyed hash of the cookie's value in the request. */
  cookies: { line: string; before: string }[]
  body: string
}

const keptMs = 30_000
/** The longest time for the work. Then another request takes over, because the node may have stopped. */
const claimMs = 60_000
/** Between two looks for the reply of another node. */
const pollMs = 100
const pruneEveryMs = 10_000
/** Stored replies of this node, most of them 1 to 2 KB, and of one IPv4 address or IPv6 /64. */
const bounds = { max: 5000, groupMax: 500 }

export const openRepeatedForms = ({
  db,
  keyring,
  cookies,
  clientAddress,
  log,
}: {
  db: Db
  keyring: Pick<Keyring, 'derive'>
  cookies: Cookies
  clientAddress: (request: IncomingMessage) => string
  log: Log
}): RepeatedForms => {
  const hashKey = keyring.derive('repeated forms')
  const encryption = createRecordEncryption(keyring, 'replies to forms')
  const underWay = new Map<string, Promise<Reply>>()
  const share = createFairShare(bounds)
  let prunedAt = 0

  const computeHash = (...parts: readonly string[]): string =>
    createHmac('sha256', hashKey).update(JSON.stringify(parts)).digest('base64url')
  const hashBrowser = (formKey: string): string => computeHash('browser', formKey)
  const hashCookie = (request: IncomingMessage, name: string): string =>
    computeHash('cookie', readCookie(request, name) ?? '')

  const prune = async (): Promise<void> => {
    if (Date.now() - prunedAt < pruneEveryMs) return
    prunedAt = Date.now()
    await pruneFormReplies(db)
  }

  /** Claims the form. Returns the reply instead if there is one. */
  const claimOrFind = async (key: FormKey, claim: string): Promise<Reply | undefined> => {
    for (;;) {
      if (await claimForm(db, { ...key, claim, expiresAt: Date.now() + claimMs })) return undefined
      const stored = await findFormReply(db, key.id)
      if (stored === 'pending') await wait(pollMs)
      else if (stored) {
        // Written only by `produce`.
        const reply = (await encryption.decrypt(key.id, stored.sealed)) as Reply | undefined
        if (reply) return reply
        // Encrypted with an earlier key of the server.
        await removeFormReply(db, key.id)
      }
    }
  }

  const produce = async (
    key: FormKey,
    request: IncomingMessage,
    response: ServerResponse,
    work: (response: ServerResponse) => Promise<void>,
  ): Promise<Reply> => {
    const startedAt = Date.now()
    const claim = randomUUID()
    const earlierReply = await claimOrFind(key, claim)
    if (earlierReply) return earlierReply
    try {
      if (request.method === 'POST') await removeOtherReplies(db, key)
      const displacedId = share.add(toNetwork(clientAddress(request)), key.id)
      if (displacedId !== undefined) await removeFormReply(db, displacedId)
      const reply = await captureReply(request, response, work, hashCookie)
      if (reply.status >= 500 || (request.method === 'GET' && reply.status >= 400))
        await releaseForm(db, key.id, claim)
      else {
        const sealed = await encryption.encrypt(key.id, { ...reply })
        await saveFormReply(db, { id: key.id, claim, sealed, expiresAt: startedAt + keptMs }).catch(
          (error: unknown) => log.warn({ err: error }, 'the reply to a form could not be kept'),
        )
      }
      await prune().catch((error: unknown) => log.warn({ err: error }, 'replies to forms were not removed'))
      return reply
    } catch (error) {
      // Report the first failure; the claim expires.
      await releaseForm(db, key.id, claim).catch(() => {})
      throw error
    }
  }

  return {
    async answer(request, response, form, work) {
      const formKey = readFormKey(cookies, request)
      if (formKey === undefined) return work(response)
      const { method = '' } = request
      const key = {
        id: computeHash('form', formKey, method, form.page, ...form.values),
        browser: hashBrowser(formKey),
        page: computeHash('page', form.page),
      }
      const running = underWay.get(key.id) ?? produce(key, request, response, work)
      underWay.set(key.id, running)
      try {
        const reply = await running
        if (response.headersSent) response.destroy()
        else sendReply(response, reply, name => [readCookie(request, name), hashCookie(request, name)])
      } finally {
        if (underWay.get(key.id) === running) underWay.delete(key.id)
      }
    },
    async forget(request) {
      const formKey = readFormKey(cookies, request)
      if (formKey !== undefined) await removeFormReplies(db, hashBrowser(formKey))
    },
  }
}

/** Runs the work with a response that belongs to no connection, and returns what it sends. */
const captureReply = async (
  request: IncomingMessage,
  response: ServerResponse,
  work: (response: ServerResponse) => Promise<void>,
  hashCookie: (request: IncomingMessage, name: string) => string,
): Promise<Reply> => {
  const detached = new ServerResponse(request)
  for (const [name, value] of Object.entries(response.getHeaders()))
    if (value !== undefined) detached.setHeader(name, value)
  shareObservation(response, detached)
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const end = detached.end.bind(detached) as (...parts: unknown[]) => ServerResponse
  detached.end = ((...parts: unknown[]) => {
    end(...parts)
    const [chunk] = parts
    const { 'set-cookie': lines = [], 'x-request-id': _, ...headers } = detached.getHeaders()
    resolve({
      status: detached.statusCode,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      cookies: [lines]
        .flat()
        .map(String)
        .map(line => ({ line, before: hashCookie(request, readName(line)) })),
      body: typeof chunk === 'string' || Buffer.isBuffer(chunk) ? chunk.toString() : '',
    })
    return detached
  }) as typeof detached.end
  work(detached).then(() => reject(new Error('a form was not answered')), reject)
  return promise
}

/**
 * Sends the reply. Leaves out a cookie that the browser has replaced since the form was sent: it did get the first reply, and went on.
 */
const sendReply = (
  response: ServerResponse,
  { status, headers, cookies, body }: Reply,
  read: (name: string) => [value: string | undefined, hash: string],
): void => {
  for (const { line, before } of cookies) {
    const name = readName(line)
    const [value, hash] = read(name)
    if (hash === before || line.startsWith(`${name}=${value};`)) response.appendHeader('set-cookie', line)
  }
  response.writeHead(status, headers).end(body)
}

const readName = (line: string): string => line.slice(0, line.indexOf('='))

const readCookie = ({ headers }: IncomingMessage, name: string): string | undefined =>
  headers.cookie
    ?.split(';')
    .map(pair => pair.trim())
    .find(pair => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)
