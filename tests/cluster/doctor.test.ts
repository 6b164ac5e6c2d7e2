/** An authorization node reports the checks of query nodes to `querent doctor --all-nodes`. */
import assert from 'node:assert/strict'
import { rename, rm, symlink } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { waitUntil } from '#server/test-wait'
import { runQuerent } from '#tests/support/command-line'
import { type Nodes, startNodes } from '#tests/support/nodes'

let nodes: Nodes
before(async () => {
  nodes = await startNodes({ nodes: [{ only: 'authorization' }], engine: 'opensearch' })
  await nodes.add({ only: 'query' })
})
after(() => nodes?.stop())

interface Report {
  ok: boolean
  nodes: {
    services: string[]
    listening: string[]
    checks: { name: string; state: string; message: string }[]
  }[]
}

const node = (index: number) => nodes.nodes[index] ?? assert.fail(`there is no node ${index}`)
const doctor = async () => {
  const { code, stdout, stderr } = await runQuerent([
    ...['doctor', '--all-nodes', '--json', '--data', node(0).data],
  ])
  // The value of `querent doctor --all-nodes --json` (docs/operate.md).
  const report = JSON.parse(stdout) as Report
  assert.equal(report.ok, code === 0, stderr)
  const states = report.nodes.map(({ services, checks }) => [
    ...services,
    ...checks.map(({ name, state }) => `${name} ${state}`),
  ])
  return { code, stderr, report, states }
}
const authorization = ['authorization', 'storage ok', 'clock ok', 'keys ok', 'engine ok', 'disk ok']
const query = ['query', 'storage ok', 'clock ok', 'engine ok', 'disk ok']

/** A node writes its first row while it starts, and deletes the row of its earlier run afterwards. */
const untilReported = async (count: number) => {
  const management = await nodes.management()
  await waitUntil(async () => {
    const { nodes: all = [] } = await management.call('diagnose', { query: { allNodes: 'true' } })
    const isMissing = all.some(({ checks }) => checks.some(({ name }) => name === 'node'))
    return all.length === count && !isMissing
  })
}

test('doctor reports each node with the addresses that it listens on', async () => {
  await untilReported(2)
  const { code, report, states } = await doctor()
  assert.deepEqual(states, [authorization, query])
  assert.equal(code, 0)
  assert.deepEqual(
    report.nodes.map(({ listening }) => listening),
    [[node(0).authUrl], [node(1).queryUrl]],
  )
})

test('doctor reports a full disk of a query node', async () => {
  const { data } = node(1)
  const management = await nodes.management()
  const isReported = async (state: string) => {
    const { nodes: all = [] } = await management.call('diagnose', { query: { allNodes: 'true' } })
    return all.some(
      reportedNode =>
        reportedNode.services.includes('query') &&
        reportedNode.checks.some(check => check.name === 'disk' && check.state === state),
    )
  }
  // A file system without free space.
  await rename(data, `${data}-moved`)
  await symlink('/proc', data)
  try {
    await waitUntil(() => isReported('fail'))
    const { code, stderr, states } = await doctor()
    assert.deepEqual(states, [authorization, ['query', 'storage ok', 'clock ok', 'engine ok', 'disk fail']])
    assert.equal(code, 1)
    assert.match(stderr, /^querent: failing: disk of /)
  } finally {
    await rm(data)
    await rename(`${data}-moved`, data)
  }
  await waitUntil(() => isReported('ok'))
})

test('doctor reports a killed node as missing, and omits a stopped node', async () => {
  await node(1).kill()
  const client = new pg.Client({ connectionString: nodes.storage })
  await client.connect()
  const { rowCount } = await client.query(
    `update nodes set seen_at = seen_at - 120000 where services_json = '["query"]'`,
  )
  await client.end()
  assert.equal(rowCount, 1)
  const killed = await doctor()
  assert.deepEqual(killed.states, [authorization, ['query', 'node warn']])
  assert.doesNotMatch(killed.stderr, /node of /)
  await node(1).start()
  await untilReported(2)
  // The first row of its next start replaced the row of the killed node.
  assert.deepEqual((await doctor()).states, [authorization, query])
  await node(1).shutDown()
  assert.deepEqual((await doctor()).states, [authorization])
})
