/**
 * A full disk: changes get 503 with the reason, everything else works, nothing acknowledged is lost, and the server recovers by itself once
 * there is space. `prlimit --fsize` simulates it without privileges: no file of the server may grow.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { type Library, makeLibrary } from '#tests/support/library'
import { makeMember, openPerson, type Person } from '#tests/support/person'
import { consoleToken } from '#tests/support/query-sign-in'
import { fetchToken, type ServerProcess, startServerProcess } from '#tests/support/started-server'

let server: ServerProcess
let library: Library
let editor: Person
let token: string
before(async () => {
  server = await startServerProcess()
  library = await makeLibrary(server)
  editor = await makeMember(server, 'library', 'grace@example.org', 'administrator')
  token = await consoleToken(server, editor, `${server.baseUrl}/`)
})
after(() => server.stop())

/** Limits the size of every file that the server writes. Existing content stays. */
const limitFiles = (bytes: number | 'unlimited') =>
  execFileSync('prlimit', ['--pid', String(server.pid()), `--fsize=${bytes}:`])

const documents = () => `${server.baseUrl}/4/library/collections/books/documents`
const lines = (name: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => {
    const id = `${name}-${from + index}`
    return `${JSON.stringify({ id, title: `${name} volume ${from + index} of a long row`, genre: [name], pages: index })}\n`
  }).join('')
