/** Under load, nothing acknowledged is lost and no removed account is accepted, whatever fails. `npm run faults` runs more scenarios. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runScenarios } from '#tests/faults/programme'
import { postgresRestarted, queryNodeKilled, searchCut } from '#tests/faults/scenarios'

test('a killed query node, a restarted PostgreSQL and an unreachable OpenSearch lose nothing and accept no removed account', async t => {
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
