/** Leak tests: what a group or member must not see is not found, counted or suggested, and is never promoted (docs/groups.md). */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { ApiError } from '@querent/client'
import { runQuerent } from '#tests/support/command-line'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const params = { workspace: 'leaks' }
const never = '{ department: [legal] }'
const file = ({
  press = '{ department: [press] }',
  tests = `{ as: { group: press }, endpoint: search, query: merger, never: ${never} }`,
  readers = '',
  fields = '',
  apis = '',
} = {}) => `
workspace: leaks
collections:
  articles:
    ${readers}
    fields: { title: { type: text }, department: { type: keyword }, who: { type: keyword }, ${fields} }
apis:
  news:
    endpoints:
      search: { kind: match, collection: articles, fields: [title], typos: true, matching: relaxed }
      words: { kind: match, collection: articles, fields: [title] }
      everything: { kind: all, collection: articles }
  ${apis}
groups:
  legal: { filter: { department: [legal] } }
  press: { filter: ${press} }
  staff: { title: Staff }
memberDefaults: { filter: { department: [public] } }
systemToSystem:
  desk: { roles: [api], groups: [press] }
  loader: { roles: [data-provider], filter: {} }
tests:
  - ${tests}
`
const articles = [
  { id: '1', title: 'The merger', department: 'legal' },
  { id: '2', title: 'The merger of newspapers', department: 'press' },
  { id: '3', title: 'Opening hours', department: 'public' },
]
const leak = { id: '4', title: 'The secret merger', department: ['press', 'legal'] }

let server: StartedServer
const accounts: Record<string, { clientId: string; token: string }> = {}
before(async () => {
  server = await startServer(['--rate-limit', 'off'])
  await server.applyWorkspace(file())
  await server.importDocuments('leaks', 'articles', articles)
  const { items } = await server.call('listSystemToSystem', { params, query: { count: 100 } })
  for (const { name, clientId } of items) {
    const secret = await server.call('addSecret', { params: { ...params, clientId }, input: {} })
    accounts[name] = { clientId, token: await fetchToken(server, secret) }
  }
})
after(() => server.stop())

const run = async (source: string) => {
  await server.applyWorkspace(source)
  return (await server.call('runLeakTests', { params, input: {} })).items
}
const findError = (work: Promise<unknown>): Promise<ApiError> =>
  work.then(
    () => assert.fail('it succeeded'),
    (error: ApiError) => error,
  )
