/** Hidden documents and fields change no reply on OpenSearch either (docs/groups.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type OpenSearch, startTestOpenSearch } from '#bench/peers/opensearch'
import { openRightsOracle, oraclePaths, otherPaths, type RightsOracle } from '#tests/support/rights-oracle'

let opensearch: OpenSearch
let oracle: RightsOracle
before(async () => {
  opensearch = await startTestOpenSearch()
  oracle = await openRightsOracle([
    ...['--engine', opensearch.url],
    ...['--engine-prefix', `rights-${process.pid}-`, '--engine-replicas', '0'],
  ])
})
after(async () => {
  await oracle?.close()
  await opensearch?.[Symbol.asyncDispose]()
})

test('replies are those of a workspace without what is hidden', async () => {
  const chosen = oraclePaths.filter((_, index) => index % 5 === 0)
  let comparisons = 0
  for (const name of oracle.callers) {
    for (const path of [...chosen, ...otherPaths]) await oracle.compare(name, path)
    await oracle.compareBatch(name, chosen.slice(0, 20))
    comparisons += chosen.length + otherPaths.length + 20 + (await oracle.compareMcp(name))
  }
  assert.ok(comparisons >= 600, String(comparisons))
})
