import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressRanges } from './address-ranges.ts'

test('an account with address ranges may be used from them only', () => {
  const may = addressRanges(['192.0.2.7', '10.0.0.0/8', '2001:db8::/32'])
  for (const address of ['192.0.2.7', '10.200.3.4', '::ffff:10.0.0.1', '2001:db8::1', '2001:db8::1%eth0'])
    assert.equal(may(address), true, address)
  for (const address of ['192.0.2.8', '11.0.0.1', '::ffff:11.0.0.1', '2001:db9::1', '', 'localhost'])
    assert.equal(may(address), false, address)
})

test('without ranges any address will do; ranges that are none open nothing', () => {
  assert.equal(addressRanges([])('203.0.113.1'), true)
  const may = addressRanges(['office', '10.0.0.0/64', '10.0.0.0/8/9', '10.0.0.0/-1', ''])
  assert.equal(may('10.0.0.1'), false)
})