const send = (method: string, path: string, body?: string, type = 'application/x-ndjson') =>
  fetch(`${documents()}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body }),
  })
const putDocument = (id: string) =>
  send('PUT', `/${id}`, JSON.stringify({ title: id, genre: [], pages: 1 }), 'application/json')
const total = async (path: string): Promise<number> => {
  const reply = await library.get(`${path}/count`)
  assert.equal(reply.status, 200)
  // The contract's reply to a count.
  return ((await reply.json()) as { total: number }).total
}
/** Returns how many documents are stored, and how many different ids a search finds. */
const storedAndFound = async () => {
  let stored = 0
  for (let next: string | undefined = ''; next !== undefined; ) {
    const reply = await send('GET', `?count=1000${next && `&after=${encodeURIComponent(next)}`}`)
    // The contract's reply to a listing of documents.
    const page = (await reply.json()) as { items: unknown[]; next?: string | null }
    stored += page.items.length
    next = page.next ?? undefined
  }
  const foundIds: (string | undefined)[] = []
  for (let offset = 0; offset < (await total('library/e/all')); offset += 100) {
    const reply = await library.get(`library/e/all/results?offset=${offset}&count=100`)
    // Results of the contract.
    const { items } = (await reply.json()) as { items: { tuple: { id: string }[] }[] }
    foundIds.push(...items.map(({ tuple }) => tuple[0]?.id))
  }
  return { stored, found: foundIds.length, different: new Set(foundIds).size }
}
const assertDiskFull = async (response: Promise<Response>) => {
  const reply = await response
  const body = await reply.text()
  assert.equal(reply.status, 503, body)
  assert.ok(Number(reply.headers.get('retry-after')) >= 1)
  assert.match(body, /the disk .*is full/)
}

test('a disk that fills up during an import loses no acknowledged document', async () => {
  assert.equal((await send('POST', '', lines('kept', 0, 1000))).status, 200)
  const broken = request(documents(), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
  })
  broken.write(lines('broken', 0, 3000))
  const stored = async () => (await send('GET', '/broken-999')).status
  while ((await stored()) !== 200);
  limitFiles(0)
  broken.end(lines('broken', 3000, 4000))
  const [reply] = await once(broken, 'response')
  assert.equal(reply.statusCode, 503)
  assert.ok(Number(reply.headers['retry-after']) >= 1)
  assert.match(
    Buffer.concat(await reply.toArray()).toString(),
    /"message":"the disk .*is full.*"code":"unavailable"/,
  )

  // Queries continue over the acknowledged documents.
  assert.equal(await total('library/e/genre:FILTER/p/value/kept'), 1000)
  assert.equal(await total('library/e/book/p/id/b001'), 1)
  const facet = await library.get('library/e/search/p/query/river/e/genre/results')
  assert.equal(facet.status, 200)
  assert.equal((await send('GET', '/b001')).status, 200)
  // Changes are rejected with the reason.
  await assertDiskFull(putDocument('single'))
  await assertDiskFull(send('POST', '', lines('more', 0, 10)))
  await assertDiskFull(send('POST', '?wait=false', lines('more', 0, 10)))
  await assertDiskFull(send('POST', '?strict=true', lines('more', 0, 10)))
  await assertDiskFull(send('POST', '?replace=true', lines('more', 0, 10)))
  await assertDiskFull(send('DELETE', '/b001'))
  await assertDiskFull(send('DELETE', '?genre=kept'))

  limitFiles('unlimited')
  // The server finds the accepted documents of the broken import by itself. Sending them again adds no duplicates.
  assert.equal((await putDocument('single')).status, 200)
  const secondImport = await send('POST', '', lines('broken', 0, 4000))
  assert.deepEqual(await secondImport.json(), {
    accepted: 4000,
    documents: 4000,
    replaced: 0,
    rejected: 0,
    errors: [],
  })
  const allDocuments = { stored: 5201, found: 5201, different: 5201 }
  assert.deepEqual(await storedAndFound(), allDocuments)
  assert.equal(await total('library/e/search/p/query/more'), 0)
  await server.kill()
  await server.restart()
  assert.deepEqual(await storedAndFound(), allDocuments)
})

test('documents written before the disk was full can be found once there is space, without further writes', async () => {
  assert.equal((await send('POST', '?wait=false', lines('early', 0, 500))).status, 200)
  limitFiles(0)
  const foundCount = await total('library/e/genre:FILTER/p/value/early')
  assert.ok(foundCount === 0 || foundCount === 500)
  await assertDiskFull(send('POST', '', lines('early', 0, 500)))
  limitFiles('unlimited')
  while ((await total('library/e/genre:FILTER/p/value/early')) !== 500);
})

test('a disk that fills up at any point of an import loses no acknowledged document', async () => {
  const totalBefore = await total('library/e/all')
  for (const bytes of [32 * 1024, 300_000, 1024 * 1024, 2_500_000]) {
    const name = `limit${bytes}`
    limitFiles(bytes)
    await assertDiskFull(send('POST', '', lines(name, 0, 20_000)))
    await total('library/e/all')
    limitFiles('unlimited')
    assert.equal((await send('POST', '', lines(name, 0, 20_000))).status, 200)
    assert.equal(await total(`library/e/genre:FILTER/p/value/${name}`), 20_000)
    assert.equal((await send('DELETE', `?genre=${name}`)).status, 200)
    assert.equal(await total('library/e/all'), totalBefore)
  }
})

test('on a full disk, the authorization server issues tokens to accounts, and rejects operations that have to write', async () => {
  const parameters = new URLSearchParams({
    client_id: 'console',
    response_type: 'code',
    redirect_uri: `${server.authUrl}/console/callback`,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  limitFiles(0)
  await fetchToken(server, library)
  const page = await fetch(`${server.authUrl}/authorize?${parameters}`, { redirect: 'manual' })
  assert.equal(page.status, 503)
  assert.match(await page.text(), /Service unavailable/)
  await assert.rejects(consoleToken(server, openPerson(server, editor.email, editor.password)), /503/)
  await assert.rejects(
    server.run(['s2s', 'create', 'library', 'late', '--role', 'api']),
    /the disk .*is full/,
  )
  limitFiles('unlimited')
  const credentials = await server.run(['s2s', 'create', 'library', 'late', '--role', 'api'])
  // The JSON reply of `querent s2s create`.
  assert.ok(await fetchToken(server, credentials as { clientId: string; clientSecret: string }))
  await consoleToken(server, openPerson(server, editor.email, editor.password))
})
