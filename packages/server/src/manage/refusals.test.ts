/** The list of rejected requests of a workspace. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { RefusalGroup } from '@querent/contract/manage'
import { openTestServer } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const book = '/manage/v1/workspaces/books'
const list = async (person: 'ada' | 'operator', query = ''): Promise<RefusalGroup[]> =>
  (await server.call(person, 'GET', `${book}/refusals${query}`)).body.items

describe('rejected requests', () => {
  it('are grouped by account and reason, the latest first, and lead to their explanation', async () => {
    for (let times = 0; times < 3; times++) await server.call('ursula', 'GET', `${book}/members`)
    await server.call('eve', 'GET', `${book}/members`)
    const { body } = await server.call('ursula', 'GET', `${book}/members`)
    const groups = await list('ada')
    assert.deepEqual(
      groups.map(({ account, reason, count, status }) => [account?.name, reason, count, status]),
      [
        ['ursula@example.org', 'role', 4, 403],
        ['eve@example.org', 'membership', 1, 403],
      ],
    )
    assert.equal(groups[0]?.requestId, body.requestId)
    assert.equal((await server.call('ada', 'GET', `/manage/v1/refusals/${body.requestId}`)).status, 200)
  })
  it('are filtered by account and by reason', async () => {
    const names = async (query: string) => (await list('ada', query)).map(({ account }) => account?.name)
    assert.deepEqual(await names('?account=URSULA'), ['ursula@example.org'])
    assert.deepEqual(await names(`?account=${server.ids.eve}`), ['eve@example.org'])
    assert.deepEqual(await names('?reason=membership'), ['eve@example.org'])
    assert.deepEqual(await names('?reason=role&account=eve'), [])
  })
  it('of a request without a valid token name nobody', async () => {
    await server.call({ token: 'a.b.c' }, 'GET', `${book}/members`)
    const [latest] = await list('ada', '?reason=token')
    assert.deepEqual([latest?.account, latest?.client, latest?.status], [null, null, 401])
    await server.call({ token: '' }, 'GET', `${book}/members`)
    const tokenRefusals = await list('ada', '?reason=token')
    assert.equal(new Set(tokenRefusals.map(({ message }) => message)).size, 2)
  })
  it('of a deleted workspace are not those of a new one with its name', async () => {
    const source = 'workspace: books\nmembers: { eve@example.org: { roles: [administrator] } }'
    const { body } = await server.call('ursula', 'GET', `${book}/members`)
    await server.call('ada', 'DELETE', book)
    await server.call('operator', 'POST', '/manage/v1/apply', { source })
    assert.deepEqual((await server.call('eve', 'GET', `${book}/refusals`)).body.items, [])
    assert.equal((await server.call('eve', 'GET', `/manage/v1/refusals/${body.requestId}`)).status, 404)
  })
})