const replaceAll = (documents: object[], token = accounts.loader?.token) =>
  fetch(`${server.baseUrl}/4/leaks/collections/articles/documents?replace=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(documents),
  })
const generations = async () => {
  const { items } = await server.call('listGenerations', { params: { ...params, collection: 'articles' } })
  return items.map(({ id, state }) => `${id} ${state}`)
}

test('a leak test passes if the group sees nothing of what it must not see', async () => {
  const [outcome] = await run(file())
  assert.deepEqual(outcome, {
    name: 'news search: merger, as the group press',
    api: 'news',
    endpoint: 'search',
    query: 'merger',
    as: { group: 'press' },
    passed: true,
    sees: 0,
    finds: 0,
    documents: [],
    suggests: null,
  })
})

test('a leak test fails for documents that are visible, found or suggested', async () => {
  const openFile = file({ press: '{}' })
  const [found] = await run(openFile)
  assert.deepEqual([found?.passed, found?.sees, found?.finds], [false, 1, 1])
  assert.deepEqual(found?.documents, ['urn:querent:leaks:articles:1'])
  const [seen] = await run(openFile.replace('query: merger', 'query: opening'))
  assert.deepEqual([seen?.passed, seen?.sees, seen?.finds], [false, 1, 0])
  const [suggested] = await run(
    openFile.replace('endpoint: search, query: merger', 'endpoint: words, query: mergr'),
  )
  assert.deepEqual([suggested?.passed, suggested?.suggests], [false, 'merger'])
})

test('a leak test has the rights of a member, its groups, attributes and readers', async () => {
  const testAs = (name: string) => ({
    tests: `{ as: { member: ${accounts[name]?.clientId} }, endpoint: search, query: merger, never: ${never} }`,
  })
  assert.equal((await run(file(testAs('desk'))))[0]?.passed, true)
  assert.equal((await run(file(testAs('loader'))))[0]?.passed, false)
  const readers = 'readers: { field: who, everyone: all }'
  assert.equal((await run(file({ ...testAs('loader'), readers })))[0]?.passed, true)
  await server.applyWorkspace(file())
})

test('a document that a public API shows is visible to everybody', async () => {
  const apis = 'open: { access: public, endpoints: { everything-else: { kind: all, collection: articles } } }'
  const [outcome] = await run(file({ apis }))
  assert.deepEqual([outcome?.passed, outcome?.sees, outcome?.finds], [false, 1, 0])
})

test('a group or member that does not exist is an error', async () => {
  const missing = file().replace('as: { group: press }', 'as: { group: none }')
  const { status, errors = [] } = await findError(server.applyWorkspace(missing))
  assert.deepEqual([status, errors[0]?.code], [400, 'unknown-group'])
  const source = file().replace('as: { group: press }', 'as: { member: nobody@example.org }')
  const [outcome] = await run(source)
  assert.equal(outcome?.passed, false)
  assert.match(outcome?.error ?? '', /no member nobody@example\.org/)
  const reply = await replaceAll(articles)
  assert.equal(reply.status, 409)
})

test('a condition that could match nothing is a fault', async () => {
  const codes = async (condition: string) =>
    (
      await findError(server.applyWorkspace(file().replace(`never: ${never}`, `never: ${condition}`)))
    ).errors?.map(({ code }) => code)
  assert.deepEqual(await codes('{ departments: [legal] }'), ['unknown-row-filter-field'])
  assert.deepEqual(await codes('{ department: { member: division } }'), ['never-with-member'])
  assert.deepEqual(await codes('{ department: { not: { member: division } } }'), ['never-with-member'])
})

test('nothing is promoted while a leak test fails, and the new generation stays', async () => {
  await server.applyWorkspace(file())
  assert.equal((await replaceAll(articles)).status, 200)
  const listedBefore = await generations()
  const reply = await replaceAll([...articles, leak])
  assert.equal(reply.status, 409)
  const text = await reply.text()
  assert.match(text, /"code":"leak-test-failed"/)
  // A data-provider reads no documents.
  assert.doesNotMatch(text, /articles:4|secret/)
  const [added = '', ...others] = await generations()
  assert.deepEqual(others, listedBefore)
  const [generation = '', state] = added.split(' ')
  assert.equal(state, 'complete')
  const count = await fetch(`${server.baseUrl}/4/leaks/api/news/e/everything/count`, {
    headers: { authorization: `Bearer ${accounts.desk?.token}` },
  })
  assert.equal(await count.text(), '{"total":1}')
  const promote = () =>
    server.call('promoteGeneration', { params: { ...params, collection: 'articles' }, input: { generation } })
  assert.equal((await findError(promote())).code, 'leak-test-failed')
  await server.applyWorkspace(file({ press: '{ department: { not: legal } }' }))
  await promote()
  assert.ok((await generations()).includes(`${generation} promoted`))
  await server.applyWorkspace(file({ press: '{ department: { not: legal } }' }))
})

test('a file whose fields need a new generation is not applied while a leak test fails', async () => {
  await server.applyWorkspace(file())
  assert.equal((await replaceAll(articles)).status, 200)
  const added = file({ press: '{}', fields: 'pages: { type: number }' })
  assert.equal((await findError(server.applyWorkspace(added))).code, 'leak-test-failed')
  const { items } = await server.call('listGroups', { params })
  assert.deepEqual(items.find(({ group }) => group === 'press')?.filter, { department: ['press'] })
  await server.applyWorkspace(file({ fields: 'pages: { type: number }' }))
})

test('querent judge runs leak tests and fails with them', async () => {
  const path = join(server.data, 'leaks.yaml')
  await server.applyWorkspace(file())
  await writeFile(path, file())
  const judge = () => runQuerent(['judge', path, '--json', '--data', server.data])
  const passed = await judge()
  assert.equal(passed.stderr, '')
  assert.deepEqual(readReport(passed.stdout), { passed: 1, failed: 0, leakTests: [true] })
  await server.applyWorkspace(file({ press: '{}' }))
  const failed = await judge()
  assert.equal(failed.code, 1)
  assert.deepEqual(readReport(failed.stdout), { passed: 0, failed: 1, leakTests: [false] })
})

const readReport = (stdout: string) => {
  // The report of `querent judge`.
  const { passed, failed, leakTests } = JSON.parse(stdout) as {
    passed: number
    failed: number
    leakTests: { passed: boolean }[]
  }
  return { passed, failed, leakTests: leakTests.map(outcome => outcome.passed) }
}
