/** The workspace file of members from whom fields are hidden: nothing hidden is in it, and applying it loses nothing. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Change } from '@querent/contract/manage'
import { parse } from 'yaml'
import { openTestServer, type Person } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
  await apply('operator', file)
})
after(() => server.close())

const file = `workspace: staff
collections:
  people:
    # The works council asked for this.
    readers: { field: who, everyone: "*" }
    fields:
      name: { type: text }
      salary: { type: number, visible: [board] }  # secret since May
      review: { type: text, visible: [board] }
      motto: { type: text }
      team: { type: keyword }
      who: { type: keyword }
    synonyms: [[boss, chief]]
apis:
  people:
    endpoints:
      search: { kind: match, collection: people, fields: [name, review, motto], boosts: [paid] }
      pay: { kind: range, field: salary }
      team: { kind: facet, field: team }
      any: { kind: facet, field: { parameter: by, among: [team, salary] } }
      paid: { kind: boost, field: salary, by: log }
      notes: { kind: match, collection: people, fields: [review], parameter: note }
    curation:
      - { when: { note: rise }, endpoint: notes, pin: ["7"] }
      - { when: { query: boss }, endpoint: search, pin: ["1"] }
groups: { board: { title: Board } }
memberDefaults: { filter: {} }
members:
  ada@example.org: [administrator]
  ursula@example.org: [user]
  operator@example.org: [administrator]
tests:
  - { endpoint: notes, query: rise, expect: ["7"] }
  - { as: { group: board }, endpoint: search, query: boss, never: { salary: { from: 9 } } }
  - { endpoint: search, query: boss, expect: ["1"] }
`
const workspacePath = '/manage/v1/workspaces/staff'
const send = (as: Person, source: string, dryRun = false) =>
  server.call(as, 'POST', '/manage/v1/apply', { source, dryRun })
const apply = async (as: Person, source: string): Promise<Change[]> => {
  const { status, body } = await send(as, source)
  assert.equal(status, 200, JSON.stringify(body))
  return body.changes
}
const exported = async (as: Person): Promise<string> => {
  const { status, body } = await server.call(as, 'GET', `${workspacePath}/file`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.source
}
const hiddenText = /salary|review|who|board|pay|note|council|secret|readers|visible/i

test('the export has nothing that is hidden, and applying it changes nothing', async () => {
  const administrators = await exported('ada')
  const source = await exported('ursula')
  assert.doesNotMatch(source, hiddenText)
  const { collections, apis, tests } = parse(source)
  assert.deepEqual(Object.keys(collections.people.fields), ['name', 'motto', 'team'])
  assert.deepEqual(apis.people.endpoints, {
    search: { kind: 'match', collection: 'people', fields: ['name', 'motto'] },
    team: { kind: 'facet', field: 'team' },
    any: { kind: 'facet', field: { parameter: 'by', among: ['team'] } },
  })
  assert.deepEqual([apis.people.curation.length, tests.length], [1, 1])
  assert.deepEqual(await apply('ursula', source), [])
  assert.equal(await exported('ada'), administrators)
})

test('a change keeps what is hidden, its order and the comments, and shows none of it', async () => {
  const source = (await exported('ursula'))
    .replace('- motto\n', '- motto\n          - place\n')
    .replace('      team:\n', '      place:\n        type: text\n      team:\n')
    .replace('- boss', '- boss\n        - leader')
  const changes = await apply('ursula', source)
  assert.doesNotMatch(JSON.stringify(changes), hiddenText)
  assert.deepEqual(
    changes.map(({ path }) => path),
    ['collections.people.fields.place', 'collections.people.synonyms', 'apis.people.endpoints.search'],
  )
  const text = await exported('ada')
  for (const comment of ['# The works council asked for this.', '# secret since May'])
    assert.ok(text.includes(comment), text)
  const { collections, apis, tests } = parse(text)
  const fields = ['name', 'salary', 'review', 'motto', 'place', 'team', 'who']
  assert.deepEqual(Object.keys(collections.people.fields), fields)
  assert.deepEqual(apis.people.endpoints.search, {
    kind: 'match',
    collection: 'people',
    fields: ['name', 'review', 'motto', 'place'],
    boosts: ['paid'],
  })
  assert.deepEqual([Object.keys(apis.people.endpoints).length, apis.people.curation.length], [6, 2])
  assert.equal(tests.length, 3)
  await apply('ada', file)
})

test('the history has nothing that is hidden, also of fields that are gone, and restores the rest', async () => {
  await apply('ada', file.replace('        pay: { kind: range, field: salary }\n', ''))
  await apply('ada', file.replace('[[boss, chief]]', '[[boss, head]]'))
  const { body } = await server.call('ursula', 'GET', `${workspacePath}/history`)
  assert.doesNotMatch(JSON.stringify(body), hiddenText)
  for (const { id } of body.items) {
    const version = await server.call('ursula', 'GET', `${workspacePath}/history/${id}`)
    assert.equal(version.status, 200)
    assert.doesNotMatch(version.body.source, hiddenText)
  }
  const first = body.items.at(-1).id
  const { source } = (await server.call('ursula', 'GET', `${workspacePath}/history/${first}`)).body
  assert.deepEqual(
    (await apply('ursula', source)).map(({ path }) => path),
    ['collections.people.synonyms'],
  )
  assert.deepEqual(parse(await exported('ada')), parse(file))
})

test('a file that names something hidden, or would lose it, is refused without a word about it', async () => {
  const source = await exported('ursula')
  const addEndpoint = (endpoint: string) =>
    source.replace('    endpoints:\n', `    endpoints:\n      mine: ${endpoint}\n`)
  const addField = (field: string) => source.replace('    fields:\n', `    fields:\n      ${field}\n`)
  const attempts: [source: string, status: number, code: string][] = [
    // As a field that does not exist.
    [addEndpoint('{ kind: facet, field: salary }'), 400, 'unknown-field-in'],
    [addEndpoint('{ kind: mix, of: { notes: 1 } }'), 400, 'unknown-endpoint'],
    // Its own definition of a name that is in use.
    [addField('salary: { type: number }'), 400, 'name-in-use'],
    [addEndpoint('{ kind: match, collection: people }').replace('mine:', 'notes:'), 400, 'name-in-use'],
    // Fields made of a hidden one.
    [addField('copy: { type: number, source: salary }'), 403, 'insufficient-scope'],
    [addField('inner: { type: text, source: review.text }'), 403, 'insufficient-scope'],
    // Removing what has hidden parts.
    [source.replace(/apis:[\s\S]*/, ''), 400, 'removes-hidden'],
    [source.replace(/ {2}people:\n {4}endpoints[\s\S]*/, '  other: {}\n'), 400, 'removes-hidden'],
    ['workspace: staff\n', 400, 'removes-hidden'],
  ]
  for (const [text, status, code] of attempts)
    for (const dryRun of [true, false]) {
      const reply = await send('ursula', text, dryRun)
      const problem = JSON.stringify(reply.body)
      assert.equal(reply.status, status, `${text}\n${problem}`)
      const codes = [reply.body.code, ...(reply.body.errors ?? []).map(({ code }: { code: string }) => code)]
      assert.ok(codes.includes(code), problem)
      assert.doesNotMatch(problem, /board|council|secret|visible/)
    }
  assert.deepEqual(parse(await exported('ada')), parse(file))
})

