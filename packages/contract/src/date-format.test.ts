import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileDateFormat } from './date-format.ts'

const read = (format: string, value: string | number) => compileDateFormat(format)?.(value)

test('a format reads a date after the name of its weekday', () => {
  assert.equal(read('dd MMM yyyy HH:mm:ss', 'Mon, 25 Dec 1995 13:30:00 +0430'), '1995-12-25T13:30:00+04:30')
  assert.equal(read('MMM dd, yyyy', 'Monday, December 25th, 1995'), '1995-12-25')
  assert.equal(read('dd. MMM yyyy', 'Montag, 25. Dezember 1995'), '1995-12-25')
  assert.equal(read('dd.MM.yyyy', 'before 25.12.1995'), undefined)
})

test('a time has a zone by offset or as GMT, behind the time or the year, and decimals of seconds', () => {
  assert.equal(read('dd MMM yyyy HH:mm:ss', '25 Dec 1995 13:30:00 GMT'), '1995-12-25T13:30:00Z')
  assert.equal(read('dd MMM yyyy HH:mm', '25 Dec 1995 13:30 +0100 (CET)'), '1995-12-25T13:30:00+01:00')
  assert.equal(read('MMM dd HH:mm:ss yyyy', 'Mon Dec 25 13:30:00 +0000 1995'), '1995-12-25T13:30:00+00:00')
  assert.equal(read('yyyy-MM-dd HH:mm:ss', '1995-12-25 13:30:00,123'), '1995-12-25T13:30:00.123Z')
  assert.equal(read('yyyy-MM-dd HH:mm:ss', '1995-12-25 13:30:00.5+02'), '1995-12-25T13:30:00.5+02:00')
})

test('months have names in other languages, and short ones that mean one month', () => {
  const months = {
    '25 déc. 1995': 12,
    '1er août 1995': 8,
    '5 mrt 1995': 3,
    '5 März 1995': 3,
    '25 декабря 1995': 12,
    '25 grudnia 1995': 12,
    '2 jui 1995': undefined,
    '2 ma 1995': undefined,
    '2 foo 1995': undefined,
  }
  for (const [text, month] of Object.entries(months))
    assert.equal(read('d MMM yyyy', text)?.slice(5, 7), month && String(month).padStart(2, '0'), text)
})

test('a month without a day is its first day, and has no time', () => {
  assert.equal(read('yyyy-MM', '1995-12'), '1995-12-01')
  assert.equal(read('MM/yyyy', '2/1995'), '1995-02-01')
  assert.equal(read('MMM yyyy', 'März 1995'), '1995-03-01')
  assert.equal(read('yyyy-MM', '1995-13')?.slice(0, 7), '1995-13')
  assert.equal(compileDateFormat('yyyy-MM HH:mm'), undefined)
  assert.equal(compileDateFormat('yyyy'), undefined)
})

test('digits beside digits have their whole length', () => {
  assert.equal(read('yyyyMMdd', 19951225), '1995-12-25')
  assert.equal(read('yyyyMMdd', '1995122'), undefined)
  assert.equal(read("yyyyMMdd'T'HHmmss", '19951225T133000Z'), '1995-12-25T13:30:00Z')
})
