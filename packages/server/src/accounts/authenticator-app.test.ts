import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findTimeStep, isAppCode, makeKeyUri, newSecret } from './authenticator-app.ts'

/** `12345678901234567890` of RFC 6238, appendix B, in base32. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test('codes are those of RFC 6238, appendix B', () => {
  // The last 6 of the 8 digits that the appendix gives for SHA-1.
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [20_000_000_000, '353130'],
  ] as const)
    assert.equal(findTimeStep(secret, code, seconds * 1000), Math.floor(seconds / 30), code)
})

test('a code is good in its time step and the ones before and after, and spaces do not matter', () => {
  const step = 1_111_111_109 / 30
  const atStep = (offset: number) => findTimeStep(secret, '081 804', (step + offset) * 30_000)
  assert.deepEqual(
    [-2, -1, 0, 1, 2].map(offset => atStep(offset) === Math.floor(step)),
    [false, true, true, true, false],
  )
})

test('anything else than six digits is no code', () => {
  for (const text of ['', '12345', '1234567', 'abcdef', '12345a'])
    assert.deepEqual([isAppCode(text), findTimeStep(secret, text)], [false, undefined], text)
})

test('each secret has 160 random bits, and the URI for apps names server and person', () => {
  assert.match(newSecret(), /^[A-Z2-7]{32}$/)
  assert.notEqual(newSecret(), newSecret())
  const uri = new URL(makeKeyUri(secret, { issuer: 'search.example', account: 'ada@example.org' }))
  assert.equal(decodeURIComponent(uri.pathname), '/search.example:ada@example.org')
  assert.deepEqual(
    [uri.protocol, uri.host, uri.searchParams.get('secret'), uri.searchParams.get('issuer')],
    ['otpauth:', 'totp', secret, 'search.example'],
  )
})
