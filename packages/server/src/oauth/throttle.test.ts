import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestServer } from './test-server.ts'

const server = await startTestServer({ signInThrottle: 3 })
after(() => server.close())

test('ASVS 6.3.1: guessing secrets is answered 429 once too often, and the right one is taken all the same', async () => {
  const account = await server.newAccount()
  const guess = () => server.token({ ...account, secret: 'wrong' })
  for (let attempt = 0; attempt < 3; attempt++) assert.equal((await guess()).status, 401)
  const throttled = await guess()
  assert.equal(throttled.status, 429)
  assert.equal(throttled.json.error, 'invalid_client')
  assert.equal(throttled.headers.get('retry-after'), '60')
  assert.equal((await server.token(account)).status, 200)
})

test('a client that does not exist is throttled like one that does', async () => {
  const account = await server.newAccount()
  const replies = await Promise.all(
    ['no-such-client', account.id, 'no-other-client'].map(async id => {
      const statuses: number[] = []
      for (let attempt = 0; attempt < 4; attempt++)
        statuses.push((await server.token({ id, secret: 'wrong' })).status)
      return statuses
    }),
  )
  assert.deepEqual(replies, Array(3).fill([401, 401, 401, 429]))
})

test('RFC 6749 5.2: a request without client authentication is invalid_client', async () => {
  const body = 'grant_type=client_credentials&audience=x'
  const reply = await fetch(`${server.authUrl}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
  })
  assert.equal(reply.status, 401)
  const errorBody = (await reply.json()) as { error: string; error_description: string }
  assert.equal(errorBody.error, 'invalid_client')
  assert.match(errorBody.error_description, /client_id and client_secret/)
  const untyped = await fetch(`${server.authUrl}/oauth/token`, { method: 'POST', body: new Blob([body]) })
  assert.equal(untyped.status, 400)
  assert.match(await untyped.text(), /Content-Type is missing/)
})

test('RFC 9449: who asks for a DPoP-bound token does not get one that is bound to nothing', async () => {
  const account = await server.newAccount()
  const reply = await fetch(`${server.authUrl}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', dpop: 'proof' },
    body: `grant_type=client_credentials&client_id=${account.id}&client_secret=${account.secret}&audience=${server.baseUrl}`,
  })
  assert.equal(reply.status, 400)
  assert.equal(((await reply.json()) as { error: string }).error, 'invalid_dpop_proof')
})
