/** Readers of documents and hidden fields: replies are those of a workspace that never had what is hidden (docs/groups.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiError } from '@querent/client'
import { chooseRuns } from '#server/test-runs'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

interface Article {
  id: string
  title: string
  body: string
  department: string
  pages: number
  added: string
  salary?: number
  note?: string
  author: { name: string; grade?: string }
  readers?: unknown
}

const words = ['harbor', 'merger', 'bridge', 'garden', 'museum', 'river', 'castle', 'market']
const departments = ['legal', 'press', 'board']
const readerLists: unknown[] = [
  ['legal'],
  'press',
  ['*'],
  ['legal', 'press'],
  undefined,
  ['Legal', 'LEGAL', 'lеgal', ' legal', 'legal '],
  ['nobody@example.org'],
  ['*', 'board'],
]
const documents: Article[] = Array.from({ length: chooseRuns(96, 400) }, (_, index) => ({
  id: `d${index}`,
  title: `${words[index % 8]} ${words[(index * 3 + 1) % 8]}`,
  body: `${words[(index * 5) % 8]} of the ${words[(index * 7 + 2) % 8]} word${index}`,
  department: departments[index % 3] ?? '',
  pages: index % 17,
  added: `20${10 + (index % 9)}-03-0${1 + (index % 9)}`,
  ...(index % 4 !== 0 && { salary: 1000 + index }),
  note: `secret${index} ${words[index % 5]}`,
  author: { name: `writer${index % 6}`, grade: `grade${index % 3}` },
  ...(readerLists[index % 8] !== undefined && { readers: readerLists[index % 8] }),
}))

interface Caller {
  definition: string
  groups: string[]
  sees: (article: Article) => boolean
}
const callers: Record<string, Caller> = {
  plain: { definition: '{ roles: [api], filter: {} }', groups: [], sees: () => true },
  legal: { definition: '{ roles: [api], groups: [legal] }', groups: ['legal'], sees: () => true },
  union: {
    definition: '{ roles: [api], groups: [press, board] }',
    groups: ['press', 'board'],
    sees: ({ department, pages }) => department === 'press' || pages >= 5,
  },
  own: {
    definition: '{ roles: [api], filter: { salary: { from: 1010, to: 1080 } }, groups: [legal] }',
    groups: ['legal'],
    sees: ({ salary }) => salary !== undefined && salary >= 1010 && salary <= 1080,
  },
  attribute: {
    definition: '{ roles: [api], groups: [own-department], attributes: { department: [board, press] } }',
    groups: ['own-department'],
    sees: ({ department }) => department === 'board' || department === 'press',
  },
  hr: { definition: '{ roles: [api], groups: [hr] }', groups: ['hr'], sees: () => true },
}

const isNamed = ({ readers }: Article, { groups }: Caller): boolean =>
  [readers].flat().some(name => name === '*' || groups.includes(String(name)))
const seesPay = ({ groups }: Caller) => groups.includes('hr')

const file = (slug: string, caller?: Caller): string => {
  const showsPay = caller === undefined || seesPay(caller)
  const restricted = caller === undefined
  return `
workspace: ${slug}
collections:
  articles:
    id: { field: id, uri: "https://news.example/{id}" }
    language: english
    ${restricted ? 'readers: { field: readers, everyone: "*" }' : ''}
    fields:
      title: { type: text, weight: 2, suggest: true }
      body: { type: text }
      department: { type: keyword }
      pages: { type: number }
      added: { type: date }
      author.name: { type: keyword }
      ${showsPay ? `salary: { type: number${restricted ? ', visible: [hr]' : ''} }` : ''}
      ${showsPay ? `note: { type: text${restricted ? ', visible: [hr]' : ''} }` : ''}
      ${showsPay ? `author.grade: { type: keyword${restricted ? ', visible: [hr]' : ''} }` : ''}
      ${restricted ? 'readers: { type: keyword }' : ''}
apis:
  news:
    endpoints:
      search: { kind: match, collection: articles, fields: [title, body${showsPay ? ', note' : ''}], matching: relaxed }
      all-fields: { kind: match, collection: articles, typos: true, prefix: true }
      everything: { kind: all, collection: articles${''} }
      entry: { kind: lookup, collection: articles }
      like: { kind: similar, collection: articles, fields: [title, body${showsPay ? ', note' : ''}] }
      department: { kind: facet, field: department }
      writer: { kind: facet, field: author.name }
      pages: { kind: range, field: pages }
      decade: { kind: facet, field: added, interval: year }
      by-pages: { kind: sort, field: pages, order: descending }
      fresh: { kind: boost, field: pages, by: linear }
      ${
        showsPay
          ? `notes: { kind: match, collection: articles, fields: [note] }
      salary: { kind: range, field: salary }
      pay: { kind: facet, field: salary, interval: 100, statistics: true }
      grade: { kind: facet, field: author.grade }
      by-salary: { kind: sort, field: salary }
      rich: { kind: boost, field: salary, by: log }
      ranked: { kind: match, collection: articles, fields: [title], boosts: [rich] }
      best: { kind: mix, of: { search: 1, notes: 1 } }
      some: { kind: any, of: [board, "grade:FILTER"] }
      chosen: { kind: facet, field: { parameter: by, among: [department, author.grade] } }`
          : `ranked: { kind: match, collection: articles, fields: [title] }
      best: { kind: mix, of: { search: 1 } }
      some: { kind: any, of: [board] }
      chosen: { kind: facet, field: { parameter: by, among: [department] } }`
      }
      board: { kind: filter, field: department, value: board }
      lists: { kind: facets }
      one-each: { kind: collapse, field: department, best: 2 }
${
  restricted
    ? `groups:
  legal: { title: Legal }
  press: { filter: { department: [press] } }
  board: { filter: { pages: { from: 5 } } }
  own-department: { filter: { department: { member: department } } }
  hr: { title: Human resources }
memberDefaults: { filter: {} }
systemToSystem:
${Object.entries(callers)
  .map(([name, { definition }]) => `  ${name}: ${definition}`)
  .join('\n')}`
    : 'systemToSystem:\n  reader: { roles: [api] }'
}
`
}

/** The documents as the caller may see them. */
const visibleDocuments = (caller: Caller): object[] =>
  documents
    .filter(article => caller.sees(article) && isNamed(article, caller))
    .map(({ salary, note, author: { name, grade }, readers: _, ...article }) => ({
      ...article,
      ...(seesPay(caller) && { ...(salary !== undefined && { salary }), note }),
      author: seesPay(caller) ? { name, grade } : { name },
    }))
    .map(article => Object.fromEntries(Object.entries(article).sort(([a], [b]) => order(a) - order(b))))
