/** Samples that a proposal cannot be made from, or only with much work. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { csvColumnsMax, documentDepthMax, documentFieldsMax } from '#documents/document-size'
import { openTestServer } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const propose = (format: 'ndjson' | 'json' | 'csv', text: string, options: { rows?: string } = {}) =>
  server.call('ursula', 'POST', '/manage/v1/workspaces/books/proposals', {
    name: 'sample',
    format,
    text,
    isCut: false,
    ...options,
  })
const columns = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`)
const fields = (count: number) => Object.fromEntries(columns(count).map(name => [name, 'x']))
const nested = (depth: number) => `{"id":1,"a":${'['.repeat(depth)}${']'.repeat(depth)}}`

test('documents have the same limits as in imports, in each format', async () => {
  for (const [text, status] of [
    [nested(documentDepthMax - 1), 200],
    [nested(documentDepthMax), 400],
    [nested(100_000), 400],
    [JSON.stringify({ id: 1, ...fields(documentFieldsMax) }), 200],
    [JSON.stringify({ id: 1, ...fields(documentFieldsMax + 1) }), 400],
    [JSON.stringify({ id: 1, a: Array.from({ length: 20_000 }, () => ({})) }), 400],
  ] as const)
    for (const [format, sample] of [
      ['ndjson', `${text}\n`],
      ['json', `[${text}]`],
    ] as const) {
      const reply = await propose(format, sample)
      assert.equal(reply.status, status, `${format} ${text.slice(0, 40)}`)
      if (status === 400) assert.equal(reply.body.code, 'bad-documents')
    }
})

test('a proposal is for the longest list of a JSON object, or for the one that is named', async () => {
  const nodes = Array.from({ length: 3 }, (_, index) => ({ name: `Node ${index}` }))
  const links = Array.from({ length: 9 }, (_, index) => ({ source: index % 3, target: index }))
  const text = JSON.stringify({ nodes, links })
  const { body } = await propose('json', text)
  assert.deepEqual([body.documents, body.rows], [9, { path: 'links', others: ['nodes'] }])
  const nodesReply = await propose('json', text, { rows: 'nodes' })
  assert.deepEqual(
    [nodesReply.body.documents, nodesReply.body.rows],
    [3, { path: 'nodes', others: ['links'] }],
  )
  const missingReply = await propose('json', text, { rows: 'edges' })
  assert.deepEqual([missingReply.status, missingReply.body.code], [400, 'bad-documents'])
})

test('a table has a limited number of columns, and a broken header line is no fault of the server', async () => {
  const table = (count: number) => `${columns(count).join()}\n${columns(count).join()}\n`
  assert.equal((await propose('csv', table(csvColumnsMax))).status, 200)
  for (const text of [table(csvColumnsMax + 1), table(60_000), '"a', ','.repeat(500_000)])
    assert.deepEqual(
      await propose('csv', text).then(({ status, body }) => [status, body.code]),
      [400, 'bad-documents'],
      text.slice(0, 40),
    )
})

test('a sample that takes seconds delays no other request', async () => {
  const order: string[] = []
  const documents = Array.from({ length: 400 }, (_, index) => ({
    id: index,
    ...Object.fromEntries(columns(100).map(name => [`${name}x${index}`, 1])),
  }))
  const proposal = propose('json', JSON.stringify(documents)).then(reply => {
    order.push('proposal')
    return reply
  })
  await server.call('eve', 'GET', '/manage/v1/workspaces').then(() => order.push('other'))
  assert.equal((await proposal).status, 200)
  assert.deepEqual(order, ['other', 'proposal'])
})
