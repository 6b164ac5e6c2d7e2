/** Two workspaces with the same names of APIs, collections, accounts and documents are isolated from each other (docs/security.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { makeMember } from '#tests/support/person'
import { evaluate, stackPath } from '#tests/support/query-oracle'
import { closeRaw, type RawReply, rawRequest } from '#tests/support/query-raw'
import { consoleToken } from '#tests/support/query-sign-in'
import { stacks } from '#tests/support/query-stacks'
import { makeDocuments, setUpWorkspace, type TestDocument } from '#tests/support/query-things'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const seed = 6
const workspaces = ['east', 'west'] as const
type Name = (typeof workspaces)[number]
const otherName = (name: Name): Name => (name === 'east' ? 'west' : 'east')
/** Ids are the same in both. All other values of a document name its workspace. */
const documentsByName: Record<Name, TestDocument[]> = {
  east: makeDocuments(120, 31).map(document => ({ ...document, label: 'eastmarker' })),
  west: makeDocuments(140, 32).map(document => ({ ...document, label: 'westmarker' })),
}

let server: StartedServer
let tokens: Record<Name, string>
before(async () => {
  server = await startServer(['--rate-limit', 'off'])
  const prepareWorkspace = async (name: Name) => {
    await setUpWorkspace(server, name, { things: documentsByName[name] }, {})
    // The JSON reply of `querent s2s create`.
    const account = (await server.run([
      ...['s2s', 'create', name, 'reader'],
      ...['--role', 'api', '--role', 'data-provider'],
    ])) as { clientId: string; clientSecret: string }
    return fetchToken(server, account)
  }
  tokens = { east: await prepareWorkspace('east'), west: await prepareWorkspace('west') }
})
after(async () => {
  closeRaw()
  await server.stop()
})

/** Sends a request with the token of `by`, and asserts that the reply contains nothing of the other workspace. */
const ask = async (asker: Name, path: string, headers: Record<string, string> = {}): Promise<RawReply> => {
  const reply = await rawRequest(server.baseUrl, path, {
    headers: { authorization: `Bearer ${tokens[asker]}`, ...headers },
  })
  assert.ok(!`${reply.text}${JSON.stringify(reply.headers)}`.includes(`${otherName(asker)}marker`), path)
  return reply
}
const apiPath = (name: Name, path: string) => `/4/${name}/api/things/${path}`

test("the same concurrent stack in both workspaces returns each one's own documents", async () => {
  await fc.assert(
    fc.asyncProperty(stacks(documentsByName.east), async stack => {
      const path = stackPath(stack)
      const replies = await Promise.all(
        workspaces.flatMap(name => [
          ask(name, apiPath(name, `${path}/count`)),
          ask(name, apiPath(name, `${path}/results?count=100`)),
          ask(name, apiPath(name, `${path}/options/tags`)),
        ]),
      )
      for (const { status } of replies) assert.equal(status, 200, path)
      for (const [index, name] of workspaces.entries())
        assert.deepEqual(JSON.parse(replies[index * 3]?.text ?? ''), {
          total: evaluate(documentsByName[name], stack).length,
        })
    }),
    { seed, numRuns: 60 },
  )
})

test('a token opens nothing of the other workspace, whatever and however often it is used', async () => {
  const paths = ['', 'status', 'e/all/results', 'options/tags', 'e/thing/p/id/t0/resultitem', 'openapi.json']
  for (const asker of workspaces)
    for (const path of [...paths, ...paths]) {
      assert.equal((await ask(otherName(asker), apiPath(otherName(asker), path))).status, 200, path)
      assert.equal((await ask(asker, apiPath(otherName(asker), path))).status, 403, path)
    }
})

test('an ETag of one workspace is not valid in the other', async () => {
  for (const path of ['e/all/results', 'options/tags', 'e/words/p/query/nowhere/count']) {
    const tags = await Promise.all(
      workspaces.map(async name => (await ask(name, apiPath(name, path))).headers.etag),
    )
    assert.notEqual(tags[0], tags[1])
    for (const [index, name] of workspaces.entries()) {
      const [own, foreign] = [String(tags[index]), String(tags[1 - index])]
      assert.equal((await ask(name, apiPath(name, path), { 'if-none-match': own })).status, 304)
      assert.equal((await ask(name, apiPath(name, path), { 'if-none-match': foreign })).status, 200)
      // Rejected before the comparison.
      assert.equal(
        (await ask(name, apiPath(otherName(name), path), { 'if-none-match': foreign })).status,
        403,
      )
    }
  }
})