const attributes = ['id', 'title', 'body', 'department', 'pages', 'added', 'salary', 'note', 'author']
const order = (name: string) => attributes.indexOf(name)

let server: StartedServer
const tokens: Record<string, string> = {}
const fetchTokens = async (workspace: string, prefix: string) => {
  const { items } = await server.call('listSystemToSystem', { params: { workspace }, query: { count: 100 } })
  for (const { name, clientId } of items)
    tokens[`${prefix}${name}`] = await fetchToken(
      server,
      await server.call('addSecret', { params: { workspace, clientId }, input: {} }),
    )
}
before(async () => {
  server = await startServer(['--rate-limit', 'off'])
  await server.applyWorkspace(file('whole'))
  await server.importDocuments('whole', 'articles', documents)
  await fetchTokens('whole', '')
  for (const [name, caller] of Object.entries(callers)) {
    await server.applyWorkspace(file(`of-${name}`, caller))
    const visible = visibleDocuments(caller)
    assert.ok(visible.length > 5, name)
    await server.importDocuments(`of-${name}`, 'articles', visible)
    await fetchTokens(`of-${name}`, `${name}/`)
  }
})
after(() => server.stop())

const get = (workspace: string, token: string | undefined, path: string, headers = {}) =>
  fetch(`${server.baseUrl}/4/${workspace}/api/news/${path}`, {
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
  })

const stacks = [
  'e/everything',
  'e/search/p/query/merger',
  'e/search/p/query/secret7%20museum',
  'e/search/p/query/grade1',
  'e/search/p/query/hrbor',
  'e/all-fields/p/query/secret',
  'e/all-fields/p/query/musuem%20gar',
  'e/entry/p/id/d4',
  'e/entry/p/id/d2',
  'e/like/p/id/d2',
  'e/like/p/id/d7',
  'e/everything/e/pages/p/from/3/p/to/9',
  'e/search/p/query/bridge/e/department:FILTER/p/value/press',
  'e/everything/e/by-pages',
  'e/search/p/query/river/e/fresh',
  'e/search/p/query/river/e/rich',
  'e/ranked/p/query/castle',
  'e/best/p/query/market',
  'e/some',
  'e/some/p/value/grade1',
  'e/everything/e/one-each',
  'e/everything/e/department',
  'e/everything/e/decade',
  'e/everything/e/lists',
  'e/everything/e/chosen/p/by/department',
  'e/everything/e/chosen/p/by/author.grade',
  'e/everything/e/grade',
  'e/everything/e/pay',
  'e/notes/p/query/secret3',
  'e/everything/e/salary/p/from/1001',
  'e/everything/e/salary/p/from/text',
  'e/everything/e/by-salary',
  'e/everything/e/readers',
  'e/everything/e/readers:FILTER/p/value/legal',
]
const requests = [
  'results',
  'results?count=40&highlight=true',
  'results?attributes=title,salary,readers,author',
  'results?format=csv&count=60',
  'results?format=xml',
  'results?format=rdf&offset=2',
  'count',
  'statistics',
  'results,count?cutoff=0.4',
  'resultpage?offset=1',
  'resultitem?rank=2',
  'options/department?multiselect=true',
  'options/writer?query=wri',
  'options/pay',
  'options/grade',
]
const otherPaths = [
  '',
  'openapi.json',
  'options/department',
  'options/grade',
  'options/readers',
  'status?x=1',
]

