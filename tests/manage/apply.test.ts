/** `querent apply` on a workspace that has documents: what it warns of, what it keeps, and that it never stands in its own way. */
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
  // The reply of `querent apply --json` (command-line.md).
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

test('a field of another type keeps every document and value; with the old type all are found again', async () => {
  const documents = await get('resultpage')
  assert.deepEqual(await sizes(), ['42', 'wide'])
  const { warnings } = await apply({ size: 'number' })
  assert.deepEqual(
    warnings.map(({ path }) => path),
    ['collections.goods.fields.size'],
  )
  assert.deepEqual(await get('resultpage'), documents)
  assert.deepEqual(await sizes(), [])
  await apply({})
  assert.deepEqual(await get('resultpage'), documents)
  assert.deepEqual(await sizes(), ['42', 'wide'])
})

test('a new template of ids is warned of, for the documents keep theirs', async () => {
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

test('a configuration may name a generation; what there is none of is refused with its place', async () => {
  await apply({ config: '{ goods: "1" }' })
  assert.equal((await get('count')).total, 2)
  await assert.rejects(apply({ config: '{ goods: "99" }' }), /:7:37: .*found "99", allowed: live, latest, or/)
  await apply({})
})

test('a file that is no UTF-8, or too long, is refused as what it is', async () => {
  const assertRefused = (input: string | Uint8Array, message: RegExp) =>
    assert.rejects(server.run(['apply', '-'], { input }), message)
  await assertRefused(
    Buffer.from('workspace: shop\ntitle: caf\xe9\n', 'latin1'),
    /standard input is not UTF-8/,
  )
  await assertRefused(`workspace: shop\n#${'x'.repeat(2 * 1024 * 1024)}`, /is longer than 1048576 bytes/)
})

test('a collection that is no longer named is warned of, and goes with its documents; nothing waits for anything', async () => {
  const { changes, warnings } = await apply({ collection: 'things' })
  assert.ok(changes.some(({ change, path }) => change === 'remove' && path === 'collections.goods'))
  assert.match(warnings[0]?.message ?? '', /goods is not named in the file: it is removed with its documents/)
  assert.equal((await get('count')).total, 0)
  assert.deepEqual((await apply({ collection: 'things' })).changes, [])
  await apply({})
  assert.equal((await get('count')).total, 0)
})
