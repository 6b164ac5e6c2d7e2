import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAddressMatcher, isAddressRange } from './address-range.ts'

test('an address is in its ranges and in no other', () => {
  const isAllowed = createAddressMatcher(['192.0.2.0/24', '198.51.100.7', '2001:db8::/32'])
  for (const address of ['192.0.2.1', '198.51.100.7', '2001:db8::1', '2001:db8::1%eth0', '::ffff:192.0.2.9'])
    assert.ok(isAllowed(address), address)
  const otherAddresses = [
    '192.0.3.1',
    '198.51.100.8',
    '2001:db9::1',
    '::ffff:192.0.3.1',
    '',
    'x',
    '192.0.2.1/32',
  ]
  for (const address of otherAddresses) assert.ok(!isAllowed(address), address)
})

test('without ranges every address passes; malformed ranges match nothing', () => {
  assert.ok(createAddressMatcher([])('203.0.113.1'))
  assert.ok(!createAddressMatcher(['office', '10.0.0.0/64', '10.0.0.0/8/9', '10.0.0.0/-1', ''])('10.0.0.1'))
})

test('malformed addresses and malformed ranges have different faults', () => {
  for (const range of ['192.0.2.1', '0.0.0.0/0', '::/0', '2001:db8::1/128'])
    assert.ok(isAddressRange(range), range)
  for (const range of [
    '',
    '192.0.2',
    '192.0.2.0/33',
    '::/129',
    '::/',
    '192.0.2.0/024',
    'example.org',
    'fe80::1%eth0',
    '192.0.2.0/24/8',
  ])
    assert.ok(!isAddressRange(range), range)
})
