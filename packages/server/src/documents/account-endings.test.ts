/**
 * A request whose account ends changes no more documents: every way to change documents, for each way in
 * which an account can end.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { decodeJwt } from 'jose'
import { baseUrl } from '#authz/test-tokens'
import type { Writer } from '#storage/db'
import { listGenerations } from '#storage/generations'
import { removeMember, setMember } from '#storage/members'
import { revoke } from '#storage/revocations'
import { createUser, removeUser, setUserDisabled } from '#storage/users'
import { createWorkspace, removeWorkspace } from '#storage/workspaces'
import { allDocuments, definition, lines, openTestServer } from './test-server.ts'

interface Caller {
  id: string
  token: string
  slug: string
  workspaceId: string
}

const member = ({ workspaceId, id }: Caller) => ({ workspaceId, subject: id, kind: 'user' as const })
const endings: Record<string, { status: 401 | 403; end(writer: Writer, caller: Caller): Promise<unknown> }> =
  {
    'the member was removed': {
      status: 403,
      end: (writer, { workspaceId, id }) => removeMember(writer, workspaceId, id),
    },
    'the role was changed': {
      status: 403,
      end: (writer, caller) => setMember(writer, { ...member(caller), roles: ['api'], filter: undefined }),
    },
    'a row filter was set': {
      status: 403,
      end: (writer, caller) =>
        setMember(writer, { ...member(caller), roles: ['user'], filter: { genre: 'crime' } }),
    },
    'the account was disabled': {
      status: 401,
      end: (writer, { id }) => setUserDisabled(writer, id, true),
    },
    'the account was deleted': {
      status: 401,
      async end(writer, { workspaceId, id }) {
        await removeMember(writer, workspaceId, id)
        await removeUser(writer, id)
      },
    },
    'the token was revoked': {
      status: 401,
      end: (writer, { token }) => revoke(writer, 'token', String(decodeJwt(token).jti), Date.now() + 60_000),
    },
    'the grant was revoked': {
      status: 401,
      end: (writer, { token }) =>
        revoke(writer, 'grant', String(decodeJwt(token).grant_id), Date.now() + 60_000),
    },
    'the workspace was deleted': {
      status: 403,
      end: (writer, { workspaceId, slug }) => removeWorkspace(writer, { id: workspaceId, slug }),
    },
  }

interface Change {
  method: 'POST' | 'PUT' | 'DELETE'
  /** Path after `/documents`. */
  path?: string
  type?: string
  body?: string
}
const novel = { id: 'late', title: 'Written after the account ended', genre: 'crime' }
const changes: Record<string, Change> = {
  'an import of NDJSON': { method: 'POST', type: 'application/x-ndjson', body: lines(novel) },
  'an import of a JSON array': { method: 'POST', type: 'application/json', body: JSON.stringify([novel]) },
  'an import of CSV': { method: 'POST', type: 'text/csv', body: 'id,title,genre\nlate,Late,crime\n' },
  'an import that replaces all': {
    method: 'POST',
    path: '?replace=true',
    type: 'application/x-ndjson',
    body: lines(novel),
  },
  'an import that is staged': {
    method: 'POST',
    path: '?replace=true&stage=true',
    type: 'application/x-ndjson',
    body: lines(novel),
  },
  'a strict import': {
    method: 'POST',
    path: '?strict=true',
    type: 'application/x-ndjson',
    body: lines(novel),
  },
  'PUT of a document': {
    method: 'PUT',
    path: '/late',
    type: 'application/json',
    body: JSON.stringify(novel),
  },
  'DELETE of a document': { method: 'DELETE', path: '/first' },
  'DELETE of documents': { method: 'DELETE', path: '?genre=crime' },
}

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
  const reply = await server.call(
    'ada',
    'POST',
    'books/collections/novels/documents',
    lines({ id: 'first', genre: 'crime' }),
  )
  assert.equal(reply.status, 200)
})
after(() => server.close())

let callerCount = 0
const newCaller = async (ownWorkspace = false): Promise<Caller> => {
  callerCount += 1
  const caller = await server.storage.write(async writer => {
    const slug = ownWorkspace ? `passing-${callerCount}` : 'books'
    const workspaceId = ownWorkspace
      ? (await createWorkspace(writer, { ...definition, workspace: slug }))?.id
      : server.ids.books
    const user = await createUser(writer, { email: `caller${callerCount}@example.org` })
    assert.ok(user && workspaceId)
    const created = { id: user.id, slug, workspaceId }
    await setMember(writer, { ...member({ ...created, token: '' }), roles: ['user'], filter: undefined })
    return created
  })
  if (ownWorkspace) await server.collections.reconcile(caller.workspaceId)
  const token = await server.token({
    subject: caller.id,
    clientId: 'console',
    audience: baseUrl,
    grantId: `grant of ${caller.id}`,
  })
  return { ...caller, token }
}

/** Starts a request without sending its body. */
const begin = ({ slug, token }: Caller, { method, path = '', type }: Change) => {
  const sending = httpRequest({
    host: '127.0.0.1',
    port: server.port,
    method,
    path: `/4/${slug}/collections/novels/documents${path}`,
    headers: {
      authorization: `Bearer ${token}`,
      ...(type === undefined ? {} : { 'content-type': type, 'transfer-encoding': 'chunked' }),
    },
  })
  const replied = once(sending, 'response').then(async ([response]) => {
    const reply = await text(response)
    return { status: Number(response.statusCode), body: reply === '' ? undefined : JSON.parse(reply) }
  })
  return { sending, replied }
}
const searchable = async () => {
  const { hits } = await server.search(allDocuments)
  const generations = await listGenerations(server.storage.db, server.ids.books)
  return { hits, generations: generations.filter(({ state }) => state === 'ready').map(({ id }) => id) }
}

