/** Under load, nothing acknowledged is lost and nobody removed is let through, whatever breaks; `npm run faults` breaks more. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runProgramme } from './faults/programme.ts'
import { postgresRestarted, queryNodeKilled, searchCut } from './faults/scenarios.ts'

test('a query node is killed, PostgreSQL restarted, OpenSearch cut off', async t => {
  const { outcomes, lost, lateYeses, acknowledged } = await runProgramme(
    [queryNodeKilled, postgresRestarted, searchCut],
    { searchNodes: 1, say: text => t.diagnostic(text) },
  )
  assert.deepEqual(
    outcomes.map(({ scenario, wrong }) => ({ scenario, wrong })),
    outcomes.map(({ scenario }) => ({ scenario, wrong: [] })),
  )
  assert.deepEqual(lost, [])
  assert.equal(lateYeses, 0)
  assert.ok(acknowledged > 0)
})
