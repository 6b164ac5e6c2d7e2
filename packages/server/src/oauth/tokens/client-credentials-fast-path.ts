/**
 * Tokens by client credentials on a short way past the library, which spends more time on a token than its signature takes
 * (bench/notes/performance.md, What a token costs).
 *
 * It takes the plainest of requests only, and gives nothing but tokens. Whatever is unusual, whatever is to be refused, and whatever
 * goes wrong goes to the library, as it came: that alone knows how to say no. What comes out is what the library would have given; clients, secrets,
 * audience, lifetime and claims are settled by the same functions, and token-shortcut.test.ts sends the same requests both ways.
 */
import { randomFillSync } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import { Problem } from '#errors'
import type { Keyring } from '#keys/keyring'
import type { Authentication } from '#oauth/clients/authentication'
import type { Clients, LoadedClient } from '#oauth/clients/clients'
import { completeClaims, routes } from '#oauth/provider/configuration'
import { exposedHeaders } from '#oauth/provider/endpoint-routing'
import type { Log } from '#oauth/provider/interaction-types'
import type { LibraryClient } from '#oauth/provider/oidc-provider-internals'
import { addScope } from '#oauth/provider/replies'
import { increment, type TokenCounters } from '#telemetry/counters'
import { chooseAudience, type ServiceUrls } from './resource.ts'
import { createTokenSigner } from './token-signer.ts'

interface Dependencies extends ServiceUrls {
  keyring: Pick<Keyring, 'privateJwks'>
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
  clients: Clients
  authentication: Authentication
  /** As the library sees a client. */
  getLibraryClient: (client: LoadedClient) => LibraryClient
  log: Log
  counts?: TokenCounters
}

/** Whether it answered; if not, the request is as it was, and nobody was told of anything. Undefined: not even its body was looked at. */
export type TokenFastPath = (
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
) => Promise<boolean> | undefined

/** With the keys that there are now; when those change, another takes its place. */
export const openTokenFastPath = (dependencies: Dependencies): TokenFastPath => {
  const { clients, authentication, getLibraryClient: libraryClientOf, authUrl, log } = dependencies
  const issuer = `${authUrl}/`
  const sign = createTokenSigner(dependencies.keyring, dependencies.accessTokenAlgorithm)

  const reply = async (form: Form, { id, secret }: Credentials, request: IncomingMessage) => {
    const loadedClient = await clients.find(id, request)
    // A client that does not exist takes as long as a wrong secret.
    if (!authentication.verifySecret(loadedClient, secret, request) || !loadedClient) {
      await clients.equalizeTiming(request)
      return undefined
    }
    const client = libraryClientOf(loadedClient)
    if (client.clientAuthMethod !== 'client_secret_basic') return undefined
    if (!client.grantTypeAllowed('client_credentials')) return undefined
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
    return addScope(form.scope, { access_token: sign(claims), expires_in, token_type: 'Bearer' })
  }

  const tryAnswer = async (
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    bytes: number,
  ): Promise<boolean> => {
    // What came in one packet with the head is there in a moment.
    await undefined
    const body: Buffer | null | undefined = request.read(bytes) ?? (await readWholeBody(request, bytes))
    if (!body) return false
    let tokenReply: object | undefined
    try {
      const form = parsePlainForm(body)
      const credentials = form && readCredentials(request.headers, form)
      tokenReply = credentials && (await reply(form, credentials, request))
    } catch (error) {
      // The fault is not the caller's: the library tries it too, and says what there is to say.
      if (!(error instanceof Problem && error.status === 503))
        log.warn({ err: error, requestId }, 'the shortcut to a token failed; the library answers')
    }
    if (!tokenReply) {
      request.unshift(body)
      return false
    }
    request.resume()
    if (dependencies.counts) increment(dependencies.counts.tokens, 'client_credentials')
    sendToken(response, requestId, tokenReply)
    return true
  }

  return (request, response, requestId) => {
    const bytes = readPlainBodyLength(request)
    return bytes === undefined ? undefined : tryAnswer(request, response, requestId, bytes)
  }
}

/** As long as those of the library. */
const tokenIdBytes = 32
/** Asking the system once for many costs a tenth (the library does so too). */
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

/** Other bodies are somebody's mistake, or not client credentials. */
const bodyBytesMax = 4 * 1024
const formType = /^application\/x-www-form-urlencoded(?:; ?charset=utf-8)?$/i
/** They change what the answer is, or how the body reads. */
const unusualHeaders = [
  'origin',
  'dpop',
  'oauth-client-attestation',
  'oauth-client-attestation-pop',
  'content-encoding',
  'transfer-encoding',
]

/** Length of the body of a token request that looks plain; undefined: it is another request, or not plain. */
const readPlainBodyLength = ({ method, url, headers }: IncomingMessage): number | undefined => {
  if (method !== 'POST' || (url !== routes.token && url !== `${routes.token}/`)) return undefined
  if (!formType.test(headers['content-type'] ?? '')) return undefined
  for (const name of unusualHeaders) if (headers[name] !== undefined) return undefined
  const bytes = Number(headers['content-length'])
  return bytes > 0 && bytes <= bodyBytesMax ? bytes : undefined
}

/** The body once it is all there; until then, nothing of it is taken. Undefined: it will never be. */
const readWholeBody = (request: IncomingMessage, bytes: number): Promise<Buffer | undefined> =>
  new Promise(resolve => {
    const done = (body?: Buffer) => {
      request.off('readable', tryRead).off('error', giveUp).off('close', giveUp)
      resolve(body)
    }
    const giveUp = () => done()
    // Called anew when more has come: one that listens anew for what is there already is called at once, and never waits.
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
/** What a scope may be (RFC 6749, section 3.3), less what is seldom in one. */
const plainScope = /^[\w.:/-]+(?: [\w.:/-]+)*$/
const asciiBody = /^[\x21-\x7e]+$/

/** The parameters, each once; an empty one counts as absent (RFC 6749, section 3.2). Undefined: the form is not plain. */
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
/** Made of these letters, neither needs the encoding of RFC 6749, section 2.3.1. */
const idAndSecret = /^([\w-]+):([\w-]+)$/

/** In the body or by HTTP Basic, in one of the two. Undefined: neither, both, or not plain. */
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
    // Tokens, numbers and scopes are ASCII: nothing has to be encoded.
    .end(text, 'latin1')
}
