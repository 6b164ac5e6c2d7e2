/**
 * Fast path for client credentials, bypassing the library, which spends more time on a token than the
 * signature takes (bench/notes/performance.md, What a token costs).
 * It accepts only the plainest requests and only issues tokens. Everything unusual, invalid or failing goes
 * to the library unchanged, which alone rejects requests. Clients, secrets, audience, lifetime and claims use
 * the same functions as the library's path; client-credentials-fast-path.test.ts sends the same requests both
 * ways.
 */

import { randomFillSync } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import { Problem } from '#errors'
import type { ServiceUrls } from '#http/origins'
import type { Keyring } from '#keys/keyring'
import type { Authentication } from '#oauth/clients/authentication'
import type { Clients, LoadedClient } from '#oauth/library/loaded-client'
import type { Log } from '#oauth/library/log'
import type { LibraryClient } from '#oauth/library/oidc-provider-internals'
import { routes } from '#oauth/library/routes'
import { exposedHeaders } from '#oauth/requests/endpoint-routing'
import { chooseAudience } from '#oauth/requests/resource'
import { increment, type TokenCounters } from '#telemetry/counters'
import type { TokenUsage } from '#usage/usage-log'
import { completeClaims, createTokenSigner } from './token-signer.ts'

interface Dependencies extends ServiceUrls {
  keyring: Pick<Keyring, 'privateJwks'>
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
  clients: Clients
  authentication: Authentication
  /** Returns the library's client. */
  getLibraryClient: (client: LoadedClient) => LibraryClient
  log: Log
  counts: TokenCounters
  usageLog: TokenUsage
}

/** Whether it answered. If not, the request is unchanged. Undefined: the body was not even read. */
export type TokenFastPath = (
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
) => Promise<boolean> | undefined

/** Uses the current keys; replaced when they change. */
export const openTokenFastPath = (dependencies: Dependencies): TokenFastPath => {
  const { clients, authentication, getLibraryClient: getClient, authUrl, log } = dependencies
  const issuer = `${authUrl}/`
  const sign = createTokenSigner(dependencies.keyring, dependencies.accessTokenAlgorithm)

  const issue = async (form: Form, { id, secret }: Credentials, request: IncomingMessage) => {
    const loadedClient = await clients.find(id, request)
    // An unknown client takes as long as a wrong secret.
    if (!authentication.verifySecret(loadedClient, secret, request) || !loadedClient) {
      await clients.equalizeTiming(request)
      return undefined
    }
    const client = getClient(loadedClient)
    if (client.clientAuthMethod !== 'client_secret_basic') return undefined
    if (!client.grantTypeAllowed('client_credentials')) return undefined
    // Its tokens need a proof, which a plain request does not have.
    if (client.dpopBoundAccessTokens) return undefined
    const audience = resolveAudience(form, loadedClient, dependencies)
    if (audience === undefined) return undefined
    const expires_in = await clients.lifetimeSeconds(loadedClient)
    const iat = Math.floor(Date.now() / 1000)
    const claims = {
      jti: newTokenId(),
      sub: id,
      iat,
      exp: iat + expires_in,
      scope: undefined,
      client_id: id,
      iss: issuer,
      aud: audience,
    }
    completeClaims(claims, undefined)
    // No scope was granted, so the reply has none, whatever was requested (RFC 6749, section 3.3).
    const tokenReply = { access_token: sign(claims), expires_in, token_type: 'Bearer' }
    return { tokenReply, workspaceId: loadedClient.row.workspaceId }
  }

  const tryAnswer = async (
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    bytes: number,
  ): Promise<boolean> => {
    // A body in the same packet as the headers arrives in a moment.
    await undefined
    const body: Buffer | null | undefined = request.read(bytes) ?? (await readWholeBody(request, bytes))
    if (!body) return false
    let issued: Awaited<ReturnType<typeof issue>>
    try {
      const form = parsePlainForm(body)
      const credentials = form && readCredentials(request.headers, form)
      issued = credentials && (await issue(form, credentials, request))
    } catch (error) {
      // Not the caller's fault: the library tries again and reports errors.
      if (!(error instanceof Problem && error.status === 503))
        log.warn({ err: error, requestId }, 'the client credentials fast path failed; the library answers')
    }
    if (!issued) {
      request.unshift(body)
      return false
    }
    request.resume()
    if (dependencies.counts) increment(dependencies.counts.tokens, 'client_credentials')
    dependencies.usageLog.recordToken('token', issued.workspaceId, 'client_credentials')
    sendToken(response, requestId, issued.tokenReply)
    return true
  }

  return (request, response, requestId) => {
    const bytes = readPlainBodyLength(request)
    return bytes === undefined ? undefined : tryAnswer(request, response, requestId, bytes)
  }
}

/** Same length as the library's. */
const tokenIdBytes = 32
/** Requesting many random bytes at once costs a tenth (as in the library). */
const randomPool = Buffer.alloc(128 * tokenIdBytes)
let randomPoolUsed = randomPool.length

