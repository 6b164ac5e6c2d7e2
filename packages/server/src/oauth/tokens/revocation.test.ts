import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTestApplication } from '#oauth/test-application'
import { startTestServer } from '#oauth/test-server'
import { addSecret, updateClient } from '#storage/clients'
import { removeMember } from '#storage/members'
import { patienceMs } from '#test-wait'

const server = await startTestServer()
after(() => server.close())
const { baseUrl } = server
type Account = { id: string; secret: string }
const account = await server.newAccount()
const colleague = await server.newAccount()
const elsewhere = await server.newAccount({}, (await server.newWorkspace()).id)

const newToken = async (of: Account = account) => String((await server.token(of)).json.access_token)
const credentials = ({ id, secret }: Account) => `client_id=${id}&client_secret=${secret}`
const revoke = (token: string, by: Account = account, rest = '') =>
  server.form('/oauth/revoke', `token=${token}&${credentials(by)}${rest}`)
const introspect = async (token: string, by: Account = account) =>
  (await server.form('/oauth/introspect', `token=${token}&${credentials(by)}`)).json
const query = (token: string) => server.identify(token, `${baseUrl}/4/w/api/a`)

test('a revoked access token is refused by the query service on the very next request (RFC 7009)', async () => {
  const [token, other] = [await newToken(), await newToken()]
  await query(token)
  const reply = await revoke(token)
  assert.equal(reply.status, 200)
  assert.equal(reply.text, '{}', 'libraries that expect JSON read it')
  assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(reply.headers.get('cache-control'), 'no-store')
  await assert.rejects(query(token), /revoked/)
  await query(other)
  assert.equal((await revoke(token)).status, 200, 'again is no error')
})

test('the cached token of a connection counts for no other token, and ends with its revocation', async () => {
  const [token, other] = [await newToken(), await newToken(colleague)]
  const connection = {}
  const identifySubject = async (sent: string) =>
    (
      await server.bearer.identify(
        { headers: { authorization: `Bearer ${sent}` } },
        `${baseUrl}/4/w/api/a`,
        connection,
      )
    ).subject
  assert.equal(await identifySubject(token), account.id)
  assert.equal(await identifySubject(token), account.id)
  assert.equal(await identifySubject(other), colleague.id)
  assert.equal(await identifySubject(token), account.id)
  await assert.rejects(identifySubject(`${token}A`), /signature/)
  await assert.rejects(
    server.bearer.identify(
      { headers: { authorization: `Bearer ${token}` } },
      'https://other.test/4/w',
      connection,
    ),
    /audience|service/,
  )
  await revoke(token)
  await assert.rejects(identifySubject(token), /revoked/)
})

test('hints, right, wrong and unknown, change nothing', async () => {
  for (const hint of ['access_token', 'refresh_token', 'whatever']) {
    const token = await newToken()
    assert.equal((await revoke(token, account, `&token_type_hint=${hint}`)).status, 200)
    await assert.rejects(query(token), /revoked/)
  }
})

test('revoking an unknown token is no error (RFC 7009, section 2.2)', async () => {
  const token = await newToken()
  const forged = `${token.slice(0, -4)}AAAA`
  for (const value of ['nonsense', forged, 'eyJhbGciOiJub25lIn0.e30.', 'a.b.c'])
    assert.equal((await revoke(value)).status, 200, value)
  await query(token)
})

test('nobody revokes the token of another client', async () => {
  const token = await newToken()
  for (const otherClient of [colleague, elsewhere]) {
    const reply = await revoke(token, otherClient)
    assert.equal(reply.status, 400)
    assert.equal(reply.json.error, 'invalid_grant')
  }
  await query(token)
})

test('revocation and introspection ask the client to authenticate', async () => {
  const token = await newToken()
  for (const path of ['/oauth/revoke', '/oauth/introspect']) {
    const wrong = await server.form(path, `token=${token}&client_id=${account.id}&client_secret=wrong`)
    assert.equal(wrong.status, 401)
    assert.equal(wrong.json.error, 'invalid_client')
    const anonymousReply = await server.form(path, `token=${token}`)
    assert.equal(anonymousReply.status, 401)
    assert.equal(anonymousReply.json.error, 'invalid_client')
    const missing = await server.form(path, credentials(account))
    assert.equal(missing.status, 400)
    assert.match(String(missing.json.error_description), /token/)
  }
  await query(token)
})

test('introspection tells the claims of an access token (RFC 7662)', async () => {
  const token = await newToken()
  const { jti, iat, exp, ...rest } = await introspect(token)
  assert.deepEqual(rest, {
    active: true,
    iss: `${server.authUrl}/`,
    sub: account.id,
    aud: baseUrl,
    client_id: account.id,
    scope: '',
    token_type: 'Bearer',
  })
  assert.ok(jti)
  assert.equal(Number(exp) - Number(iat), 900)
  assert.equal((await introspect(token, colleague)).active, true, 'to a client of the same workspace')
  const reply = await server.form('/oauth/introspect', `token=${token}&${credentials(account)}`)
  assert.equal(reply.headers.get('cache-control'), 'no-store')
})

test('introspection says active false, and no more, to a client of another workspace', async () => {
  assert.deepEqual(await introspect(await newToken(), elsewhere), { active: false })
  assert.deepEqual(await introspect(await newToken(elsewhere)), { active: false })
})

test("the server's own client may introspect; a public application may not (RFC 7662, section 2.1)", async () => {
  const token = await newToken()
  assert.equal((await introspect(token, await server.newOwnClient())).active, true)
  const id = await server.newApplication({ type: 'browser' })
  const reply = await server.form('/oauth/introspect', `token=${token}&client_id=${id}`)
  assert.equal(reply.status, 401)
  assert.equal(reply.json.error, 'invalid_client')
})

test('tokens that are unknown, forged, revoked or of a disabled account are not active', async () => {
  const token = await newToken()
  for (const value of ['nonsense', 'eyJhbGciOiJub25lIn0.e30.', `${token.slice(0, -4)}AAAA`])
    assert.deepEqual(await introspect(value), { active: false }, value)
  await revoke(token)
  assert.deepEqual(await introspect(token), { active: false })
  const theirs = await newToken(colleague)
  await server.storage.write(writer => updateClient(writer, colleague.id, { disabled: true }))
  assert.deepEqual(await introspect(theirs), { active: false })
})

test('the token of a removed member is not active', async () => {
  const application = await openTestApplication(server, { type: 'server' })
  const person = await server.newPerson()
  const { access_token } = await application.signIn(person.id, { audience: baseUrl })
  const asker = { id: application.id, secret: application.secret ?? '' }
  assert.equal((await introspect(String(access_token), asker)).active, true)
  await server.storage.write(writer => removeMember(writer, server.workspace.id, person.id))
  assert.deepEqual(await introspect(String(access_token), asker), { active: false })
})

test('an expired token is not active', async t => {
  const token = await newToken()
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 16 * 60 * 1000 })
  // The change feed has to be heard at the new time, else the directory takes storage for away.
  await t.waitFor(() => assert.ok(server.storage.silentMs() <= 1000), { timeout: patienceMs })
  const answer = await introspect(token)
  t.mock.timers.reset()
  assert.deepEqual(answer, { active: false })
})

test('a confidential application may revoke and introspect, though no grant is open to it yet', async () => {
  const id = await server.newApplication({ type: 'server' })
  const { secret } = await server.storage.write(writer => addSecret(writer, id, null))
  assert.equal((await introspect(await newToken(), { id, secret })).active, true)
  assert.equal((await revoke('nonsense', { id, secret })).status, 200)
})
