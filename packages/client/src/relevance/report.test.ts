import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeJunit } from './junit.ts'
import { compareValues, createReport, readBaseline } from './report.ts'
import type { TestOutcome } from './run-tests.ts'

const outcome: TestOutcome = {
  name: 'shop search: a <b>\u0000, within 1',
  api: 'shop',
  endpoint: 'search',
  config: undefined,
  metric: 'recall@1',
  atLeast: 1,
  judgments: undefined,
  collection: 'products',
  parameter: 'query',
  value: 0.5,
  passed: false,
  queries: [
    { query: 'good', value: 1, count: 1, expected: [{ id: '1', rank: 1 }], found: ['1'] },
    { query: 'bad', value: 0, count: 1, expected: [{ id: '2', rank: undefined }], found: ['1'] },
  ],
}

test('a report names failed queries only, and is the baseline of the next one', () => {
  const report = createReport([outcome], { workspace: 'shop' })
  assert.deepEqual(report.tests[0]?.failedQueries, [{ query: 'bad', value: 0, missing: ['2'], found: ['1'] }])
  const baseline = readBaseline(JSON.stringify(report))
  const [next] = createReport([{ ...outcome, value: 1, passed: true }], { workspace: 'shop', baseline }).tests
  assert.deepEqual([next?.before, next?.change], [0.5, 0.5])
  for (const text of ['', 'null', '[]', '{"tests":[{"name":"x"}]}']) assert.throws(() => readBaseline(text))
})

test('JUnit has allowed characters only, and names the configuration', () => {
  const xml = writeJunit(createReport([outcome], { workspace: 'shop', config: 'staging' }))
  assert.match(xml, /<testsuite name="shop, staging" tests="1" failures="1">/)
  assert.match(xml, /name="shop search: a &lt;b&gt;\ufffd, within 1"/)
})

test('rounding is no change', () => {
  assert.equal(compareValues(0.1 + 0.2, 0.3), 'same')
  assert.equal(compareValues(0.3, 0.31), 'better')
  assert.equal(compareValues(0.3, 0.29), 'worse')
})
