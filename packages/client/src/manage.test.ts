import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allItems, managementApi } from './manage.ts'
import { listen, readBody, sendJson } from './test-server.ts'

test('call sends the method, path, query and body of the operation', async t => {
  const requests: unknown[] = []
  const authUrl = await listen(t, async (request, reply) => {
    requests.push([request.method, request.url, await readBody(request)])
    if (request.method === 'DELETE') reply.writeHead(204).end()
    else sendJson(reply, 200, { items: [], next: null })
  })
  const manage = managementApi({ authUrl: `${authUrl}/`, token: async () => 'T' })
  const params = { workspace: 'dictionary', email: 'a/b@example.org' }
  await manage.call('setMember', { params, input: { roles: ['api'] } })
  assert.equal(await manage.call('removeMember', { params }), undefined)
  await manage.call('listUsers', { query: { count: 5 } })
  await manage.call('listWorkspaces', {})
  const member = '/manage/v1/workspaces/dictionary/members/a%2Fb%40example.org'
  assert.deepEqual(requests, [
    ['PUT', member, '{"roles":["api"]}'],
    ['DELETE', member, ''],
    ['GET', '/manage/v1/users?count=5', ''],
    ['GET', '/manage/v1/workspaces', ''],
  ])
})

test('allItems joins the pages of a list', async () => {
  const pages = new Map([
    [undefined, { items: [1, 2], next: '2' }],
    ['2', { items: [3], next: null }],
  ])
  const items = await allItems(async ({ after }) => pages.get(after) ?? assert.fail(`no page after ${after}`))
  assert.deepEqual(items, [1, 2, 3])
})
