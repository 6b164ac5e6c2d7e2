import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientCredentials, discover, requestToken } from './auth.ts'
import { ApiError, UnreachableError } from './errors.ts'
import { listen, readBody, sendJson } from './test-server.ts'

const account = { clientId: 'id', clientSecret: 'q_secret', audience: 'http://127.0.0.1:4000' }

test('clientCredentials reuses a token until shortly before it expires, and concurrent callers share one request', async t => {
  const bodies: string[] = []
  const authUrl = await listen(t, async (request, reply) => {
    bodies.push(`${request.method} ${request.url} ${await readBody(request)}`)
    sendJson(reply, 200, { access_token: `token ${bodies.length}`, token_type: 'Bearer', expires_in: 900 })
  })
  let clockMs = 0
  const token = clientCredentials({ ...account, authUrl: `${authUrl}/` }, () => clockMs)
  assert.deepEqual(await Promise.all([token(), token(), token()]), ['token 1', 'token 1', 'token 1'])
  clockMs = 869_000
  assert.equal(await token(), 'token 1')
  clockMs = 870_000
  assert.equal(await token(), 'token 2')
  assert.equal(
    bodies[0],
    'POST /oauth/token grant_type=client_credentials&client_id=id&client_secret=q_secret&audience=http%3A%2F%2F127.0.0.1%3A4000',
  )
})

test('a failed token request throws an ApiError with the OAuth error, and the next call tries again', async t => {
  let requestCount = 0
  const authUrl = await listen(t, (_, reply) => {
    requestCount += 1
    if (requestCount === 1)
      sendJson(reply, 401, { error: 'invalid_client', error_description: 'client id or secret is wrong' })
    else sendJson(reply, 200, { access_token: 'good', token_type: 'Bearer', expires_in: 900 })
  })
  const token = clientCredentials({ ...account, authUrl })
  await assert.rejects(token, (error: unknown) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual(
      [error.status, error.code, error.message],
      [401, 'invalid_client', 'client id or secret is wrong'],
    )
    return true
  })
  assert.equal(await token(), 'good')
})

test('if the server does not answer, requestToken throws an UnreachableError with its origin and the cause', async () => {
  await assert.rejects(requestToken({ ...account, authUrl: 'http://127.0.0.1:2' }), (error: unknown) => {
    assert.ok(error instanceof UnreachableError)
    assert.equal(error.message, 'http://127.0.0.1:2 does not answer (ECONNREFUSED)')
    return true
  })
})

test('in a page of another origin, the error says that the server may not allow the page', async t => {
  const page = Object.getOwnPropertyDescriptor(globalThis, 'location')
  t.after(() => {
    if (page) Object.defineProperty(globalThis, 'location', page)
    else Reflect.deleteProperty(globalThis, 'location')
  })
  const readMessage = (origin: string) => {
    Object.defineProperty(globalThis, 'location', { configurable: true, value: { origin } })
    return new UnreachableError('https://query.example/4/w', new TypeError('Failed to fetch')).message
  }
  assert.equal(
    readMessage('https://shop.example'),
    'https://query.example does not answer, or does not allow pages of https://shop.example (Failed to fetch)',
  )
  assert.equal(
    readMessage('https://query.example'),
    'https://query.example does not answer (Failed to fetch)',
  )
})

test('requestToken follows no redirect, which would send the secret to another server', async t => {
  let redirectCount = 0
  const target = await listen(t, (_, reply) => {
    redirectCount += 1
    sendJson(reply, 200, {})
  })
  const authUrl = await listen(t, (_, reply) => {
    reply.writeHead(307, { location: target }).end()
  })
  await assert.rejects(requestToken({ ...account, authUrl }))
  assert.equal(redirectCount, 0)
})

test('discover accepts addresses with and without a trailing slash', async t => {
  const authUrl = await listen(t, (request, reply) => {
    const isMetadataPath = request.url === '/.well-known/oauth-authorization-server'
    sendJson(reply, isMetadataPath ? 200 : 404, {
      issuer: 'x',
      protected_resources: ['http://127.0.0.1:4000'],
    })
  })
  for (const address of [authUrl, `${authUrl}/`])
    assert.deepEqual((await discover(address)).protected_resources, ['http://127.0.0.1:4000'])
})
