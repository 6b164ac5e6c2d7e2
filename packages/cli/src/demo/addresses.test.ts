import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameLoopback } from './addresses.ts'

test('the demo calls its authorization server localhost, so that passkeys can be tried', () => {
  assert.equal(nameLoopback('http://127.0.0.1:4001'), 'http://localhost:4001')
  for (const address of ['http://192.168.1.2:4001', 'http://[::1]:4001', undefined])
    assert.equal(nameLoopback(address), address)
})
