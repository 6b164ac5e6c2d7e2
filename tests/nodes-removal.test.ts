/** Who was removed, disabled, revoked or filtered is refused by every node within a second (query-service.md, Authorisation). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Nodes, startNodes } from './nodes.ts'
import { endings, makeAccount, makeRemovalWorkspace, watchEnd } from './removal.ts'

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

for (const ending of endings)
  test(`${ending}: all four query nodes refuse within a second`, async () => {
    const management = await nodes.management()
    const account = await makeAccount(nodes, management, ending)
    const late = await watchEnd(nodes, management, account, ending, withinMs)
    assert.equal(late.length, 4)
  })
