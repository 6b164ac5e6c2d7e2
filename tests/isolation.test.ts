/** Two workspaces whose APIs, collections, accounts and documents have the same names keep apart (query-service.md, Authorisation). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { makeMember } from './person.ts'
import { evaluate, stackPath } from './query-oracle.ts'
import { closeRaw, type RawReply, rawRequest } from './query-raw.ts'
import { consoleToken } from './query-sign-in.ts'
import { stacks } from './query-stacks.ts'
import { applyThings, makeThings, type Thing } from './query-things.ts'
import { fetchToken, type StartedServer, startServer } from './started-server.ts'

const seed = 6
const workspaces = ['east', 'west'] as const
type Name = (typeof workspaces)[number]
const other = (name: Name): Name => (name === 'east' ? 'west' : 'east')
/** The same ids on both sides; all else of a document says whose it is. */
const things: Record<Name, Thing[]> = {
  east: makeThings(120, 31).map(thing => ({ ...thing, label: 'eastmarker' })),
  west: makeThings(140, 32).map(thing => ({ ...thing, label: 'westmarker' })),
}

let server: StartedServer
let tokens: Record<Name, string>
before(async () => {
  server = await startServer(['--rate-limit', 'off'])
  const join = async (name: Name) => {
    await applyThings(server, name, { things: things[name] }, {})
    // The reply of `querent s2s create --json` (command-line.md).
    const account = (await server.run([
      ...['s2s', 'create', name, 'reader'],
      ...['--role', 'api', '--role', 'data-provider'],
    ])) as { clientId: string; clientSecret: string }
    return fetchToken(server, account)
  }
  tokens = { east: await join('east'), west: await join('west') }
})
after(async () => {
  closeRaw()
  await server.stop()
})

/** Asks with the token of `by`; whatever comes back has nothing of the other workspace. */
const ask = async (by: Name, path: string, headers: Record<string, string> = {}): Promise<RawReply> => {
  const reply = await rawRequest(server.baseUrl, path, {
    headers: { authorization: `Bearer ${tokens[by]}`, ...headers },
  })
  assert.ok(!`${reply.text}${JSON.stringify(reply.headers)}`.includes(`${other(by)}marker`), path)
  return reply
}
const at = (name: Name, path: string) => `/4/${name}/api/things/${path}`

test('the same stack, at once in both: each gets its own', async () => {
  await fc.assert(
    fc.asyncProperty(stacks(things.east), async stack => {
      const path = stackPath(stack)
      const replies = await Promise.all(
        workspaces.flatMap(name => [
          ask(name, at(name, `${path}/count`)),
          ask(name, at(name, `${path}/results?count=100`)),
          ask(name, at(name, `${path}/options/tags`)),
        ]),
      )
      for (const { status } of replies) assert.equal(status, 200, path)
      for (const [index, name] of workspaces.entries())
        assert.deepEqual(JSON.parse(replies[index * 3]?.text ?? ''), {
          total: evaluate(things[name], stack).length,
        })
    }),
    { seed, numRuns: 60 },
  )
})

test('a token opens nothing of the other workspace, whatever is asked, however often', async () => {
  const paths = ['', 'status', 'e/all/results', 'options/tags', 'e/thing/p/id/t0/resultitem', 'openapi.json']
  for (const by of workspaces)
    for (const path of [...paths, ...paths]) {
      assert.equal((await ask(other(by), at(other(by), path))).status, 200, path)
      assert.equal((await ask(by, at(other(by), path))).status, 403, path)
    }
})

test('an ETag of one workspace is not good in the other', async () => {
  for (const path of ['e/all/results', 'options/tags', 'e/words/p/query/nowhere/count']) {
    const tags = await Promise.all(
      workspaces.map(async name => (await ask(name, at(name, path))).headers.etag),
    )
    assert.notEqual(tags[0], tags[1])
    for (const [index, name] of workspaces.entries()) {
      const [own, foreign] = [String(tags[index]), String(tags[1 - index])]
      assert.equal((await ask(name, at(name, path), { 'if-none-match': own })).status, 304)
      assert.equal((await ask(name, at(name, path), { 'if-none-match': foreign })).status, 200)
      // Refused before it is compared.
      assert.equal((await ask(name, at(other(name), path), { 'if-none-match': foreign })).status, 403)
    }
  }
})

test('a change in one is neither seen in the other, nor changes its ETag', async () => {
  const before = (await ask('west', at('west', 'e/all/results'))).headers.etag
  await server.run(['import', 'east', 'things', '-'], {
    input: JSON.stringify({ ...things.east[0], id: 'added', title: 'eastmarker added' }),
  })
  const { text } = await ask('east', at('east', 'e/words/p/query/eastmarker/count'))
  assert.deepEqual(JSON.parse(text), { total: 1 })
  for (const path of [
    'e/words/p/query/eastmarker/results',
    'e/thing/p/id/added/results',
    'e/like/p/id/added/results',
  ])
    assert.deepEqual((JSON.parse((await ask('west', at('west', path))).text) as { items: [] }).items, [])
  assert.equal((await ask('west', at('west', 'e/all/results'))).headers.etag, before)
})

