/** The list of the latest requests of a workspace. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { LiveRequest } from '@querent/contract/manage'
import { createLiveRequests } from '#usage/live-requests'
import { openTestServer } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const book = '/manage/v1/workspaces/books'
const list = async (person: 'ada' | 'ursula'): Promise<LiveRequest[]> =>
  (await server.call(person, 'GET', `${book}/requests`)).body.items
const setQueryLog = async (parameters: 'off' | 'hashed' | 'full') => {
  const settings = { queryLog: { parameters, keep: '30d' } }
  assert.equal((await server.call('ada', 'PATCH', `${book}/settings`, settings)).status, 200)
}
/** Records a query as the query service does. */
const record = async (text: string, person: 'ursula' | 'ada' = 'ursula') => {
  const workspace = await server.directory.workspace('books')
  assert.ok(workspace)
  server.usageLog.record({
    workspace,
    api: 'novels',
    endpoint: 'search',
    account: server.ids[person],
    address: '192.0.2.1',
    requestId: text,
    stack: [{ endpoint: 'search', parameters: [{ name: 'query', value: text }] }],
    total: 3,
    failure: undefined,
    ms: 1.26,
  })
}

describe('the latest requests', () => {
  it('have no text while the query log is off, its hash while it is hashed, and the text while it is full', async () => {
    await record('secret')
    await setQueryLog('hashed')
    await record('secret')
    await setQueryLog('full')
    await record('cats')
    const [full, hashed, off] = await list('ada')
    assert.equal(full?.parameters, 'e/search/p/query/cats')
    assert.match(hashed?.parameters ?? '', /^hmac-sha256:/)
    assert.equal(off?.parameters, null)
    assert.deepEqual([full?.total, full?.ms, full?.code, full?.api], [3, 1.3, null, 'novels'])
  })
  it('tell a number of results that was counted from one that is a minimum', async () => {
    const workspace = await server.directory.workspace('books')
    assert.ok(workspace)
    const query = { api: 'novels', endpoint: 'search', account: server.ids.ursula, address: '192.0.2.1' }
    for (const hasMoreThanTotal of [true, false])
      server.usageLog.record({
        ...query,
        workspace,
        requestId: 'counted',
        stack: [{ endpoint: 'search', parameters: [{ name: 'query', value: 'cats' }] }],
        total: 101,
        hasMoreThanTotal,
        failure: undefined,
        ms: 1,
      })
    const relations = (await list('ada')).map(({ total, totalRelation }) => [total, totalRelation])
    assert.deepEqual(relations.slice(0, 2).sort(), [
      [101, 'eq'],
      [101, 'gte'],
    ])
  })
  it('lose their text when the query log is switched off, also those from before', async () => {
    await setQueryLog('off')
    for (const { parameters } of await list('ada')) assert.equal(parameters, null)
    await setQueryLog('full')
  })
  it('have the request id of a failed query, and its sentence only while the query log is full', async () => {
    const workspace = await server.directory.workspace('books')
    assert.ok(workspace)
    server.usageLog.record({
      workspace,
      api: 'novels',
      endpoint: 'search',
      account: server.ids.ursula,
      address: '192.0.2.1',
      requestId: 'failed-1',
      stack: [{ endpoint: 'search', parameters: [{ name: 'query', value: 'cats' }] }],
      total: undefined,
      failure: 'bad-option',
      failureMessage: 'count: found "cats", allowed: a whole number',
      ms: 1,
    })
    const [failed] = await list('ada')
    assert.deepEqual([failed?.code, failed?.requestId], ['bad-option', 'failed-1'])
    assert.match(failed?.message ?? '', /found "cats"/)
    await setQueryLog('off')
    const [hidden] = await list('ada')
    assert.deepEqual([hidden?.requestId, hidden?.message], ['failed-1', null])
    await setQueryLog('full')
  })
  it('have accounts and refusals for administrators only', async () => {
    await server.call('ursula', 'GET', `${book}/members`)
    const [refusal, query] = await list('ada')
    assert.deepEqual([refusal?.kind, refusal?.code], ['refusal', 'role'])
    assert.match(refusal?.message ?? '', /role/)
    assert.equal(refusal?.account?.name, 'ursula@example.org')
    assert.equal(query?.account?.name, 'ursula@example.org')
    assert.equal((await server.call('ada', 'GET', `/manage/v1/refusals/${refusal?.requestId}`)).status, 200)
    for (const { kind, account } of await list('ursula')) assert.deepEqual([kind, account], ['query', null])
  })
  it('are only their own for a member who does not see everything', async () => {
    const limits = { roles: ['user'], filter: { genre: 'drama' } }
    const reply = await server.call('ada', 'PUT', `${book}/members/ursula@example.org`, limits)
    assert.equal(reply.status, 200, JSON.stringify(reply.body))
    await record('dogs', 'ada')
    await record('mine')
    const texts = (await list('ursula')).map(({ parameters }) => parameters)
    assert.ok(texts.includes('e/search/p/query/mine'))
    assert.ok(!texts.includes('e/search/p/query/dogs'))
  })
  it('are 500 at most, and those of other threads come with them', async () => {
    const workspace = await server.directory.workspace('books')
    assert.ok(workspace)
    const [main, thread] = [createLiveRequests({ hash: String }), createLiveRequests({ hash: String })]
    const outcome = { api: 'books', endpoint: 'search', account: '', total: 1, failure: undefined, ms: 1 }
    for (let time = 0; time < 1500; time++) main.record(workspace, [], outcome, time)
    thread.record(workspace, [], outcome, 700)
    thread.record(workspace, [], outcome, 2000)
    main.add(thread.take())
    const listed = main.list(workspace)
    assert.equal(listed.length, 500)
    assert.equal(listed[0]?.at, 2000)
    assert.deepEqual(thread.list(workspace), [])
  })
})
