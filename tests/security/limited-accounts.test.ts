/** Accounts that are limited to some APIs and collections, to lower limits, or to an end (docs/groups.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Credential } from '#tests/support/operator'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const accounts = {
  open: '{ roles: [api] }',
  shop: '{ roles: [api], apis: [shop] }',
  'by-group': '{ roles: [api], groups: [shop-only] }',
  both: '{ roles: [api], groups: [shop-only], apis: [news] }',
  everything: '{ roles: [api], groups: [shop-only, all] }',
  nothing: '{ roles: [api], apis: [] }',
  products: '{ roles: [api, data-provider], collections: [products] }',
  slow: '{ roles: [api], limits: { perMinute: 3, atOnce: 1 } }',
  faster: '{ roles: [api], groups: [fast], limits: { perMinute: 3 } }',
  ended: '{ roles: [api], until: 2020-12-31 }',
  lasting: '{ roles: [api], until: 2999-12-31 }',
}
type AccountName = keyof typeof accounts

const file = (changes: Partial<Record<AccountName, string>> = {}, rest = '') => `
workspace: limited
collections:
  products: { fields: { title: { type: text }, kind: { type: keyword } } }
  orders: { fields: { title: { type: text }, customer: { type: keyword } } }
apis:
  shop:
    endpoints:
      everything: { kind: all, collection: products }
      orders: { kind: all, collection: orders }
      kind: { kind: facet, field: kind }
      customer: { kind: facet, field: customer }
  news: { endpoints: { everything: { kind: all, collection: products } } }
groups:
  shop-only: { apis: [shop] }
  all: { apis: all }
  fast: { limits: { perMinute: 1000 } }
memberDefaults: { apis: all }
${rest}
systemToSystem:
${Object.entries({ ...accounts, ...changes })
  .map(([name, value]) => `  ${name}: ${value}`)
  .join('\n')}
`

let server: StartedServer
let tokens: Record<string, string>
before(async () => {
  server = await startServer()
  await server.applyWorkspace(file())
  await server.importDocuments('limited', 'products', [{ id: 'p1', title: 'Boot', kind: 'shoe' }])
  await server.importDocuments('limited', 'orders', [{ id: 'o1', title: 'Order', customer: 'Ann' }])
  const params = { workspace: 'limited' }
  const { items } = await server.call('listSystemToSystem', { params, query: { count: 100 } })
  tokens = Object.fromEntries(
    await Promise.all(
      items.map(async ({ name, clientId }) => {
        const secret = await server.call('addSecret', { params: { ...params, clientId }, input: {} })
        return [name, await fetchToken(server, secret satisfies Credential)] as const
      }),
    ),
  )
})
after(() => server.stop())

const request = (account: AccountName, path: string, init: RequestInit = {}) =>
  fetch(`${server.baseUrl}/4/limited/${path}`, {
    ...init,
    headers: { authorization: `Bearer ${tokens[account]}`, ...init.headers },
  })
/** Status, and the code of an error. */
const outcome = async (account: AccountName, path: string, init?: RequestInit) => {
  const reply = await request(account, path, init)
  // An error, or anything.
  const { code } = (await reply.json().catch(() => ({}))) as { code?: string }
  return code === undefined ? `${reply.status}` : `${reply.status} ${code}`
}

test('an API is open if the membership or any group names it, and closed ones look as if they did not exist', async () => {
  const query = 'e/everything/count'
  const expected: Partial<Record<AccountName, [shop: string, news: string]>> = {
    open: ['200', '200'],
    shop: ['200', '403 api-not-allowed'],
    'by-group': ['200', '403 api-not-allowed'],
    both: ['200', '200'],
    everything: ['200', '200'],
    nothing: ['403 api-not-allowed', '403 api-not-allowed'],
  }
  for (const [name, outcomes] of Object.entries(expected)) {
    const account = name as AccountName
    assert.deepEqual(
      [await outcome(account, `api/shop/${query}`), await outcome(account, `api/news/${query}`)],
      outcomes,
      name,
    )
  }
  const read = async (api: string) => {
    const reply = await request('shop', `api/${api}/${query}`)
    const { requestId, ...error } = (await reply.json()) as { requestId: string }
    return { error, challenge: reply.headers.get('www-authenticate')?.replaceAll(api, 'API') }
  }
  assert.deepEqual(await read('news'), await read('never'))
  assert.match((await read('news')).challenge ?? '', /error="insufficient_scope"/)
  for (const path of [
    '',
    'openapi.json',
    'status',
    'e/everything/results',
    'options/kind',
    'e/nothing/count',
  ])
    assert.equal(await outcome('shop', `api/news/${path}`), '403 api-not-allowed', path)
  for (const path of ['mcp', 'batch'])
    assert.equal(await outcome('shop', `api/news/${path}`, { method: 'POST' }), '403 api-not-allowed', path)
})