for (const [description, change] of Object.entries(changes))
  for (const [ending, { status, end }] of Object.entries(endings))
    test(`${description} changes nothing: ${ending} while it was under way`, async () => {
      const caller = await newCaller(ending === 'the workspace was deleted')
      const idsBefore = await searchable()
      const authorized = server.nextAuthorized()
      const endAccount = () => server.storage.write(writer => end(writer, caller))
      const { sending, replied } = begin(caller, change)
      if (change.body !== undefined) {
        sending.write(change.body.slice(0, 1))
        await authorized
        await endAccount()
        sending.end(change.body.slice(1))
      }
      // Requests without a body wait for something else: a collection that is being replaced.
      else
        await server.collections.write(
          caller.workspaceId,
          'novels',
          async () => {
            sending.end()
            await authorized
            await endAccount()
          },
          true,
        )
      const reply = await replied
      assert.equal(reply.status, status, JSON.stringify(reply.body))
      assert.equal(reply.body.code, status === 401 ? 'invalid-token' : 'insufficient-scope')
      assert.deepEqual(await searchable(), idsBefore)
    })

for (const [description, rights] of [
  ['membership', (until: string) => ({ until, collections: ['novels'] })],
  ['group that opens the collection', (until: string) => ({ groups: [{ group: 'writers', until }] })],
] as const)
  test(`an import changes nothing if the ${description} ends by its date while it is under way`, async t => {
    t.after(() => server.redefine(() => definition))
    await server.redefine(previous => ({
      ...previous,
      groups: { writers: { collections: ['novels'] } },
      memberDefaults: { collections: [] },
    }))
    const caller = await newCaller()
    const endsAt = Date.now() + 10_000
    await server.storage.write(writer =>
      setMember(writer, {
        ...member(caller),
        roles: ['user'],
        filter: undefined,
        rights: rights(new Date(endsAt).toISOString()),
      }),
    )
    const idsBefore = await searchable()
    const authorized = server.nextAuthorized()
    const { sending, replied } = begin(caller, { method: 'POST', type: 'application/x-ndjson' })
    sending.write(lines(novel).slice(0, 1))
    await authorized
    t.mock.timers.enable({ apis: ['Date'], now: endsAt + 1000 })
    sending.end(lines(novel).slice(1))
    const reply = await replied
    assert.equal(reply.status, 403, JSON.stringify(reply.body))
    assert.match(reply.body.code, /^(membership-ended|collection-not-allowed)$/)
    assert.deepEqual(await searchable(), idsBefore)
  })

test('an import whose account ends keeps the documents that were written before, and says how many', async () => {
  const caller = await newCaller()
  const { sending, replied } = begin(caller, {
    method: 'POST',
    path: '?import=long',
    type: 'application/json',
  })
  const first = Array.from({ length: 1500 }, (_, number) => ({ id: `early-${number}`, genre: 'drama' }))
  sending.write(JSON.stringify(first).slice(0, -1))
  const progress = `books/collections/novels/imports/long`
  while ((await server.call(caller, 'GET', progress)).body.documents < 1000);
  await server.storage.write(writer => removeMember(writer, caller.workspaceId, caller.id))
  sending.end(`,${JSON.stringify(novel)}]`)
  const { status, body } = await replied
  assert.equal(status, 403)
  assert.match(body.message, /the 1000 documents that were written before stay$/)
  const results = await server.search({ ...allDocuments, count: 1000 })
  assert.equal(results.total, 1001)
  assert.equal((await server.call('ada', 'GET', 'books/collections/novels/documents/early-0')).status, 200)
  assert.equal((await server.call('ada', 'GET', 'books/collections/novels/documents/late')).status, 404)
})

test('a stream of all documents breaks off when its account ends', async () => {
  const caller = await newCaller()
  // Larger than the buffers between client and server.
  const documents = Array.from({ length: 2500 }, (_, number) => ({
    id: `large-${number}`,
    note: 'x'.repeat(8000),
  }))
  const added = await server.call('ada', 'POST', 'books/collections/novels/documents', lines(...documents))
  assert.equal(added.status, 200)
  const upload = httpRequest({
    host: '127.0.0.1',
    port: server.port,
    path: '/4/books/collections/novels/documents?format=ndjson',
    headers: { authorization: `Bearer ${caller.token}` },
  })
  upload.end()
  const [response] = await once(upload, 'response')
  assert.equal(response.statusCode, 200)
  await server.storage.write(writer => removeMember(writer, caller.workspaceId, caller.id))
  await assert.rejects(text(response), { code: 'ECONNRESET' })
})

test('an import goes on when its token expires, and when others are changed', async () => {
  const caller = await newCaller()
  const otherCaller = await newCaller()
  const expiring = await server.token({
    subject: caller.id,
    clientId: 'console',
    audience: baseUrl,
    // Clocks may differ by a minute, so this token is valid for less than a second.
    expiresInSeconds: -59,
  })
  const authorized = server.nextAuthorized()
  const { sending, replied } = begin(
    { ...caller, token: expiring },
    { method: 'POST', type: 'application/x-ndjson' },
  )
  sending.write('{')
  await authorized
  while (
    (await server.call({ token: expiring }, 'GET', 'books/collections/novels/imports/x')).status !== 401
  );
  await server.storage.write(writer => setUserDisabled(writer, otherCaller.id, true))
  sending.end(lines({ id: 'long' }).slice(1))
  assert.deepEqual(await replied, {
    status: 200,
    body: {
      ...{ accepted: 1, documents: 1, replaced: 0, rejected: 0, errors: [] },
      emptyFields: ['title', 'pages'],
    },
  })
})
