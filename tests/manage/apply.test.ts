/** `querent apply` on a workspace with documents: its warnings, what it keeps, and that it never blocks itself. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
before(async () => {
  server = await startServer()
  await apply({})
  await server.run(['import', 'shop', 'goods', '-'], {
    input: '{"id":"a","title":"Red shoe","size":"42"}\n{"id":"b","title":"Blue shoe","size":"wide"}\n',
  })
})
after(() => server.stop())

const file = ({
  size = 'keyword',
  uri = 'https://one.example/{id}',
  config = '{}',
  collection = 'goods',
}) => `
workspace: shop
collections:
  ${collection}:
    id: { uri: "${uri}" }
    fields: { title: { type: text }, size: { type: ${size} } }
configurations: { default: ${config} }
apis:
  shop:
    access: public
    endpoints:
      all: { kind: all, collection: ${collection} }
      size: { kind: facet, field: size }
`
const apply = async (changed: Parameters<typeof file>[0], ...options: string[]) =>
  // The JSON reply of `querent apply`.
  (await server.run(['apply', '-', ...options], { input: file(changed) })) as {
    changes: { change: string; path: string }[]
    warnings: { path: string; message: string }[]
  }
const get = async (path: string) => {
  const reply = await fetch(`${server.baseUrl}/4/shop/api/shop/e/all/${path}`)
  const text = await reply.text()
  assert.equal(reply.status, 200, text)
  return JSON.parse(text)
}
const sizes = async () => (await get('options/size')).options.map(({ value }: { value: unknown }) => value)

test('changing the type of a field keeps every document and value, and changing it back finds all of them again', async () => {
  const documents = await get('resultpage')
  assert.deepEqual(await sizes(), ['42', 'wide'])
  const { warnings } = await apply({ size: 'number' })
  assert.deepEqual(
    warnings.map(({ path }) => path),
    ['collections.goods.fields.size', 'collections.goods.fields.size'],
  )
  assert.ok(
    warnings.some(({ message }) => message.includes('"wide"')),
    'the second one counts the values',
  )
  assert.deepEqual(await get('resultpage'), documents)
  assert.deepEqual(await sizes(), ['42'], 'a number takes text that is one')
  await apply({})
  assert.deepEqual(await get('resultpage'), documents)
  assert.deepEqual(await sizes(), ['42', 'wide'])
})

test('apply warns about a new id template, because existing documents keep their ids', async () => {
  const uri = 'https://two.example/{id}'
  const { warnings } = await apply({ uri }, '--dry-run')
  assert.deepEqual(
    warnings.map(({ path }) => path),
    ['collections.goods.id'],
  )
  assert.deepEqual((await apply({ uri })).warnings, warnings)
  assert.match((await get('resultpage')).items[0].tuple[0].id, /^https:\/\/one\.example\//)
  await apply({})
})

test('a configuration may name a generation, and a missing generation is rejected with its place', async () => {
  await apply({ config: '{ goods: "1" }' })
  assert.equal((await get('count')).total, 2)
  await assert.rejects(apply({ config: '{ goods: "99" }' }), /:7:37: .*found "99", allowed: live, latest, or/)
  await apply({})
})

test('a file that is too long or not UTF-8 is rejected with that reason', async () => {
  const assertRefused = (input: string | Uint8Array, message: RegExp) =>
    assert.rejects(server.run(['apply', '-'], { input }), message)
  await assertRefused(
    Buffer.from('workspace: shop\ntitle: caf\xe9\n', 'latin1'),
    /standard input is not UTF-8/,
  )
  await assertRefused(`workspace: shop\n#${'x'.repeat(2 * 1024 * 1024)}`, /is longer than 1048576 bytes/)
})

test('apply warns about a collection that the file no longer names, and removes it with its documents without waiting', async () => {
  const { changes, warnings } = await apply({ collection: 'things' })
  assert.ok(changes.some(({ change, path }) => change === 'remove' && path === 'collections.goods'))
  assert.match(
    warnings[0]?.message ?? '',
    /goods is missing in the file: it and its documents will be removed/,
  )
  assert.equal((await get('count')).total, 0)
  assert.deepEqual((await apply({ collection: 'things' })).changes, [])
  await apply({})
  assert.equal((await get('count')).total, 0)
})
