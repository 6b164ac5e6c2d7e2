import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDate, readFieldValue } from './field-value.ts'

test('dates are those of RFC 3339, in small letters too, with leap seconds where they can be', () => {
  for (const text of [
    '2020-02-29',
    '2020-01-01T00:00:00Z',
    '2020-01-01t00:00:00z',
    '2020-01-01T00:00:00.123456789+01:00',
    '2016-12-31T23:59:60Z',
    '2016-12-31T23:59:60.5Z',
    '1990-12-31T15:59:60-08:00',
    '2017-01-01T05:29:60+05:30',
    '9999-12-31T23:59:60Z',
    '2020-01-01T00:00:00.12345678901234567890Z',
    '0000-01-01T00:00:00Z',
    '0000-01-01',
  ])
    assert.ok(isDate(text), text)
  for (const text of [
    '2021-02-29',
    '2020-01-01 00:00:00Z',
    '2020-01-01T00:00:00',
    '2020-01-01T24:00:00Z',
    '2016-12-30T23:59:60Z',
    '2016-12-31T22:59:60Z',
    '2016-12-31T23:59:61Z',
    '2016-12-31T23:60:00Z',
    '2016-12-31T23:59:60+01:00',
    '9999-12-31T23:59:59-14:00',
    '0000-01-01T00:00:00+01:00',
    '2020-01-01T00:00:00.Z',
  ])
    assert.ok(!isDate(text), text)
})

test('compared values have one form; a leap second is the second before it', () => {
  assert.equal(readFieldValue('date', '2020-01-01t00:00:00.5z'), '2020-01-01T00:00:00.5Z')
  assert.equal(readFieldValue('date', '2017-01-01t05:29:60.25+05:30'), '2017-01-01T05:29:59.25+05:30')
  assert.equal(readFieldValue('date', '2020-01-01'), '2020-01-01')
})
