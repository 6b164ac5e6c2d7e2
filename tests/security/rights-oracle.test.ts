/** Hidden documents and fields change no reply of queries, batches and MCP, for every kind of right (docs/groups.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { chooseRuns } from '#server/test-runs'
import { openRightsOracle, oraclePaths, otherPaths, type RightsOracle } from '#tests/support/rights-oracle'

let oracle: RightsOracle
before(async () => {
  oracle = await openRightsOracle()
})
after(() => oracle?.close())

/** Requests of a batch. */
const batchRequests = 20

test('replies are those of a workspace without what is hidden', async () => {
  const chosen = oraclePaths.filter((_, index) => index % chooseRuns(11, 1) === 0)
  let comparisons = 0
  for (const name of oracle.callers)
    for (const path of [...chosen, ...otherPaths]) {
      await oracle.compare(name, path)
      comparisons += 1
    }
  assert.ok(comparisons >= chooseRuns(300, 3000), String(comparisons))
})

test('batches are those of a workspace without what is hidden', async () => {
  const chosen = oraclePaths.filter((_, index) => index % chooseRuns(29, 1) === 0)
  let comparisons = 0
  for (const name of oracle.callers)
    for (let start = 0; start < chosen.length; start += batchRequests) {
      const part = chosen.slice(start, start + batchRequests)
      await oracle.compareBatch(name, part)
      comparisons += part.length
    }
  assert.ok(comparisons >= chooseRuns(100, 3000), String(comparisons))
})

test('MCP servers are those of a workspace without what is hidden', async () => {
  let comparisons = 0
  for (const name of oracle.callers) comparisons += await oracle.compareMcp(name)
  assert.ok(comparisons >= 100, String(comparisons))
})
