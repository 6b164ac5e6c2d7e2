/**
 * The floor: a bare node:http server that does only what a token needs. It parses the form, compares the hash of the secret, signs the same
 * claims as ours in the fastest known way, which is ours, and replies.
 */
import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ParsedUrlQuery, parse } from 'node:querystring'
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import { sendJson, serveBare } from '#bench/http/bare'
import type { Account } from '#bench/http/querent'
import { createTokenSigner } from '#server/oauth/tokens/token-signer'
import { peerAudience } from './contender.ts'

const lifetimeSeconds = 900
/** Like ours: 32 random bytes. */
const tokenIdBytes = 32

const start = async (accounts: readonly Account[]) => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const publicJwk = await exportJWK(publicKey)
  const keyDetails = { kid: await calculateJwkThumbprint(publicJwk), alg: 'ES256', use: 'sig' }
  const jwks = JSON.stringify({ keys: [{ ...publicJwk, ...keyDetails }] })
  const privateJwk = { ...(await exportJWK(privateKey)), ...keyDetails }
  const sign = createTokenSigner({ privateJwks: () => [privateJwk] }, 'ES256')
  const hashes = new Map(accounts.map(({ clientId, clientSecret }) => [clientId, hashSecret(clientSecret)]))

  const tokenFor = (clientId: string, issuer: string): string => {
    const iat = Math.floor(Date.now() / 1000)
    return sign({
      jti: randomBytes(tokenIdBytes).toString('base64url'),
      sub: clientId,
      iat,
      exp: iat + lifetimeSeconds,
      scope: '',
      client_id: clientId,
      iss: issuer,
      aud: peerAudience,
    })
  }

  const answer = ({ headers }: IncomingMessage, response: ServerResponse, form: ParsedUrlQuery) => {
    const clientId = String(form.client_id)
    const hash = hashes.get(clientId)
    const isGood =
      form.grant_type === 'client_credentials' &&
      hash !== undefined &&
      timingSafeEqual(hash, hashSecret(String(form.client_secret)))
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
    request.on('end', () => answer(request, response, parse(body)))
  })
}

const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

process.once('message', start)
