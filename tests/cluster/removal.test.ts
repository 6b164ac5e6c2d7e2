/** Every node rejects removed, disabled, revoked and filtered members within a second (docs/people.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Nodes, startNodes } from '#tests/support/nodes'
import { accessChanges, makeAccount, makeRemovalWorkspace, measureAccessChange } from '#tests/support/removal'

const withinMs = 1000

let nodes: Nodes
before(async () => {
  nodes = await startNodes({
    nodes: [{ only: 'authorization' }, ...Array.from({ length: 4 }, () => ({ only: 'query' as const }))],
    engine: 'opensearch',
    flags: ['--engine-replicas', '0'],
  })
  await makeRemovalWorkspace(nodes)
})
after(async () => {
  await nodes?.stop()
})

for (const change of accessChanges)
  test(`${change}: all four query nodes reject requests within a second`, async () => {
    const management = await nodes.management()
    const account = await makeAccount(nodes, management, change)
    const delays = await measureAccessChange(nodes, management, account, change, withinMs)
    assert.equal(delays.length, 4)
  })
