import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupErrors } from './error-groups.ts'

test('a group keeps up to three different values that were found', () => {
  const errors = ['45 500,50 €', '38 k€', '45 500,50 €', 'de 30 000 à 35 000 €', 'à négocier'].map(
    (value, index) => ({
      line: index + 2,
      message: `"salary": found "${value}", allowed: a decimal number`,
    }),
  )
  const [group] = groupErrors(errors)
  assert.deepEqual(
    [group?.count, group?.examples],
    [5, ['"45 500,50 €"', '"38 k€"', '"de 30 000 à 35 000 €"']],
  )
  const [equal] = groupErrors([errors[0], errors[2]].filter(error => error !== undefined))
  assert.deepEqual([equal?.count, equal?.examples], [2, undefined])
})

test('errors that differ only in the value are one group', () => {
  const misfit = (line: number, field: string, value: string) => ({
    line,
    message: `"${field}": found "${value}", allowed: a date (the field is of type date)`,
  })
  const errors = [
    misfit(2, 'released', '12.06.1998'),
    { line: 3, message: 'this is not JSON' },
    misfit(4, 'released', 'x, allowed'),
    misfit(5, 'added', '1.1.2001'),
    { path: 'a', message: 'has no kind' },
    { path: 'b', message: 'has no kind' },
  ]
  assert.deepEqual(
    groupErrors(errors).map(({ first, count }) => [first, count]),
    [
      [errors[0], 2],
      [errors[1], 1],
      [errors[3], 1],
      [errors[4], 1],
      [errors[5], 1],
    ],
  )
})