test('without their sections, endpoints, rules and tests that are hidden stay', async () => {
  const { tests: _, ...seen } = parse(await exported('ursula'))
  const { search } = seen.apis.people.endpoints
  await apply('ursula', JSON.stringify({ ...seen, apis: { people: { endpoints: { search } } } }))
  const { apis, tests } = parse(await exported('ada'))
  assert.deepEqual(Object.keys(apis.people.endpoints).toSorted(), ['notes', 'paid', 'pay', 'search'])
  assert.deepEqual([apis.people.curation.length, tests.length], [1, 2])
  assert.deepEqual(apis.people.endpoints.search, parse(file).apis.people.endpoints.search)
  await apply('ada', file)
})

test('who does not see all documents removes no collection', async () => {
  const addDrafts = (source: string) =>
    source.replace('collections:\n', 'collections:\n  drafts: { fields: { title: { type: text } } }\n')
  await apply('ada', addDrafts(file))
  const setFilter = (filter: object | null) =>
    server.call('ada', 'PUT', `${workspacePath}/members/ursula@example.org`, { roles: ['user'], filter })
  await setFilter({ team: 'red' })
  const shortened = (await exported('ursula')).replace(/ {2}drafts:[\s\S]*?(?= {2}people:)/, '')
  assert.equal((await send('ursula', shortened)).status, 403)
  await setFilter(null)
  assert.deepEqual(
    (await apply('ursula', shortened)).map(({ path }) => path),
    ['collections.drafts'],
  )
})
