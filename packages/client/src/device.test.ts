import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceSignIn, pollDeviceToken, requestDeviceCode } from './device.ts'
import { SignInRequiredError, UnexpectedReplyError } from './errors.ts'
import { listen, readBody, sendJson } from './test-server.ts'

const clientId = 'c'
const resource = 'http://a'
const code = {
  device_code: 'D',
  user_code: 'BCDF-GHJK',
  verification_uri: 'http://127.0.0.1/activate',
  verification_uri_complete: 'http://127.0.0.1/activate?user_code=BCDF-GHJK',
  expires_in: 600,
  interval: 5,
}

/** A clock that moves only while the program waits. */
const openClock = () => {
  let ms = 0
  const waits: number[] = []
  return {
    waits,
    now: () => ms,
    wait: async (waitMs: number) => {
      ms += waitMs
      waits.push(waitMs / 1000)
    },
  }
}

test('requestDeviceCode asks for each resource, and completes a reply without the optional members', async t => {
  const bodies: string[] = []
  const authUrl = await listen(t, async (request, reply) => {
    bodies.push(`${request.url} ${await readBody(request)}`)
    const { interval: _interval, verification_uri_complete: _complete, ...needed } = code
    sendJson(reply, 200, needed)
  })
  const request = { authUrl, clientId: 'c', scope: 'openid', resources: ['http://a', 'http://b'] }
  assert.deepEqual(await requestDeviceCode(request), {
    ...code,
    verification_uri_complete: code.verification_uri,
  })
  assert.deepEqual(bodies, [
    '/oauth/device/code client_id=c&scope=openid&resource=http%3A%2F%2Fa&resource=http%3A%2F%2Fb',
  ])
})

test('requestDeviceCode throws an UnexpectedReplyError if another program answers', async t => {
  const authUrl = await listen(t, (_, reply) => sendJson(reply, 200, { hello: 1 }))
  await assert.rejects(
    requestDeviceCode({ authUrl, clientId: 'c', scope: '', resources: [] }),
    UnexpectedReplyError,
  )
})

test('pollDeviceToken waits for the interval, and five seconds longer after each slow_down or failure', async t => {
  const replies: [status: number, body: object][] = [
    [400, { error: 'authorization_pending' }],
    [400, { error: 'slow_down' }],
    [503, {}],
    [400, { error: 'authorization_pending' }],
    [200, { access_token: 'T', token_type: 'Bearer', expires_in: 900, refresh_token: 'R' }],
  ]
  const authUrl = await listen(t, (_, reply) => {
    const [status, body] = replies.shift() ?? [500, {}]
    sendJson(reply, status, body)
  })
  const clock = openClock()
  const { access_token, refresh_token } = await pollDeviceToken({ authUrl, clientId, code, resource }, clock)
  assert.deepEqual([access_token, refresh_token], ['T', 'R'])
  assert.deepEqual(clock.waits, [5, 5, 10, 15, 15])
})

test('pollDeviceToken ends when the person refuses, when the code expires, and when the server is gone', async t => {
  const answerWith = (error: string) => listen(t, (_, reply) => sendJson(reply, 400, { error }))
  for (const error of ['access_denied', 'expired_token'])
    await assert.rejects(
      pollDeviceToken({ authUrl: await answerWith(error), clientId, code, resource }, openClock()),
      { code: error },
    )
  const clock = openClock()
  const authUrl = await answerWith('authorization_pending')
  await assert.rejects(pollDeviceToken({ authUrl, clientId, code, resource }, clock), {
    code: 'expired_token',
  })
  assert.equal(clock.waits.length, 120)
  await assert.rejects(
    pollDeviceToken({ authUrl: 'http://127.0.0.1:2', clientId, code, resource }, openClock()),
    {
      name: 'UnreachableError',
    },
  )
})

test('deviceSignIn signs in once for all callers, renews with the refresh token, and signs in again after its end', async t => {
  const bodies: string[] = []
  let hasEnded = false
  const authUrl = await listen(t, async (request, reply) => {
    const body = await readBody(request)
    bodies.push(new URLSearchParams(body).get('grant_type')?.split(':').at(-1) ?? 'start')
    if (request.url === '/oauth/device/code') return sendJson(reply, 200, code)
    if (hasEnded && body.includes('grant_type=refresh_token'))
      return sendJson(reply, 400, { error: 'invalid_grant' })
    sendJson(reply, 200, {
      access_token: `token ${bodies.length}`,
      token_type: 'Bearer',
      expires_in: 900,
      refresh_token: 'R',
    })
  })
  const codes: string[] = []
  const clock = openClock()
  const onCode = ({ user_code }: { user_code: string }) => codes.push(user_code)
  const token = deviceSignIn({ authUrl, clientId, audience: resource, onCode }, clock)
  assert.deepEqual(await Promise.all([token(), token()]), ['token 2', 'token 2'])
  await clock.wait(900_000)
  assert.equal(await token(), 'token 3')
  hasEnded = true
  await clock.wait(900_000)
  await assert.rejects(token, SignInRequiredError)
  assert.equal(await token(), 'token 6')
  assert.deepEqual(bodies, ['start', 'device_code', 'refresh_token', 'refresh_token', 'start', 'device_code'])
  assert.deepEqual(codes, [code.user_code, code.user_code])
})