const neutral = (text: string): string =>
  text
    .replaceAll(/\/4\/(whole|of-[a-z]+)\b/g, '/4/W')
    .replaceAll(/"(whole|of-[a-z]+)"/g, '"W"')
    .replaceAll(/\b(whole|of-[a-z]+)-news/g, 'W-news')
    .replaceAll(/"requestId":"[^"]*"|"generations":\{[^}]*\}|"queryId":"[^"]*"/g, '')

const readReply = async (workspace: string, token: string | undefined, path: string) => {
  const reply = await get(workspace, token, path)
  const headers = ['content-type', 'content-disposition', 'querent-ignored-parameters', 'vary']
  return {
    status: reply.status,
    headers: headers.map(name => neutral(reply.headers.get(name) ?? '')),
    body: neutral(await reply.text()),
  }
}

const compare = async (name: string, path: string) => {
  const [whole, bare] = await Promise.all([
    readReply('whole', tokens[name], path),
    readReply(`of-${name}`, tokens[`${name}/reader`], path),
  ])
  assert.deepEqual(whole, bare, `${name} ${path}`)
}

test('replies are those of a workspace without what is hidden', async () => {
  const paths = [...stacks.flatMap(stack => requests.map(request => `${stack}/${request}`)), ...otherPaths]
  const chosen = paths.filter((_, index) => index % chooseRuns(11, 1) === 0)
  for (const name of Object.keys(callers))
    for (const path of [...chosen, ...otherPaths]) await compare(name, path)
})

const findIds = async (workspace: string, token: string | undefined, headers = {}): Promise<string[]> => {
  const reply = await get(workspace, token, 'e/everything/results?count=1000', headers)
  assert.equal(reply.status, 200)
  // The contract's results.
  const { items } = (await reply.json()) as { items: { tuple: [{ id: string }] }[] }
  return items.map(({ tuple }) => tuple[0].id.split('/').at(-1) ?? '').sort()
}
const findFault = (source: string): Promise<ApiError> =>
  server.applyWorkspace(source).then(
    () => assert.fail('the file was applied'),
    (error: ApiError) => error,
  )

const notes = (extra = '', readers = 'readers: { field: who, everyone: "*" }') => `
workspace: notes
collections:
  notes:
    id: { field: id, uri: "https://notes.example/{id}" }
    ${readers}
    fields: { title: { type: text }, who: { type: keyword } }
apis:
  news: { endpoints: { everything: { kind: all, collection: notes } } }
  open: { access: public, endpoints: { everything: { kind: all, collection: notes }, who: { kind: facet, field: who } } }
groups: { team: { title: Team } }
memberDefaults: { filter: {} }
systemToSystem:
  bot: { roles: [api] }
  member: { roles: [api], groups: [team] }
  importer: { roles: [data-provider] }
${extra}
`

