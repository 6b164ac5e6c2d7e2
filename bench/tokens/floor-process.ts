/**
 * The limit: a bare node:http server that does what has to be done for a token and nothing else. It parses the form, compares the hash of
 * the secret, signs the claims that ours have with node:crypto, and answers.
 */
import { createHash, generateKeyPairSync, randomBytes, randomUUID, sign, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { calculateJwkThumbprint, exportJWK } from 'jose'
import { sendJson, serveBare } from '#bench/http/bare'
import type { Account } from '#bench/http/querent'
import { peerAudience } from './contender.ts'

const lifetimeSeconds = 900
/** As ours: 32 random bytes. */
const tokenIdBytes = 32

const start = async (accounts: readonly Account[]) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  const jwks = JSON.stringify({ keys: [{ ...jwk, kid, alg: 'ES256', use: 'sig' }] })
  const header = encoded({ alg: 'ES256', typ: 'at+jwt', kid })
  const hashes = new Map(accounts.map(({ clientId, clientSecret }) => [clientId, hashOf(clientSecret)]))

  const tokenFor = (clientId: string, issuer: string): string => {
    const iat = Math.floor(Date.now() / 1000)
    const claims = encoded({
      jti: randomBytes(tokenIdBytes).toString('base64url'),
      sub: clientId,
      iat,
      exp: iat + lifetimeSeconds,
      scope: '',
      client_id: clientId,
      iss: issuer,
      aud: peerAudience,
    })
    const signature = sign('sha256', Buffer.from(`${header}.${claims}`), {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
    })
    return `${header}.${claims}.${signature.toString('base64url')}`
  }

  const answer = ({ headers }: IncomingMessage, response: ServerResponse, form: URLSearchParams) => {
    const clientId = form.get('client_id') ?? ''
    const hash = hashes.get(clientId)
    const isGood =
      form.get('grant_type') === 'client_credentials' &&
      hash !== undefined &&
      timingSafeEqual(hash, hashOf(form.get('client_secret') ?? ''))
    if (!isGood) {
      response.writeHead(401).end()
      return
    }
    const body = JSON.stringify({
      access_token: tokenFor(clientId, `http://${headers.host}`),
      expires_in: lifetimeSeconds,
      token_type: 'Bearer',
    })
    response
      .writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-request-id': randomUUID(),
      })
      .end(body)
  }

  serveBare((request, response) => {
    if (request.url === '/jwks') return sendJson(response, jwks)
    let body = ''
    request.setEncoding('utf8')
    request.on('data', chunk => {
      body += chunk
    })
    request.on('end', () => answer(request, response, new URLSearchParams(body)))
  })
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

process.once('message', start)
