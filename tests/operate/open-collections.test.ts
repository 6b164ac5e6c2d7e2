/** With more collections than may be open at once, clients notice nothing. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ServerProcess, startServerProcess } from '#tests/support/started-server'

const names = Array.from({ length: 7 }, (_, index) => `shelf${index}`)
const file = `
workspace: books
collections:
${names.map(name => `  ${name}: { id: { field: id }, fields: { title: { type: text } } }`).join('\n')}
apis:
  books:
    access: public
    endpoints:
${names.map(name => `      ${name}: { kind: match, collection: ${name} }`).join('\n')}
`
let server: ServerProcess
before(async () => {
  server = await startServerProcess(['--open-collections', '2'])
  await server.run(['apply', '-'], { input: file })
})
after(() => server.stop())

const add = async (name: string, from: number, to: number) => {
  const lines = Array.from({ length: to - from }, (_, index) =>
    JSON.stringify({ id: from + index, title: `volume ${from + index} of ${name}` }),
  )
  await server.run(['import', 'books', name, '-'], { input: lines.join('\n') })
}
const count = async (name: string, tag?: string) => {
  const reply = await fetch(`${server.baseUrl}/4/books/api/books/e/${name}/p/query/volume/count`, {
    headers: tag === undefined ? {} : { 'if-none-match': tag },
  })
  const text = await reply.text()
  assert.ok(reply.status === 200 || reply.status === 304, text)
  // A reply of the contract.
  const total = text === '' ? undefined : (JSON.parse(text) as { total: number }).total
  return { status: reply.status, total, tag: reply.headers.get('etag') ?? '' }
}

test('concurrent queries and imports find all earlier documents, and ETags of unchanged collections stay valid', async () => {
  for (const name of names) await add(name, 0, 20)
  const tags = new Map<string, string>()
  for (const name of names) {
    const { total, tag } = await count(name)
    assert.equal(total, 20)
    tags.set(name, tag)
  }
  for (const name of names) assert.equal((await count(name, tags.get(name))).status, 304, name)
  let isOver = false
  const importing = (async () => {
    for (const name of names.slice(0, 3)) await add(name, 20, 40)
    isOver = true
  })()
  const ask = async (worker: number) => {
    for (let round = 0; !isOver; round++) {
      const name = names[(round * 3 + worker) % names.length] ?? ''
      const { total = 0 } = await count(name)
      assert.ok(total >= 20 && total <= 40, `${total} in ${name}`)
    }
  }
  await Promise.all([importing, ...[0, 1, 2, 3].map(ask)])
  for (const [index, name] of names.entries()) {
    const { status, total } = await count(name, tags.get(name))
    assert.deepEqual([status, total], index < 3 ? [200, 40] : [304, undefined], name)
  }
})

test('after a crash each collection is complete at its first use', async () => {
  await server.kill()
  await server.restart()
  const status = await fetch(`${server.baseUrl}/4/books/api/books/status`)
  assert.equal(status.status, 200, await status.text())
  const totals = await Promise.all(names.map(async name => (await count(name)).total))
  assert.deepEqual(totals, [40, 40, 40, 20, 20, 20, 20])
})