const newTokenId = (): string => {
  if (randomPoolUsed === randomPool.length) {
    randomFillSync(randomPool)
    randomPoolUsed = 0
  }
  randomPoolUsed += tokenIdBytes
  return randomPool.toString('base64url', randomPoolUsed - tokenIdBytes, randomPoolUsed)
}

/** Larger bodies are mistakes or other grants. */
const bodyBytesMax = 4 * 1024
const formType = /^application\/x-www-form-urlencoded(?:; ?charset=utf-8)?$/i
/** Headers that change the reply or the encoding of the body. */
const unusualHeaders = [
  'origin',
  'dpop',
  'oauth-client-attestation',
  'oauth-client-attestation-pop',
  'content-encoding',
  'transfer-encoding',
]

/** Returns the body length of a plain token request; undefined for other requests. */
const readPlainBodyLength = ({ method, url, headers }: IncomingMessage): number | undefined => {
  if (method !== 'POST' || (url !== routes.token && url !== `${routes.token}/`)) return undefined
  if (headers['content-encoding'] !== undefined) return undefined
  if (!formType.test(headers['content-type'] ?? '')) return undefined
  for (const name of unusualHeaders) if (headers[name] !== undefined) return undefined
  const bytes = Number(headers['content-length'])
  return bytes > 0 && bytes <= bodyBytesMax ? bytes : undefined
}

/** Reads the body once it is complete; takes nothing before. Undefined if it never completes. */
const readWholeBody = (request: IncomingMessage, bytes: number): Promise<Buffer | undefined> =>
  new Promise(resolve => {
    const done = (body?: Buffer) => {
      request.off('readable', tryRead).off('error', giveUp).off('close', giveUp)
      resolve(body)
    }
    const giveUp = () => done()
    // Keep the listener: adding a new one for buffered data fires at once and would never wait.
    const tryRead = () => {
      const body: Buffer | null = request.read(bytes)
      if (body) done(body)
    }
    request.on('readable', tryRead).on('error', giveUp).on('close', giveUp)
    if (request.destroyed) giveUp()
  })

type Form = Partial<Record<string, string>>
interface Credentials {
  id: string
  secret: string
}

const parameters = new Set(['grant_type', 'client_id', 'client_secret', 'audience', 'resource', 'scope'])
/** A subset of RFC 6749, section 3.3. */
const plainScope = /^[\w.:/-]+(?: [\w.:/-]+)*$/
const asciiBody = /^[\x21-\x7e]+$/

/**
 * Returns the parameters, each at most once; an empty one counts as absent (RFC 6749, section 3.2).
 * Undefined: the form is not plain.
 */
const parsePlainForm = (body: Buffer): Form | undefined => {
  const text = body.toString('latin1')
  if (!asciiBody.test(text)) return undefined
  const form: Form = {}
  const fields = parse(text)
  for (const name in fields) {
    const value = fields[name]
    if (!parameters.has(name) || typeof value !== 'string') return undefined
    if (value !== '') form[name] = value
  }
  const isPlain =
    form.grant_type === 'client_credentials' && (form.scope === undefined || plainScope.test(form.scope))
  return isPlain ? form : undefined
}

const basic = /^basic ([A-Za-z0-9+/]+={0,2})$/i
/** These characters need no encoding (RFC 6749, section 2.3.1). */
const idAndSecret = /^([\w-]+):([\w-]+)$/

/** Reads credentials from either the body or HTTP Basic. Undefined: neither, both, or not plain. */
const readCredentials = ({ authorization }: IncomingHttpHeaders, form: Form): Credentials | undefined => {
  const { client_id, client_secret } = form
  if (authorization === undefined)
    return client_id && client_secret ? { id: client_id, secret: client_secret } : undefined
  const [, base64 = ''] = basic.exec(authorization) ?? []
  if (client_secret !== undefined || base64.length % 4 !== 0) return undefined
  const [, id, secret] = idAndSecret.exec(Buffer.from(base64, 'base64').toString('latin1')) ?? []
  if (id === undefined || secret === undefined) return undefined
  return client_id === undefined || client_id === id ? { id, secret } : undefined
}

const resolveAudience = (
  { audience, resource }: Form,
  { row, slug: workspace }: LoadedClient,
  services: ServiceUrls,
): string | undefined => {
  const choice = chooseAudience({ audience, resource, isOwn: row.kind === 'own', workspace }, services)
  return 'audience' in choice ? choice.audience : undefined
}

const sendToken = (response: ServerResponse, requestId: string, reply: object): void => {
  const text = JSON.stringify(reply)
  response
    .writeHead(200, {
      'x-request-id': requestId,
      'x-content-type-options': 'nosniff',
      vary: 'Origin',
      'access-control-expose-headers': exposedHeaders,
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'content-length': text.length,
    })
    // Tokens, numbers and scopes are ASCII.
    .end(text, 'latin1')
}