test('a change in one workspace is not visible in the other and does not change its ETag', async () => {
  const etagBefore = (await ask('west', apiPath('west', 'e/all/results'))).headers.etag
  await server.importDocuments(
    'east',
    'things',
    JSON.stringify({ ...documentsByName.east[0], id: 'added', title: 'eastmarker added' }),
  )
  const { text } = await ask('east', apiPath('east', 'e/words/p/query/eastmarker/count'))
  assert.deepEqual(JSON.parse(text), { total: 1 })
  for (const path of [
    'e/words/p/query/eastmarker/results',
    'e/thing/p/id/added/results',
    'e/like/p/id/added/results',
  ])
    assert.deepEqual((JSON.parse((await ask('west', apiPath('west', path))).text) as { items: [] }).items, [])
  assert.equal((await ask('west', apiPath('west', 'e/all/results'))).headers.etag, etagBefore)
})

test('each documents address belongs to one workspace', async () => {
  const send = (by: Name, to: Name, method: string, path: string, body?: string) =>
    fetch(`${server.baseUrl}/4/${to}/collections/things/documents${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens[by]}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    })
  const count = async (name: Name) => (await ask(name, apiPath(name, 'e/all/count'))).text
  const counts = { east: await count('east'), west: await count('west') }
  const document = JSON.stringify({ id: 't0', title: 'mine now' })
  for (const asker of workspaces) {
    const target = otherName(asker)
    for (const [method, path, body] of [
      ['POST', '', `[${document}]`],
      ['POST', '?replace=true', `[${document}]`],
      ['PUT', '/t0', document],
      ['GET', '/t0'],
      ['GET', ''],
      ['DELETE', '/t0'],
      ['DELETE', '?kind=alpha'],
    ] as const) {
      const reply = await send(asker, target, method, path, body)
      assert.equal(reply.status, 403, `${method} ${path}`)
      const nowhereReply = await fetch(reply.url.replace(`/4/${target}/`, '/4/nowhere/'), {
        method,
        headers: { authorization: `Bearer ${tokens[asker]}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body }),
      })
      const strip = (text: string) => text.replace(/"requestId":"[^"]*"/, '')
      assert.equal(strip(await reply.text()), strip(await nowhereReply.text()))
    }
  }
  // They may write their own, and only theirs changes.
  assert.equal((await send('east', 'east', 'PUT', '/t0', document)).status, 200)
  assert.match((await ask('east', apiPath('east', 'e/thing/p/id/t0/resultitem'))).text, /mine now/)
  assert.doesNotMatch((await ask('west', apiPath('west', 'e/thing/p/id/t0/resultitem'))).text, /mine now/)
  for (const name of workspaces) assert.equal(await count(name), counts[name])
})

test('errors tell a client of one workspace the same about the other as about a missing one', async () => {
  for (const asker of workspaces)
    for (const path of ['', 'e/all/results?count=0', 'e/wrong/results', 'status?config=x', 'options/wrong']) {
      const strip = ({ text, headers }: RawReply, name: string) =>
        `${text}${headers['www-authenticate']}`
          .replace(/"requestId":"[^"]*"/, '')
          .replaceAll(`/4/${name}/`, '/4/W/')
      const existingReply = await ask(asker, apiPath(otherName(asker), path))
      const missingReply = await ask(asker, `/4/nowhere/api/things/${path}`)
      assert.equal(existingReply.status, 403)
      assert.equal(strip(existingReply, otherName(asker)), strip(missingReply, 'nowhere'), path)
    }
})

test('public APIs of the same name each return their own documents', async () => {
  for (const name of workspaces) {
    const reply = await rawRequest(server.baseUrl, `/4/${name}/api/open/e/all/results?count=100`)
    assert.equal(reply.status, 200)
    assert.ok(reply.text.includes(`${name}marker`))
    assert.ok(!reply.text.includes(`${otherName(name)}marker`))
  }
})

interface OpenApi {
  paths: Record<string, Record<string, { requestBody?: unknown }>>
}

test('the management API tells an administrator of one workspace the same about the other as about a missing one', async () => {
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
    const existingReply = await send('west', path, method)
    assert.equal(existingReply.status, 403, `${method} ${path}: ${existingReply.text}`)
    assert.deepEqual(await send('nowhere', path, method), existingReply, `${method} ${path}`)
  }
  assert.equal((await send('east', '/workspaces/{workspace}/members', 'get')).status, 200)
})