test('the documents address is that of one workspace', async () => {
  const send = (by: Name, to: Name, method: string, path: string, body?: string) =>
    fetch(`${server.baseUrl}/4/${to}/collections/things/documents${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens[by]}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    })
  const count = async (name: Name) => (await ask(name, at(name, 'e/all/count'))).text
  const counts = { east: await count('east'), west: await count('west') }
  const document = JSON.stringify({ id: 't0', title: 'mine now' })
  for (const by of workspaces) {
    const to = other(by)
    for (const [method, path, body] of [
      ['POST', '', `[${document}]`],
      ['POST', '?replace=true', `[${document}]`],
      ['PUT', '/t0', document],
      ['GET', '/t0'],
      ['GET', ''],
      ['DELETE', '/t0'],
      ['DELETE', '?kind=alpha'],
    ] as const) {
      const reply = await send(by, to, method, path, body)
      assert.equal(reply.status, 403, `${method} ${path}`)
      const gone = await fetch(reply.url.replace(`/4/${to}/`, '/4/nowhere/'), {
        method,
        headers: { authorization: `Bearer ${tokens[by]}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body }),
      })
      const strip = (text: string) => text.replace(/"requestId":"[^"]*"/, '')
      assert.equal(strip(await reply.text()), strip(await gone.text()))
    }
  }
  // Their own they may write, and only theirs changes.
  assert.equal((await send('east', 'east', 'PUT', '/t0', document)).status, 200)
  assert.match((await ask('east', at('east', 'e/thing/p/id/t0/resultitem'))).text, /mine now/)
  assert.doesNotMatch((await ask('west', at('west', 'e/thing/p/id/t0/resultitem'))).text, /mine now/)
  for (const name of workspaces) assert.equal(await count(name), counts[name])
})

test('what a client of one workspace is told of the other in errors is what it is told of nothing', async () => {
  for (const by of workspaces)
    for (const path of ['', 'e/all/results?count=0', 'e/wrong/results', 'status?config=x', 'options/wrong']) {
      const strip = ({ text, headers }: RawReply, name: string) =>
        `${text}${headers['www-authenticate']}`
          .replace(/"requestId":"[^"]*"/, '')
          .replaceAll(`/4/${name}/`, '/4/W/')
      const known = await ask(by, at(other(by), path))
      const unknown = await ask(by, `/4/nowhere/api/things/${path}`)
      assert.equal(known.status, 403)
      assert.equal(strip(known, other(by)), strip(unknown, 'nowhere'), path)
    }
})

test('public APIs of the same name give each its own documents', async () => {
  for (const name of workspaces) {
    const reply = await rawRequest(server.baseUrl, `/4/${name}/api/open/e/all/results?count=100`)
    assert.equal(reply.status, 200)
    assert.ok(reply.text.includes(`${name}marker`))
    assert.ok(!reply.text.includes(`${other(name)}marker`))
  }
})

interface OpenApi {
  paths: Record<string, Record<string, { requestBody?: unknown }>>
}

test('the management API tells an administrator of one workspace of the other what it tells of none', async () => {
  const token = await consoleToken(
    server,
    await makeMember(server, 'east', 'ada@east.example', 'administrator'),
  )
  const { paths } = (await (await fetch(`${server.authUrl}/manage/v1/openapi.json`)).json()) as OpenApi
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    path.includes('{workspace}') ? Object.keys(methods).map(method => ({ path, method })) : [],
  )
  assert.ok(operations.length > 20)
  const send = async (workspace: string, path: string, method: string) => {
    const filled = path.replace('{workspace}', workspace).replaceAll(/\{\w+\}/g, 'things')
    const prefix = filled.startsWith('/manage') ? '' : '/manage/v1'
    const reply = await fetch(`${server.authUrl}${prefix}${filled}`, {
      method: method.toUpperCase(),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(['get', 'delete'].includes(method) ? {} : { body: '{}' }),
    })
    const text = `${await reply.text()}${reply.headers.get('www-authenticate')}`
    return { status: reply.status, text: text.replace(/"requestId":"[^"]*"/, '').replaceAll(workspace, 'W') }
  }
  for (const { path, method } of operations) {
    const known = await send('west', path, method)
    assert.equal(known.status, 403, `${method} ${path}: ${known.text}`)
    assert.deepEqual(await send('nowhere', path, method), known, `${method} ${path}`)
  }
  assert.equal((await send('east', '/workspaces/{workspace}/members', 'get')).status, 200)
})
