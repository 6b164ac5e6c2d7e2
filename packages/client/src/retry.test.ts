import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, isQuerentError, parseErrorReply, UnreachableError } from './errors.ts'
import { queryApi } from './query.ts'
import { withRetries } from './retry.ts'
import { listen, sendJson } from './test-server.ts'

/** Answers `failures` times with an error, then with a count. */
const listenAfter = async (
  t: Parameters<typeof listen>[0],
  failures: number,
  retryAfter: string | undefined,
  status = 503,
) => {
  const counter = { requests: 0 }
  const baseUrl = await listen(t, (_request, reply) => {
    counter.requests++
    if (counter.requests > failures) return sendJson(reply, 200, { total: 3, responses: [] })
    if (retryAfter !== undefined) reply.setHeader('retry-after', retryAfter)
    sendJson(reply, status, { message: 'later', status, code: 'unavailable' })
  })
  return { baseUrl, counter }
}

test('a query is sent again when Retry-After allows it, also a batch, at most twice', async t => {
  for (const status of [429, 503]) {
    const { baseUrl, counter } = await listenAfter(t, 2, '0', status)
    assert.equal((await queryApi({ baseUrl }, 'w', 'a').query('all').count()).total, 3)
    assert.equal(counter.requests, 3)
  }
  const batch = await listenAfter(t, 1, '0')
  assert.deepEqual(await queryApi(batch, 'w', 'a').batch(['e/all/count']), [])
  const busy = await listenAfter(t, 9, '0')
  await assert.rejects(queryApi(busy, 'w', 'a').query('all').count(), { status: 503 })
  assert.equal(busy.counter.requests, 3)
})

test('nothing is sent again without Retry-After, if the wait is too long, or if retries are off', async t => {
  for (const [retryAfter, retry] of [
    [undefined, {}],
    ['3600', {}],
    ['0', { attemptsMax: 0 }],
  ] as const) {
    const { baseUrl, counter } = await listenAfter(t, 1, retryAfter)
    await assert.rejects(queryApi({ baseUrl, retry }, 'w', 'a').query('all').count(), { status: 503 })
    assert.equal(counter.requests, 1)
  }
})

test('a rejected request is an error at once, whatever its Retry-After', async t => {
  const { baseUrl, counter } = await listenAfter(t, 1, '0', 400)
  await assert.rejects(queryApi({ baseUrl }, 'w', 'a').query('all').count(), { status: 400 })
  assert.equal(counter.requests, 1)
})

test('Retry-After may be a date', () => {
  const headers = new Headers({ 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() })
  const { retryAfterSeconds = 0 } = parseErrorReply(503, '{}', undefined, headers)
  assert.ok(retryAfterSeconds > 3500 && retryAfterSeconds <= 3600, String(retryAfterSeconds))
})

test('an abort ends the wait for the next attempt, the wait for a token, and the request itself', async t => {
  const reason = new Error('the person left')
  const waiting = new AbortController()
  const rejected = assert.rejects(
    withRetries({}, waiting.signal, async () => {
      setImmediate(() => waiting.abort(reason))
      throw new ApiError(503, { message: 'later', code: 'unavailable', retryAfterSeconds: 9 })
    }),
    reason,
  )
  await rejected
  const tokenWait = new AbortController()
  const neverToken = () => {
    setImmediate(() => tokenWait.abort(reason))
    return new Promise<string>(() => {})
  }
  const service = { baseUrl: 'http://127.0.0.1:2', token: neverToken }
  await assert.rejects(queryApi(service, 'w', 'a').query('all').count({ signal: tokenWait.signal }), reason)
  const request = new AbortController()
  const baseUrl = await listen(t, () => request.abort(reason))
  await assert.rejects(queryApi({ baseUrl }, 'w', 'a').query('all').count({ signal: request.signal }), reason)
  const service2 = new AbortController()
  service2.abort(reason)
  await assert.rejects(queryApi({ baseUrl, signal: service2.signal }, 'w', 'a').query('all').count(), reason)
})

test('the name of an error selects its type', async () => {
  const error = await queryApi({ baseUrl: 'http://127.0.0.1:2' }, 'w', 'a')
    .query('all')
    .count()
    .catch((caught: unknown) => caught)
  assert.ok(error instanceof UnreachableError)
  const describe = (known: unknown): string => {
    if (!isQuerentError(known)) return 'another'
    switch (known.name) {
      case 'ApiError':
        return known.code
      case 'UnreachableError':
        return known.reason
      case 'UnexpectedReplyError':
      case 'SignInRequiredError':
        return known.message
    }
  }
  assert.equal(describe(error), 'ECONNREFUSED')
  assert.equal(isQuerentError(new Error('x')), false)
})
