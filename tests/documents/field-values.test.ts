/** Imports values in other forms, generated ids and paths, and queries them (workspace-file.md, Field types). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readCredential } from '#tests/support/operator'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const films = (fields: string, id = '{}') => `
workspace: films
collections: { films: { id: ${id}, language: english, fields: { ${fields} } } }
apis:
  main:
    access: public
    endpoints:
      search: { kind: match, collection: films }
      all: { kind: all, collection: films }
      title: { kind: sort, collection: films, field: title }
      votes: { kind: range, collection: films, field: votes }
      released: { kind: range, collection: films, field: released }
      director: { kind: facet, collection: films, field: director.name }
      near: { kind: filter, collection: films, field: place }
`
const fields = `
  title: { type: text }, votes: { type: number, decimal: "," }, released: { type: date, formats: [dd.MM.yyyy] },
  director.name: { type: keyword }, directorText: { type: text, source: director.name }, place: { type: geo, from: { lat: lat, lon: lon } }`

let server: StartedServer
let token: string
before(async () => {
  server = await startServer()
  await server.applyWorkspace(films(fields))
  token = await fetchToken(server, await readCredential(server.data))
})
after(() => server.stop())

const documents = [
  {
    id: 'a',
    title: 1776,
    votes: '8.000,5',
    released: '9.11.1972',
    director: { name: 'Hunt' },
    lat: '40,0',
    lon: 3,
  },
  { id: 'b', title: 'Nine', votes: 7, released: '2009-12-18', director: [{ name: 'Marshall' }, { name: 2 }] },
]
const call = async (method: string, path: string, body?: object | string) => {
  const reply = await fetch(`${server.baseUrl}/4/films/collections/films/documents${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: reply.status, json: (await reply.json()) as Record<string, unknown> }
}
const query = async (path: string) => {
  const reply = await fetch(`${server.baseUrl}/4/films/api/main/e/${path}`)
  assert.equal(reply.status, 200, `${path}: ${reply.status}`)
  return reply
}
const find = async (path: string): Promise<string[]> => {
  const reply = await query(`${path}/resultpage`)
  const { items } = (await reply.json()) as { items: { tuple: { id: string }[] }[] }
  return items.map(({ tuple: [document] }) => document?.id.replace(/.*:/, '') ?? '')
}
const assertFound = async () => {
  assert.deepEqual(await find('search/p/query/1776'), ['a'])
  assert.deepEqual(await find('search/p/query/marshall'), ['b'])
  assert.deepEqual(await find('votes/p/from/8000/p/to/8001'), ['a'])
  assert.deepEqual(await find('released/p/from/1972-11-09/p/to/1972-11-10'), ['a'])
  assert.deepEqual(await find('director:FILTER/p/value/2'), ['b'])
  assert.deepEqual(await find('near/p/value/40,3,10km'), ['a'])
  assert.deepEqual(await find('all/e/title'), ['a', 'b'])
}

test('values in other forms are found, and come back as they were sent', async () => {
  const imported = await call('POST', '', documents)
  assert.deepEqual([imported.status, imported.json.accepted], [200, 2])
  await assertFound()
  for (const document of documents) assert.deepEqual((await call('GET', `/${document.id}`)).json, document)
  const { id: _, ...sent } = documents[0] ?? {}
  assert.ok((await (await query('all/results')).text()).includes(`"attributes":${JSON.stringify(sent)}`))
  assert.doesNotMatch(await (await query('all/results?attributes=title')).text(), /indexed/)
  assert.doesNotMatch(await (await query('all/results?format=csv')).text(), /indexed/)
})

test('a changed definition reads stored documents again', async () => {
  const plain = `title: { type: text }, votes: { type: keyword }, released: { type: date }, director.name: { type: keyword }, place: { type: geo }`
  await server.applyWorkspace(films(plain).replace('votes: { kind: range,', 'votes: { kind: facet,'))
  assert.deepEqual(await find('search/p/query/marshall'), [])
  assert.deepEqual(await find('votes:FILTER/p/value/7'), ['b'])
  await server.applyWorkspace(films(fields))
  await assertFound()
})

test('a value that a field does not take is rejected with its place', async () => {
  const { status, json } = await call('POST', '', [{ id: 'x', votes: 'many' }, documents[0] ?? {}])
  assert.equal(status, 200)
  assert.equal(json.rejected, 1)
  assert.match(JSON.stringify(json.errors), /votes.*found .*many/)
})

test('paths select attributes in every format', async () => {
  await server.applyWorkspace(films(fields))
  await call('POST', '', documents)
  const path = 'search/p/query/marshall/results?attributes=director.name,title'
  assert.ok(
    (await (await query(path)).text()).includes(
      '"attributes":{"director.name":["Marshall",2],"title":"Nine"}',
    ),
  )
  const table = await (await query(`${path}&format=csv`)).text()
  assert.match(table, /director\.name,title\r?\n.*Marshall\|2.*,Nine/)
})

test('every digit of a number comes back', async () => {
  await server.applyWorkspace(films(fields))
  const text = '{"id":"n","title":9007199254740993,"votes":1.50,"other":[12345678901234567890123,1e400,-0]}'
  for (const body of [`[${text}]`, `{"rows":[${text}]}`])
    assert.equal((await call('POST', '', body)).status, 200)
  const results = await (await query('search/p/query/9007199254740993/resultpage')).text()
  assert.ok(
    results.includes('"title":9007199254740993,"votes":1.50,"other":[12345678901234567890123,1e400,-0]'),
    results,
  )
  const reply = await fetch(`${server.baseUrl}/4/films/collections/films/documents/n`, {
    headers: { authorization: `Bearer ${token}` },
  })
  assert.equal(await reply.text(), text)
  assert.ok((await (await query('all/results?format=csv')).text()).includes('9007199254740993'))
})

test('whole numbers of 64 bits are found, counted and sorted by all their digits', async () => {
  const exact = `
      exactly: { kind: filter, collection: films, field: votes }
      byVotes: { kind: facet, collection: films, field: votes, statistics: true }`
  await server.applyWorkspace(films(fields) + exact)
  const votes = [
    '9007199254740993',
    '9007199254740992',
    '"9.223.372.036.854.775.807"',
    '"1610521604143693812"',
  ]
  const body = votes.map((number, index) => `{"id":"${'abcd'[index]}","votes":${number}}`)
  assert.equal((await call('POST', '?replace=true', `[${body}]`)).status, 200)
  assert.deepEqual(await find('exactly/p/value/9007199254740993'), ['a'])
  assert.deepEqual(await find('votes/p/from/9007199254740993'), ['a', 'c', 'd'])
  const facet = await (await query('all/options/byVotes')).text()
  for (const option of ['9007199254740993', '9223372036854775807', '1610521604143693812'])
    assert.ok(facet.includes(`"value":"${option}"`), facet)
  assert.ok(facet.includes('"min":9007199254740992,"max":9223372036854775807,'), facet)
})

test('documents without an id get one: equal documents are one', async () => {
  await server.applyWorkspace(films(fields, '{ generate: hash }'))
  const ids = documents.map(({ id: _, ...document }) => document)
  const { json } = await call('POST', '?replace=true', [...ids, ...ids])
  assert.equal(json.accepted, 4)
  assert.equal((await find('all')).length, 2)
  const [id = ''] = await find('search/p/query/1776')
  assert.match(id, /^[0-9a-f]{32}$/)
  const { json: stored } = await call('GET', `/${id}`)
  assert.deepEqual(stored, { id, ...ids[0] })
  await call('POST', '', [stored])
  assert.equal((await find('all')).length, 2, 'a document that was read keeps its id')
  assert.equal((await call('PUT', `/${id}`, { title: 'Changed' })).status, 200)
  assert.deepEqual(await find('search/p/query/changed'), [id])
})

test('ids by row need an import of the whole collection', async () => {
  await server.applyWorkspace(films(fields, '{ generate: row }'))
  const rows = [{ title: 'one' }, { title: 'two' }]
  assert.equal((await call('POST', '', rows)).status, 400)
  assert.equal((await call('POST', '?replace=true', rows)).status, 200)
  assert.deepEqual(await find('search/p/query/two'), ['2'])
})

test('an import and apply name declared fields that no document has, and neither tells a writer without rights', async () => {
  const misspelled = (fields: string) => `
workspace: misspelled
collections: { films: { fields: { ${fields} } } }
apis: { main: { endpoints: { all: { kind: all, collection: films } } } }
`
  await server.applyWorkspace(misspelled('title: { type: text }, director.nmae: { type: keyword }'))
  const writer = await server.createAccount('misspelled', 'loader', 'data-provider')
  const address = `${server.baseUrl}/4/misspelled/collections/films/documents`
  const send = async (authorization: string, search = '') => {
    const reply = await fetch(`${address}${search}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${authorization}`, 'content-type': 'application/json' },
      body: JSON.stringify(documents),
    })
    return (await reply.json()) as { emptyFields?: string[] }
  }
  const writerToken = await fetchToken(server, writer)
  assert.equal((await send(writerToken)).emptyFields, undefined)
  assert.deepEqual((await send(writerToken, '?replace=true')).emptyFields, ['director.nmae'])
  assert.deepEqual((await send(token)).emptyFields, ['director.nmae'])
  const { warnings } = await server.applyWorkspace(
    misspelled('title: { type: text }, director.name: { type: keyword }, genre: { type: keyword }'),
  )
  assert.deepEqual(
    warnings.map(({ code, path }) => [code, path]),
    [['empty-field', 'collections.films.fields.genre']],
  )
})

test('apply names the values that a changed field does not take', async () => {
  const salaries = (salary: string) => `
workspace: salaries
collections: { offers: { fields: { title: { type: text }, salary: { ${salary} } } } }
apis: { main: { endpoints: { all: { kind: all, collection: offers } } } }
`
  await server.applyWorkspace(salaries('type: number, decimal: ","'))
  const reply = await fetch(`${server.baseUrl}/4/salaries/collections/offers/documents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify([
      { id: '1', title: 'Baker', salary: '45 500,50 €' },
      { id: '2', title: 'Cook', salary: '45 000 €' },
      { id: '3', title: 'Driver' },
    ]),
  })
  assert.equal(reply.status, 200)
  const list = async (salary: string) => {
    const { warnings } = await server.applyWorkspace(salaries(salary))
    return warnings.map(({ code, path, values }) => [code, path, values])
  }
  const path = 'collections.offers.fields.salary'
  const values = { misfits: '1', values: '2', count: '3', examples: '"45 500,50 €"' }
  assert.deepEqual(await list('type: number, decimal: "."'), [['misfitting-values', path, values]])
  assert.deepEqual(await list('type: number, decimal: "."'), [], 'nothing changes')
  assert.deepEqual(await list('type: number, decimal: ","'), [], 'all values fit')
  assert.deepEqual(await list('type: date, formats: [dd.MM.yyyy]'), [
    ['retyped-field', path, { type: 'date' }],
    ['misfitting-values', path, { ...values, misfits: '2', examples: '"45 500,50 €", "45 000 €"' }],
  ])
})

test('all rejected documents are counted by reason, beyond the errors that are listed', async () => {
  const rejected = Array.from({ length: 250 }, (_, index) =>
    index % 5 === 0
      ? { id: `x${index}`, released: `never ${index}` }
      : { id: `x${index}`, votes: `many ${index}` },
  )
  const { status, json } = await call('POST', '?replace=true', [...rejected, { id: 'fine', title: 'Fine' }])
  assert.equal(status, 200, JSON.stringify(json).slice(0, 300))
  const { errors, reasons, rejectedAt } = json as {
    errors: object[]
    reasons: { count: number; first: object }[]
    rejectedAt: number[][]
  }
  assert.deepEqual(rejectedAt, [[0, 249]])
  assert.deepEqual([status, json.rejected, errors.length], [200, 250, 100])
  assert.deepEqual(
    reasons.map(({ count, first }) => [count, 'index' in first && first.index]),
    [
      [50, 0],
      [200, 1],
    ],
  )
})
