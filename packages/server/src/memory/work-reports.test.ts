import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorkReports, type WorkState } from './work-reports.ts'

test('each failure is counted, and a change of state is announced once for each kind of work', async () => {
  const failures = new Map<string, number>()
  const reports = createWorkReports(failures)
  const states: WorkState[] = []
  const error = new TypeError('x')
  const fail = async () => {
    throw error
  }
  const succeed = async () => 'done'
  await reports.run('key-rotation', succeed)
  await reports.run('document-vectors', fail)
  // A listener gets what came before it.
  reports.onChange(state => states.push(state))
  await reports.run('document-vectors', fail)
  await reports.run('pruning', fail)
  await reports.run('document-vectors', succeed)
  await reports.run('document-vectors', succeed)
  assert.deepEqual(states, [
    { work: 'document-vectors', error },
    { work: 'pruning', error },
    { work: 'document-vectors', error: undefined },
  ])
  assert.deepEqual(
    [...failures],
    [
      ['document-vectors', 2],
      ['pruning', 1],
    ],
  )
})
