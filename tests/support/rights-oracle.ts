/**
 * The oracle of rights: a workspace with hidden documents and fields, and for each caller a workspace that never had what is hidden from
 * them. Replies of both must be the same, byte for byte (docs/groups.md).
 */
import assert from 'node:assert/strict'
import { chooseRuns } from '#server/test-runs'
import { fetchToken, type StartedServer, startServer } from './started-server.ts'

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
export const otherPaths = [
  '',
  'openapi.json',
  'options/department',
  'options/grade',
  'options/readers',
  'status?x=1',
]

/** Paths of requests of every type, format, option and kind of endpoint. */
export const oraclePaths = stacks.flatMap(stack => requests.map(request => `${stack}/${request}`))

const neutral = (text: string): string =>
  text
    .replaceAll(/\/4\/(whole|of-[a-z]+)\b/g, '/4/W')
    .replaceAll(/"(whole|of-[a-z]+)"/g, '"W"')
    .replaceAll(/\b(whole|of-[a-z]+)-news/g, 'W-news')
    .replaceAll(/"requestId":"[^"]*"|"generations":\{[^}]*\}|"queryId":"[^"]*"/g, '')

/** Tools of an MCP server, and calls of them. */
const mcpCalls: [method: string, params: object][] = [
  ['tools/list', {}],
  ['resources/list', {}],
  ...[
    { name: 'search', arguments: { query: 'merger', count: 5 } },
    { name: 'search', arguments: { query: 'secret7 museum', facets: ['department', 'writer'] } },
    { name: 'search', arguments: { query: 'bridge', filters: { department: ['press'] } } },
    { name: 'search', arguments: { query: 'bridge', filters: { grade: ['grade1'] } } },
    { name: 'search', arguments: { query: 'hrbor', facets: ['grade'] } },
    { name: 'all-fields', arguments: { query: 'secret' } },
    { name: 'everything', arguments: { count: 20, sort: 'by-pages' } },
    { name: 'everything', arguments: { sort: 'by-salary' } },
    { name: 'everything', arguments: { facets: ['department', 'decade', 'pay'] } },
    { name: 'notes', arguments: { query: 'secret3' } },
    { name: 'like', arguments: { id: 'd2' } },
    { name: 'entry', arguments: { id: 'd4' } },
    { name: 'fetch', arguments: { id: 'd4' } },
    { name: 'fetch', arguments: { id: 'd2' } },
    { name: 'best', arguments: { query: 'market' } },
    { name: 'ranked', arguments: { query: 'castle' } },
  ].map((params): [string, object] => ['tools/call', params]),
]

export type RightsOracle = Awaited<ReturnType<typeof openRightsOracle>>

/** Starts a server with these flags, and the workspaces of all callers. */
export const openRightsOracle = async (flags: readonly string[] = []) => {
  const server = await startServer(['--rate-limit', 'off', ...flags])
  const tokens: Record<string, string> = {}
  const fetchTokens = (workspace: string, prefix: string) => addTokens(server, tokens, workspace, prefix)
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
  const send = async (workspace: string, token: string | undefined, path: string, body?: object) => {
    const reply = await fetch(`${server.baseUrl}/4/${workspace}/api/news/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const headers = ['content-type', 'content-disposition', 'querent-ignored-parameters', 'vary']
    return {
      status: reply.status,
      headers: headers.map(header => neutral(reply.headers.get(header) ?? '')),
      body: neutral(await reply.text()),
    }
  }
  const compare = async (name: string, path: string, body?: object) => {
    const [whole, bare] = await Promise.all([
      send('whole', tokens[name], path, body),
      send(`of-${name}`, tokens[`${name}/reader`], path, body),
    ])
    assert.deepEqual(whole, bare, `${name} ${path} ${JSON.stringify(body) ?? ''}`)
    return whole
  }
  return {
    callers: Object.keys(callers),
    compare,
    /** Compares the replies of a batch. */
    async compareBatch(name: string, paths: readonly string[]): Promise<void> {
      const requests = paths.filter(path => !/format=|openapi|status/.test(path))
      assert.equal((await compare(name, 'batch', { requests })).status, 200)
    },
    /** Compares what the MCP server of the API answers; returns the number of comparisons. */
    async compareMcp(name: string): Promise<number> {
      for (const [id, [method, params]] of mcpCalls.entries()) {
        const { status, body } = await compare(name, 'mcp', { jsonrpc: '2.0', id, method, params })
        assert.equal(status, 200, body)
      }
      const call = { name: 'everything', arguments: { count: 20 } }
      const { body } = await compare(name, 'mcp', {
        jsonrpc: '2.0',
        id: 0,
        method: 'tools/call',
        params: call,
      })
      assert.match(body, /news\.example/)
      return mcpCalls.length
    },
    close: () => server.stop(),
  }
}

/** Adds a token for each System-to-System account of the workspace. */
export const addTokens = async (
  server: StartedServer,
  tokens: Record<string, string>,
  workspace: string,
  prefix: string,
): Promise<void> => {
  const { items } = await server.call('listSystemToSystem', { params: { workspace }, query: { count: 100 } })
  for (const { name, clientId } of items)
    tokens[`${prefix}${name}`] = await fetchToken(
      server,
      await server.call('addSecret', { params: { workspace, clientId }, input: {} }),
    )
}
