/** Warnings and failures of `querent doctor`; a started server tests the healthy case. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HealthCheck } from '@querent/contract/manage'
import type { SigningKeyRow } from '#storage/signing-keys'
import { backupCheck, checkEngine, clockCheck, engineCheck, keyCheck, proxyCheck } from './diagnosis.ts'
import { diskSpaceCheck } from './disk-checks.ts'

const dayMs = 24 * 60 * 60 * 1000
const now = Date.UTC(2026, 10, 21)

/** A warning or failure has advice. */
const readCheckedState = (check: HealthCheck): HealthCheck['state'] => {
  assert.equal(check.advice === undefined, check.state === 'ok', check.message)
  return check.state
}

test('clocks may differ by seconds, and by a minute at most', () => {
  const states = [0, -4000, 6000, -59_000, 61_000].map(ms => readCheckedState(clockCheck(ms)))
  assert.deepEqual(states, ['ok', 'ok', 'warn', 'warn', 'fail'])
  assert.match(clockCheck(-6000).message, /6\.0 s behind/)
})

test('keys are missing, due, or follow one another', () => {
  const row = (alg: string, ageDays: number, overrides: Partial<SigningKeyRow> = {}): SigningKeyRow => ({
    kid: `${alg} ${ageDays}`,
    alg,
    encrypted_jwk: '',
    created_at: 0,
    active_from: now - ageDays * dayMs,
    retired_at: null,
    ...overrides,
  })
  const check = (rows: SigningKeyRow[], keyRotationDays: number | 'off' = 90) =>
    keyCheck(rows, { accessTokenAlgorithm: 'ES256', keyRotationDays }, now)
  assert.equal(readCheckedState(check([row('RS256', 1), row('ES256', 1)])), 'ok')
  assert.match(check([row('RS256', 1)]).message, /no key signs with ES256/)
  assert.equal(readCheckedState(check([row('RS256', 1), row('ES256', 1, { retired_at: now - 1 })])), 'fail')
  const waiting = check([row('RS256', 90), row('RS256', -1), row('ES256', 90), row('ES256', -1)])
  assert.match(waiting.message, /the next are published and sign from 2026-11-22T00:00:00.000Z/)
  assert.equal(readCheckedState(waiting), 'ok')
  assert.equal(readCheckedState(check([row('RS256', 93), row('ES256', 93)])), 'fail')
  assert.equal(readCheckedState(check([row('RS256', 93), row('ES256', 93)], 'off')), 'ok')
  assert.equal(readCheckedState(check([row('RS256', 366), row('ES256', 1)], 'off')), 'warn')
})

test('collections that do not answer are named, some of them', () => {
  const ready = { documents: 10, version: 1, state: 'ready' } as const
  const building = { documents: 10, version: 1, state: { rebuilding: { done: 1, total: 10 } } }
  const makeState = (collection: string, info: typeof ready | typeof building | 'unopened' | undefined) => ({
    workspace: 'books',
    collection,
    info,
  })
  assert.equal(readCheckedState(engineCheck([])), 'ok')
  assert.match(
    engineCheck([makeState('a', ready), makeState('b', ready)]).message,
    /^20 documents in 2 collections, all ready$/,
  )
  const partlyOpened = engineCheck([
    makeState('a', ready),
    makeState('b', 'unopened'),
    makeState('c', 'unopened'),
  ])
  assert.deepEqual([partlyOpened.state, partlyOpened.message.includes('2 more not opened yet')], ['ok', true])
  assert.match(
    engineCheck([makeState('a', ready), makeState('b', building)]).message,
    /being rebuilt: books\/b$/,
  )
  assert.equal(readCheckedState(engineCheck([makeState('b', building)])), 'warn')
  const away = engineCheck(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(name => makeState(name, undefined)))
  assert.match(away.message, /not ready: books\/a, books\/b, books\/c, books\/d, books\/e and 2 more$/)
  assert.equal(readCheckedState(away), 'fail')
})

test('a collection that is down is named with its reason, and the advice follows from the kind of failure', () => {
  const check = (code: 'unavailable' | 'no-resources') =>
    engineCheck([
      { workspace: 'books', collection: 'a', info: { documents: 10, version: 1, state: 'ready' } },
      { workspace: 'books', collection: 'b', info: { code, message: 'the reason' } },
    ])
  const [damaged, starved] = [check('unavailable'), check('no-resources')]
  for (const failed of [damaged, starved]) {
    assert.equal(readCheckedState(failed), 'fail')
    assert.match(failed.message, /down: books\/b \(the reason\)$/)
  }
  assert.notEqual(damaged.advice, starved.advice)
})

test('a disk gets full, and backups get old', () => {
  const gibibyte = 1024 ** 3
  assert.deepEqual(
    [gibibyte * 3, gibibyte, 1].map(bytes => readCheckedState(diskSpaceCheck(bytes, '/data'))),
    ['ok', 'warn', 'fail'],
  )
  assert.deepEqual(
    [now - dayMs, now - 8 * dayMs, null].map(at =>
      readCheckedState(backupCheck({ at, missing: [], failure: undefined }, now)),
    ),
    ['ok', 'warn', 'warn'],
  )
})

test('a proxy is to be believed, to say for whom it asks, and to leave Host as it came', () => {
  const check = (
    headers: Record<string, string>,
    isTrusted: boolean,
    authUrl = 'https://login.example.org',
  ) => proxyCheck({ peer: '10.0.0.1', headers }, { authUrl, isTrusted })
  const passed = { host: 'login.example.org', 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' }
  assert.equal(readCheckedState(check(passed, true)), 'ok')
  assert.match(check(passed, false).advice ?? '', /add 10\.0\.0\.1 to trustedProxy/)
  assert.match(check({ host: passed.host }, true).advice ?? '', /send X-Forwarded-For/)
  assert.match(check({ ...passed, host: 'inner:4001' }, true).advice ?? '', /pass the Host header unchanged/)
  assert.match(check({ ...passed, 'x-forwarded-proto': 'http' }, true).advice ?? '', /redirect http to https/)
  assert.equal(readCheckedState(check({ host: '127.0.0.1:4001' }, true, 'http://127.0.0.1:4001')), 'ok')
})

test('an engine elsewhere is asked whether it is there: memory would say that all is well', async () => {
  const collections = async () => []
  const away = async () => {
    throw new Error('OpenSearch cannot be reached')
  }
  const check = await checkEngine({ ping: away }, collections)
  assert.equal(readCheckedState(check), 'fail')
  assert.equal(check.message, 'the engine does not answer: OpenSearch cannot be reached')
  for (const ping of [undefined, async () => {}])
    assert.equal(readCheckedState(await checkEngine({ ping }, collections)), 'ok')
})
