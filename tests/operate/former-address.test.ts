/** A server that moved to another address says what no longer works, and default audiences follow (docs/operate.md, "Another address"). */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import Database from 'better-sqlite3'
import { decodeJwt } from 'jose'
import { freePort } from '#bench/peers/start'
import { launcher, runQuerent } from '#tests/support/command-line'
import { type Library, makeLibrary } from '#tests/support/library'
import { makeMember, openPerson, type Person } from '#tests/support/person'
import { type ServerProcess, startServerProcess, waitUntilReady } from '#tests/support/started-server'

const redirectUri = 'http://127.0.0.1:5555/callback'
// RFC 7636, appendix B.
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

let server: ServerProcess
let library: Library
let clientId: string
let member: Person
let keyOwner: Person
let moved: ChildProcess
let movedLog = ''
let baseUrl: string
let authUrl: string
let data: string

before(async () => {
  server = await startServerProcess()
  library = await makeLibrary(server)
  member = await makeMember(server, 'library', 'grace@example.org')
  keyOwner = await makeMember(server, 'library', 'linus@example.org')
  const application = await server.run([
    ...['apps', 'create', 'library', 'Reader', '--type', 'native', '--redirect-uri', redirectUri],
    ...['--default-audience', server.baseUrl],
  ])
  clientId = String(Object(application).clientId)
  await server.shutDown()
  const database = new Database(join(server.data, 'querent.db'))
  // As an earlier version stored it, without a host name.
  database
    .prepare(
      `insert into passkeys (id, user_id, name, public_key, counter, transports_json, synced, created_at)
       select 'credential', id, 'Laptop', 'k', 0, '[]', 0, 0 from users where email = ?`,
    )
    .run(keyOwner.email)
  database.close()
  await server.restart()
  const backup = join(server.data, '..', 'b.backup')
  await server.run(['backup', backup])
  await server.shutDown()
  data = join(server.data, '..', 'moved')
  const restored = await runQuerent(['restore', backup, '--data', data])
  assert.equal(restored.code, 0, restored.stderr)
  const [port, authPort] = [await freePort(), await freePort()]
  baseUrl = `http://localhost:${port}`
  authUrl = `http://localhost:${authPort}`
  const addresses = ['--base-url', baseUrl, '--auth-url', authUrl]
  moved = spawn(
    launcher,
    ['serve', '--data', data, '--json', '--port', `${port}`, '--auth-port', `${authPort}`, ...addresses],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  for (const stream of [moved.stdout, moved.stderr])
    stream?.on('data', chunk => {
      movedLog += chunk
    })
  await waitUntilReady(moved)
})
after(async () => {
  if (moved?.exitCode === null) {
    const exit = once(moved, 'exit')
    moved.kill('SIGTERM')
    await exit
  }
  await server?.stop()
})

const authorizeUrl = () =>
  `${authUrl}/authorize?${new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })}`

test('an application with a default audience of the former address gets tokens for the current one', async () => {
  const person = openPerson({ authUrl }, member.email, member.password)
  const { searchParams } = await person.completeFlow(authorizeUrl())
  assert.equal(searchParams.get('error'), null, String(searchParams))
  const reply = await fetch(`${authUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      code: searchParams.get('code') ?? '',
      redirect_uri: redirectUri,
      code_verifier: verifier,
    }),
  })
  // The reply of RFC 6749, section 5.1.
  const { access_token: token } = (await reply.json()) as { access_token: string }
  assert.deepEqual([decodeJwt(token).aud].flat(), [baseUrl, `${authUrl}/userinfo`])
  const query = await fetch(`${baseUrl}/4/library/api/library/e/all/count`, {
    headers: { authorization: `Bearer ${token}` },
  })
  assert.equal(query.status, 200)
})

test('the pages say which address a passkey belongs to, and what to do', async () => {
  const person = openPerson({ authUrl }, keyOwner.email, keyOwner.password)
  const pages: string[] = []
  const fill = (page: string, form: Record<string, string>) => {
    pages.push(page)
    return form
  }
  await assert.rejects(
    person.completeFlow(authorizeUrl(), [], fill),
    /Your passkey belongs to 127\.0\.0\.1, .*Enter a code below/s,
  )
  assert.match(pages[0] ?? '', /Passkeys of 127\.0\.0\.1, .* do not work here\. Use your password/)
})

test('doctor and the log name the former address and count what belongs to it', async () => {
  assert.match(movedLog, /"passkeys":1,"people":1,.*this server has another address than before/)
  const { stdout } = await runQuerent(['doctor', '--data', data, '--json'])
  // The value of `querent doctor --json`.
  const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; message: string }[] }
  const check = checks.find(({ name }) => name === 'former address')
  assert.equal(check?.state, 'warn')
  assert.match(check?.message ?? '', new RegExp(`was at ${server.authUrl} and ${server.baseUrl} until`))
  assert.match(check?.message ?? '', /passkeys of 127\.0\.0\.1 .*: 1; people .*: 1; applications .*: 1$/)
  assert.ok(library.clientId)
})
