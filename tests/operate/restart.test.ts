/** A rolling restart of three nodes behind a balancer without retries, under load: no request fails. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patienceMs } from '#server/test-wait'
import { books, makeLibrary } from '#tests/support/library'
import { startNodes } from '#tests/support/nodes'
import { fetchToken } from '#tests/support/started-server'

test('no token request or query fails while each node restarts in turn', async t => {
  const service = await startNodes({
    nodes: [{}, {}, {}],
    engine: 'opensearch',
    readyPath: '/readyz',
    flags: ['--drain-seconds', '5'],
  })
  t.after(() => service.stop())
  const library = await makeLibrary(service)
  const failed: string[] = []
  let requestCount = 0
  let isOver = false
  const load = Array.from({ length: 4 }, async () => {
    while (!isOver)
      try {
        const token = await fetchToken(service, library)
        for (let query = 0; query < 5; query++) {
          const reply = await library.get('library/e/all/count', {
            headers: { authorization: `Bearer ${token}` },
          })
          const text = await reply.text()
          if (reply.status !== 200 || JSON.parse(text).total !== books.length)
            failed.push(`${reply.status} ${text}`)
        }
        requestCount += 6
      } catch (error) {
        failed.push(String(error))
      }
  })
  for (const node of service.nodes) {
    const countBefore = requestCount
    await node.shutDown()
    assert.match(node.log(), /"ready":true/)
    await t.waitFor(() => assert.ok(requestCount >= countBefore + 100), { timeout: patienceMs })
    await node.start()
    // Wait until it is in rotation again before the next one stops.
    const url = `${node.queryUrl}/readyz`
    await t.waitFor(async () => assert.equal((await fetch(url)).status, 200), { timeout: patienceMs })
    const back = requestCount
    await t.waitFor(() => assert.ok(requestCount >= back + 100), { timeout: patienceMs })
  }
  isOver = true
  await Promise.all(load)
  assert.deepEqual(failed, [])
})