test('names are exact, and only those of everyone are public', async () => {
  await server.applyWorkspace(notes())
  const { items } = await server.call('listSystemToSystem', {
    params: { workspace: 'notes' },
    query: { count: 100 },
  })
  const botId = items.find(({ name }) => name === 'bot')?.clientId ?? ''
  await fetchTokens('notes', 'notes/')
  const done = await server.importDocuments('notes', 'notes', [
    { id: 'bot', who: [botId] },
    { id: 'bot-upper', who: [botId.toUpperCase() === botId ? botId.toLowerCase() : botId.toUpperCase()] },
    { id: 'team', who: 'team' },
    { id: 'look-alike', who: ['tеam', 'Team', 'team ', 'ｔｅａｍ'] },
    { id: 'all', who: ['x', '*'] },
    { id: 'nobody', who: [] },
    { id: 'none', title: 'no readers' },
    { id: 'most', who: Array.from({ length: 1000 }, (_, index) => (index === 999 ? 'team' : `r${index}`)) },
    { id: 'too-many', who: Array.from({ length: 1001 }, () => '*') },
  ])
  assert.equal(done.rejected, 1)
  assert.match(done.errors[0]?.message ?? '', /"who": allowed: at most 1000 names/)
  assert.deepEqual(await findIds('notes', tokens['notes/bot']), ['all', 'bot'])
  assert.deepEqual(await findIds('notes', tokens['notes/member']), ['all', 'most', 'team'])
  const reply = await fetch(`${server.baseUrl}/4/notes/api/open/e/everything/results`)
  const text = await reply.text()
  assert.match(text, /notes\.example\/all"/)
  assert.doesNotMatch(text, /example\/(bot|team|nobody|none|most)|who/)
  const facet = await fetch(`${server.baseUrl}/4/notes/api/open/options/who`)
  assert.equal(facet.status, 400)
  assert.doesNotMatch(await facet.text(), /there are.*who|existing.*who/)
})

test('a change holds from the next request on, also for cursors and tags', async () => {
  const token = tokens['notes/member']
  const first = await get('notes', token, 'e/everything/results?cursor=*&count=1')
  // The contract's results.
  const { next } = (await first.json()) as { next: string }
  const tag = (await get('notes', token, 'e/everything/count')).headers.get('etag') ?? ''
  assert.equal((await get('notes', token, 'e/everything/count', { 'if-none-match': tag })).status, 304)
  await server.applyWorkspace(
    notes().replace('member: { roles: [api], groups: [team] }', 'member: { roles: [api] }'),
  )
  assert.deepEqual(await findIds('notes', token), ['all'])
  const count = await get('notes', token, 'e/everything/count', { 'if-none-match': tag })
  assert.equal(count.status, 200)
  assert.equal((await get('notes', token, `e/everything/results?cursor=${next}&count=1`)).status, 400)
  await server.applyWorkspace(notes('', ''))
  assert.equal((await findIds('notes', token)).length, 8)
  await server.applyWorkspace(notes())
  assert.deepEqual(await findIds('notes', token), ['all', 'most', 'team'])
})

test('who delivers documents reads none of them', async () => {
  const base = `${server.baseUrl}/4/notes/collections/notes/documents`
  const headers = { authorization: `Bearer ${tokens['notes/importer']}`, 'content-type': 'application/json' }
  const putReply = await fetch(`${base}/later`, {
    method: 'PUT',
    headers,
    body: JSON.stringify({ title: 'later', who: ['team'] }),
  })
  assert.equal(putReply.status, 200)
  assert.ok((await findIds('notes', tokens['notes/member'])).includes('later'))
  for (const path of ['', '/later']) assert.equal((await fetch(`${base}${path}`, { headers })).status, 403)
  assert.equal((await fetch(`${base}/later`, { method: 'DELETE', headers })).status, 204)
})

test('a group that a field names stays', async () => {
  const file = notes()
    .replace('who: { type: keyword }', 'who: { type: keyword, visible: [spare] }')
    .replace('team: { title: Team }', 'team: { title: Team }, spare: { title: Spare }')
  await server.applyWorkspace(file)
  const params = { workspace: 'notes', group: 'spare' }
  await assert.rejects(
    server.call('removeGroup', { params }),
    (error: ApiError) => error.status === 409 && error.message.includes('notes.who'),
  )
  await server.applyWorkspace(notes())
})

test('a file may not undo what is hidden by what it makes of it', async () => {
  const codes = async (source: string) => {
    const { status, errors = [] } = await findFault(source)
    assert.equal(status, 400)
    return errors.map(({ path, code }) => `${path} ${code}`)
  }
  const withFields = (fields: string, extra = '') =>
    notes().replace('who: { type: keyword } }', `who: { type: keyword }, ${fields} }${extra}`)
  assert.deepEqual(await codes(notes('', 'readers: { field: nobody }')), [
    'collections.notes.readers.field unknown-field',
  ])
  assert.deepEqual(await codes(notes('', 'readers: { field: title }')), [
    'collections.notes.readers.field readers-field',
  ])
  assert.deepEqual(await codes(notes('', 'readers: { field: who, everyone: "all@example.org" }')), [
    'collections.notes.readers.everyone everyone-address',
  ])
  assert.deepEqual(await codes(withFields('copy: { type: keyword, source: who }')), [
    'collections.notes.fields.copy made-from-hidden',
  ])
  assert.deepEqual(await codes(withFields('pay: { type: number, visible: [boss] }')), [
    'collections.notes.fields.pay.visible.0 unknown-group',
  ])
  assert.deepEqual(
    await codes(withFields('a: { type: object, visible: [team] }, a.b: { type: keyword, visible: [] }')),
    ['collections.notes.fields.a.b made-from-hidden'],
  )
  assert.deepEqual(
    await codes(withFields('kind: { type: keyword, visible: [team] }', '\n    class: { field: kind }')),
    ['collections.notes.class.field named-by-hidden'],
  )
})
