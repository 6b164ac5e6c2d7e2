import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeDateExample } from './date-example.ts'

test('an example of a date has the form of its field', () => {
  assert.equal(writeDateExample(['dd.MM.yyyy']), '31.01.2026')
  assert.equal(writeDateExample(['d MMMM yyyy']), '31 January 2026')
  assert.equal(writeDateExample(["dd/MM/yy 'at' HH:mm"]), '31/01/26 at 18:30')
  assert.equal(writeDateExample(['epoch-milliseconds', 'MM/dd/yyyy']), '01/31/2026')
})

test('a field without a form that people write has an example of RFC 3339', () => {
  for (const formats of [undefined, [], ['epoch-seconds']])
    assert.equal(writeDateExample(formats), '2026-01-31')
})