test('a closed collection refuses queries and documents, and no list names it', async () => {
  const closed = '403 collection-not-allowed'
  for (const path of [
    'e/orders/count',
    'e/orders/results',
    'e/orders/e/customer/results',
    'e/orders/options/customer',
    'e/everything/e/orders/count',
    'options/customer',
  ])
    assert.equal(await outcome('products', `api/shop/${path}`), closed, path)
  assert.equal(await outcome('products', 'api/shop/e/everything/options/kind'), '200')
  assert.equal(await outcome('products', 'api/shop/e/nothing/count'), '400 unknown-endpoint')
  for (const path of ['', 'openapi.json', 'status', 'e/nothing/count'])
    assert.doesNotMatch(
      (await (await request('products', `api/shop/${path}`)).text()).toLowerCase(),
      /orders|customer/,
      path,
    )
  const tools = await request('products', 'api/shop/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  const toolList = await tools.text()
  assert.match(toolList, /everything/)
  assert.doesNotMatch(toolList, /orders|customer/)
  // The same document of an account without limits names them.
  assert.match(await (await request('open', 'api/shop/openapi.json')).text(), /customer/)
  const putDocument = (collection: string) =>
    outcome('products', `collections/${collection}/documents/x`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"title":"X"}',
    })
  assert.deepEqual(
    [await putDocument('products'), await putDocument('orders'), await putDocument('never')],
    ['200', closed, closed],
  )
})

test('a batch reports a closed collection for its query alone, and the refusal can be explained', async () => {
  const reply = await request('products', 'api/shop/batch', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ requests: ['e/everything/count', 'e/orders/count'] }),
  })
  const { responses } = (await reply.json()) as { responses: { status: number; body: { code?: string } }[] }
  assert.deepEqual(
    responses.map(({ status, body }) => [status, body.code]),
    [
      [200, undefined],
      [403, 'collection-not-allowed'],
    ],
  )
  const refusal = await request('products', 'api/shop/e/orders/count')
  const { requestId } = (await refusal.json()) as { requestId: string }
  const { checks } = await server.call('getRefusal', { params: { requestId } })
  assert.deepEqual(
    checks.filter(({ passed }) => passed !== true).map(({ name, passed }) => [name, passed]),
    [
      ['collection', false],
      ['row-filter', null],
    ],
  )
  assert.equal(checks.find(({ name }) => name === 'collection')?.expected, 'products')
})

test('limits lower those of the server, and of several sources the highest counts', async () => {
  const statuses = []
  for (let count = 0; count < 4; count++)
    statuses.push((await request('slow', 'api/shop/e/everything/count')).status)
  assert.deepEqual(statuses, [200, 200, 200, 429])
  const reply = await request('faster', 'api/shop/e/everything/count')
  assert.equal(reply.headers.get('ratelimit-limit'), '1000')
})

test('a membership ends at its date, stays listed, and its refusal says so', async t => {
  t.after(() => server.applyWorkspace(file()))
  assert.equal(await outcome('ended', 'api/shop/e/everything/count'), '403 membership-ended')
  assert.equal(await outcome('lasting', 'api/shop/e/everything/count'), '200')
  const { checks } = await server.call('inspectToken', {
    input: { token: tokens.ended ?? '', workspace: 'limited', api: 'shop' },
  })
  // Without a workspace, its checks don't count.
  const inspection = await server.call('inspectToken', { input: { token: tokens.lasting ?? '' } })
  assert.equal(inspection.allowed, true)
  const end = checks.find(({ name }) => name === 'membership-end')
  assert.deepEqual([end?.passed, end?.found], [false, 'until 2020-12-31'])
  const { items } = await server.call('listSystemToSystem', { params: { workspace: 'limited' }, query: {} })
  assert.ok(items.some(({ name }) => name === 'ended'))
  await server.applyWorkspace(
    file({ ended: '{ roles: [api] }', lasting: '{ roles: [api], until: 2020-01-01 }' }),
  )
  assert.equal(await outcome('ended', 'api/shop/e/everything/count'), '200')
  assert.equal(await outcome('lasting', 'api/shop/e/everything/count'), '403 membership-ended')
})

test('the last administrator cannot have an end, and names that do not exist are rejected', async () => {
  const email = (await server.call('getMe', {})).email ?? ''
  const administrator = (until: string) =>
    file({}, `members: { "${email}": { roles: [administrator]${until} } }`)
  await assert.rejects(server.applyWorkspace(administrator(', until: 2999-01-01')), { code: 'conflict' })
  const faults = async (source: string) => {
    const error = await server.applyWorkspace(source).then(
      () => assert.fail('the file was applied'),
      (thrown: { errors?: { path: string; code: string }[] }) => thrown,
    )
    return (error.errors ?? []).map(({ path, code }) => `${path} ${code}`)
  }
  assert.deepEqual(await faults(file({ open: '{ roles: [api], apis: [gone], collections: [gone] }' })), [
    'systemToSystem.open.apis.0 unknown-api',
    'systemToSystem.open.collections.0 unknown-collection',
  ])
  assert.deepEqual(await faults(file().replace('memberDefaults: { apis: all }', '')), [
    'groups.shop-only.apis missing-member-default',
    'groups.all.apis missing-member-default',
  ])
  assert.equal((await faults(file({ open: '{ roles: [api], until: soon }' }))).length, 1)
  assert.equal((await faults(file({ open: '{ roles: [api], limits: {} }' }))).length, 1)
  const source = await server.exportWorkspace('limited')
  assert.deepEqual((await server.call('applyWorkspaceFile', { input: { source, dryRun: true } })).changes, [])
})
