/** Under load, nothing acknowledged is lost and nobody removed is let through, whatever breaks; `npm run faults` breaks more. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runScenarios } from '#tests/faults/programme'
import { postgresRestarted, queryNodeKilled, searchCut } from '#tests/faults/scenarios'

test('a query node is killed, PostgreSQL restarted, OpenSearch cut off', async t => {
  const { outcomes, lost, lateGrants, acknowledged } = await runScenarios(
    [queryNodeKilled, postgresRestarted, searchCut],
    { searchNodes: 1, say: text => t.diagnostic(text) },
  )
  assert.deepEqual(
    outcomes.map(({ scenario, wrong }) => ({ scenario, wrong })),
    outcomes.map(({ scenario }) => ({ scenario, wrong: [] })),
  )
  assert.deepEqual(lost, [])
  assert.equal(lateGrants, 0)
  assert.ok(acknowledged > 0)
})
