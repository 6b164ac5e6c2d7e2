import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupJudgments, JudgmentsError, parseJudgments, writeJudgments } from './judgments.ts'

test('written judgments are read again, and comments and blank lines are skipped', () => {
  const judgments = [
    { query: 'striped cat', document: 'a', grade: 3 },
    { query: 'striped cat', document: 'https://shop.example/b', grade: 0 },
  ]
  assert.deepEqual(parseJudgments(`# query, document, grade\r\n\n${writeJudgments(judgments)}`), judgments)
  assert.equal(writeJudgments([{ query: 'a\tb\nc', document: 'd', grade: 1 }]), 'a b c\td\t1\n')
})

test('a wrong line is refused with its number', () => {
  for (const line of ['cat a 3', 'cat\ta', 'cat\ta\t11', 'cat\ta\t-1', 'cat\ta\t2.5', '\ta\t1', 'cat\t\t1'])
    assert.throws(
      () => parseJudgments(`cat\ta\t1\n${line}`),
      (error: unknown) => error instanceof JudgmentsError && error.line === 2,
      line,
    )
})

test('queries without a grade above 0 are left out, ids and URIs are one document, and the last grade counts', () => {
  const toUri = (id: string) => (id.startsWith('https:') ? id : `https://shop.example/${id}`)
  const grouped = groupJudgments(
    parseJudgments('cat\ta\t3\ncat\thttps://shop.example/a\t2\ndog\tb\t0'),
    toUri,
  )
  assert.deepEqual([...grouped], [['cat', new Map([['https://shop.example/a', 2]])]])
  assert.throws(() => groupJudgments(parseJudgments('dog\tb\t0'), toUri), JudgmentsError)
})
