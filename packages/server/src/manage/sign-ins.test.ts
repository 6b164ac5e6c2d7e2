/** The sign-in log: who sees what. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ServerSignInEntry, SignInEntry } from '@querent/contract/manage'
import { openTestServer } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
  const { ids, books, films } = server
  const base = { address: '192.0.2.1', userAgent: undefined, requestId: 'r' } as const
  const record = (event: Partial<Parameters<typeof server.signInLog.record>[0]>) =>
    server.signInLog.record({ ...base, kind: 'sign-in', result: 'ok', method: 'password', ...event })
  record({ userId: ids.ursula, clientId: 'console' })
  record({ userId: ids.eve, clientId: 'console' })
  record({ userId: ids.ursula, workspaceId: films.id, address: '192.0.2.9' })
  record({ result: 'wrong-password' })
  record({ userId: ids.ursula, workspaceId: books.id, result: 'wrong-password', address: '198.51.100.7' })
})
after(() => server.close())

type Caller = 'ada' | 'eve' | 'ursula' | 'operator'
const list = async <Entry extends SignInEntry>(person: Caller, path: string): Promise<Entry[]> => {
  const reply = await server.call(person, 'GET', `/manage/v1/${path}`)
  assert.equal(reply.status, 200)
  return reply.body.items
}
const summarize = (entries: SignInEntry[]) =>
  entries.map(({ user, result, address }) => [user?.name, result, address])

describe('the sign-in log', () => {
  it('of a workspace has its applications and its members in the console, and nobody else’s', async () => {
    assert.deepEqual(summarize(await list('ada', 'workspaces/books/sign-ins')), [
      ['ursula@example.org', 'wrong-password', '198.51.100.7'],
      ['ursula@example.org', 'ok', '192.0.2.1'],
    ])
    assert.deepEqual(summarize(await list('eve', 'workspaces/films/sign-ins')), [
      ['ursula@example.org', 'ok', '192.0.2.9'],
      ['eve@example.org', 'ok', '192.0.2.1'],
    ])
    assert.equal((await server.call('eve', 'GET', '/manage/v1/workspaces/books/sign-ins')).status, 403)
  })
  it('of the server has all, with their workspaces, for operators', async () => {
    const entries = await list<ServerSignInEntry>('operator', 'sign-ins')
    assert.deepEqual(
      entries.map(({ workspace, failed }) => [workspace, failed]),
      [
        ['books', true],
        [null, true],
        ['films', false],
        [null, false],
        [null, false],
      ],
    )
    assert.equal((await server.call('ada', 'GET', '/manage/v1/sign-ins')).status, 403)
  })
  it('of a person has their own and failed attempts on their account', async () => {
    assert.equal((await list('ursula', 'me/sign-ins')).length, 3)
    assert.deepEqual(summarize(await list('ursula', 'me/sign-ins?outcome=failed')), [
      ['ursula@example.org', 'wrong-password', '198.51.100.7'],
    ])
    assert.deepEqual(await list('ada', 'me/sign-ins'), [])
  })
  it('comes in pages, counts by day, and is part of the export of a person', async () => {
    const page = (await server.call('operator', 'GET', '/manage/v1/sign-ins?count=3')).body
    assert.equal(page.items.length, 3)
    const rest = (await server.call('operator', 'GET', `/manage/v1/sign-ins?count=3&after=${page.next}`)).body
    assert.deepEqual([rest.items.length, rest.next], [2, null])
    const { points } = (await server.call('ada', 'GET', '/manage/v1/workspaces/books/sign-ins/counts?days=3'))
      .body
    assert.equal(points.length, 3)
    // The test may run around midnight.
    const sum = (name: string) =>
      points.reduce((total: number, point: Record<string, number>) => total + (point[name] ?? 0), 0)
    assert.deepEqual([sum('succeeded'), sum('failed')], [1, 1])
    const personExport = (await server.call('operator', 'GET', '/manage/v1/users/ursula@example.org/export'))
      .body
    assert.equal(personExport.signIns.length, 3)
  })
  it('rejects filters that it does not have', async () => {
    for (const query of [
      'outcome=maybe',
      'kind=none',
      'after=%20',
      'address=%25',
      'from=yesterday',
      'count=0',
    ])
      assert.equal((await server.call('operator', 'GET', `/manage/v1/sign-ins?${query}`)).status, 400, query)
  })
})
