import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientCredentials, discover, requestToken } from './auth.ts'
import { ApiError, UnreachableError } from './errors.ts'
import { answer, bodyOf, listen } from './test-server.ts'

const account = { clientId: 'id', clientSecret: 'q_secret', audience: 'http://127.0.0.1:4000' }

test('one token serves until shortly before it expires, and all who wait share one request', async t => {
  const bodies: string[] = []
  const authUrl = await listen(t, async (request, reply) => {
    bodies.push(`${request.method} ${request.url} ${await bodyOf(request)}`)
    answer(reply, 200, { access_token: `token ${bodies.length}`, token_type: 'Bearer', expires_in: 900 })
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

test('a failed token request is an ApiError with the OAuth error, and is not remembered', async t => {
  let asked = 0
  const authUrl = await listen(t, (_, reply) => {
    asked += 1
    if (asked === 1)
      answer(reply, 401, { error: 'invalid_client', error_description: 'client id or secret is wrong' })
    else answer(reply, 200, { access_token: 'good', token_type: 'Bearer', expires_in: 900 })
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

test('a server that does not answer is an UnreachableError that names it and the cause', async () => {
  await assert.rejects(requestToken({ ...account, authUrl: 'http://127.0.0.1:2' }), (error: unknown) => {
    assert.ok(error instanceof UnreachableError)
    assert.equal(error.message, 'http://127.0.0.1:2 does not answer (ECONNREFUSED)')
    return true
  })
})

test('a redirect is not followed: it would carry the secret elsewhere', async t => {
  let elsewhere = 0
  const target = await listen(t, (_, reply) => {
    elsewhere += 1
    answer(reply, 200, {})
  })
  const authUrl = await listen(t, (_, reply) => {
    reply.writeHead(307, { location: target }).end()
  })
  await assert.rejects(requestToken({ ...account, authUrl }))
  assert.equal(elsewhere, 0)
})

test('metadata is found with and without a slash at the end of the address', async t => {
  const authUrl = await listen(t, (request, reply) => {
    const right = request.url === '/.well-known/oauth-authorization-server'
    answer(reply, right ? 200 : 404, { issuer: 'x', protected_resources: ['http://127.0.0.1:4000'] })
  })
  for (const address of [authUrl, `${authUrl}/`])
    assert.deepEqual((await discover(address)).protected_resources, ['http://127.0.0.1:4000'])
})
