import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeCookieSettings } from './cookies.ts'

test('on https cookies are Secure, and bound to this host by their name as far as their path allows', () => {
  const { names, long, short } = makeCookieSettings('https://auth.example', ['key'])
  assert.deepEqual(names, {
    session: '__Host-querent_session',
    interaction: '__Secure-querent_interaction',
    resume: '__Secure-querent_resume',
  })
  for (const options of [long, short])
    assert.deepEqual([options?.secure, options?.httpOnly, options?.sameSite], [true, true, 'lax'])
  assert.equal(long?.path, '/')
  assert.equal(long?.domain, undefined)
})

test('on http, which is for loopback alone, they have plain names', () => {
  const { names, long } = makeCookieSettings('http://127.0.0.1:4001', ['key'])
  assert.equal(names?.session, 'querent_session')
  assert.equal(long?.secure, false)
})
