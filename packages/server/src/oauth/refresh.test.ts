/** Refresh tokens: rotation with its leeway, reuse, lifetimes, revocation and introspection. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import { hashRecordId, removeRecord } from '#storage/oidc-records'
import { freshDatabase } from '#storage/test-postgres'
import { setUserDisabled } from '#storage/users'
import {
  longestLifetimeSeconds,
  refreshIdleSeconds,
  refreshLongestSeconds,
  remainingSeconds,
} from './library/lifetime.ts'
import { openAuthorizationServer } from './provider/provider.ts'
import { openTestApplication } from './test-application.ts'
import { startTestServer } from './test-server.ts'
import { newPkce, openBrowser } from './test-sign-in.ts'

const server = await startTestServer()
after(() => server.close())
const { authUrl, baseUrl } = server
const person = await server.newPerson()
const application = await openTestApplication(server)
const offline = { scope: 'openid offline_access', audience: baseUrl }
const pkce = () => ({ code_challenge: newPkce().challenge, code_challenge_method: 'S256' })
const signIn = () => application.signIn(person.id, offline)

/** As if the token had been replaced, or made, so many seconds earlier: the server's clock cannot be moved. */
const age = async (token: unknown, column: 'consumed_at' | 'expires_at', seconds: number) => {
  const { db } = server.storage
  const id_hash = hashRecordId(String(token))
  const row = await db
    .selectFrom('oidc_records')
    .selectAll()
    .where('id_hash', '=', id_hash)
    .executeTakeFirstOrThrow()
  const payload = JSON.parse(row.payload_json)
  const payload_json =
    column === 'expires_at' ? JSON.stringify({ ...payload, exp: payload.exp - seconds }) : row.payload_json
  await db
    .updateTable('oidc_records')
    .set({ [column]: Number(row[column]) - seconds * 1000, payload_json })
    .where('id_hash', '=', id_hash)
    .execute()
}
const assertRefused = (reply: { status: number; json: Record<string, unknown> }) => {
  assert.equal(reply.status, 400, JSON.stringify(reply.json))
  assert.equal(reply.json.error, 'invalid_grant')
}

test('a refresh token gives an access token, an ID token and its own successor', async () => {
  const tokens = await signIn()
  const next = await application.refresh(tokens.refresh_token)
  assert.equal(next.status, 200, next.text)
  assert.notEqual(next.json.refresh_token, tokens.refresh_token)
  assert.equal(await server.query(String(next.json.access_token)), 200)
  assert.deepEqual(decodeJwt(String(next.json.access_token)).aud, [baseUrl, `${server.authUrl}/userinfo`])
  assert.equal(decodeJwt(String(next.json.id_token)).sub, person.id)
  assert.equal((await application.refresh(next.json.refresh_token)).status, 200)
})

test('a lost reply: the token just replaced gives a sibling for 30 s', async () => {
  const { refresh_token } = await signIn()
  const lostReply = await application.refresh(refresh_token)
  await age(refresh_token, 'consumed_at', 25)
  const siblingReply = await application.refresh(refresh_token)
  assert.equal(siblingReply.status, 200, siblingReply.text)
  assert.equal((await application.refresh(siblingReply.json.refresh_token)).status, 200)
  assert.equal(await server.query(String(lostReply.json.access_token)), 200)
})

test('two tabs at once: each gets tokens, and both go on', async () => {
  const { refresh_token } = await signIn()
  const tabs = await Promise.all([1, 2, 3].map(() => application.refresh(refresh_token)))
  assert.deepEqual(
    tabs.map(({ status }) => status),
    [200, 200, 200],
  )
  assert.equal(new Set(tabs.map(({ json }) => json.refresh_token)).size, 3)
  for (const { json } of tabs) assert.equal((await application.refresh(json.refresh_token)).status, 200)
})

test('RFC 9700 4.14: a token replaced more than 30 s ago ends the family, its access tokens too', async () => {
  const first = await signIn()
  const second = await application.refresh(first.refresh_token)
  await age(first.refresh_token, 'consumed_at', 31)
  assert.equal(await server.query(String(second.json.access_token)), 200)
  assertRefused(await application.refresh(first.refresh_token))
  assertRefused(await application.refresh(second.json.refresh_token))
  for (const { access_token } of [first, second.json])
    assert.equal(await server.query(String(access_token)), 401)
})

test('RFC 9700 4.14: a token whose successor was used ends the family, however fresh', async () => {
  const first = await signIn()
  const second = await application.refresh(first.refresh_token)
  const third = await application.refresh(second.json.refresh_token)
  assertRefused(await application.refresh(first.refresh_token))
  assertRefused(await application.refresh(third.json.refresh_token))
  assert.equal(await server.query(String(third.json.access_token)), 401)
})

test('RFC 9700 4.14: a token replaced ends the family when it comes back after its own 14 days too', async () => {
  const first = await signIn()
  const second = await application.refresh(first.refresh_token)
  await age(first.refresh_token, 'consumed_at', refreshIdleSeconds + 1)
  await age(first.refresh_token, 'expires_at', refreshIdleSeconds + 1)
  assertRefused(await application.refresh(first.refresh_token))
  assertRefused(await application.refresh(second.json.refresh_token))
  assert.equal(await server.query(String(second.json.access_token)), 401)
})

test('RFC 9700 4.14: a replaced token still ends its family if an earlier end was interrupted', async () => {
  const { db } = server.storage
  for (const isWhole of [true, false]) {
    const first = await signIn()
    const second = await application.refresh(first.refresh_token)
    if (isWhole) await age(first.refresh_token, 'consumed_at', 31)
    else await application.refresh(second.json.refresh_token)
    const { grant_id } = await db
      .selectFrom(isWhole ? 'oidc_records' : 'replaced_tokens')
      .select('grant_id')
      .where('id_hash', 'like', `${hashRecordId(String(first.refresh_token)).slice(0, 22)}%`)
      .executeTakeFirstOrThrow()
    // The library destroys it by itself, whatever became of the rest.
    await removeRecord(db, 'Grant', String(grant_id))
    assert.equal(await server.query(String(second.json.access_token)), 200)
    assertRefused(await application.refresh(first.refresh_token))
    for (const { access_token } of [first, second.json])
      assert.equal(await server.query(String(access_token)), 401)
  }
})

for (const database of ['SQLite', 'PostgreSQL'])
  test(`RFC 9700 4.14: of tokens replaced long ago little is kept, and each of them still ends its family, at another node too (${database})`, async t => {
    const connection = database === 'SQLite' ? {} : { connection: await freshDatabase() }
    const firstServer = await startTestServer(connection)
    const secondServer = await openAuthorizationServer(firstServer.dependencies)
    const elsewhere = createServer((request, response) => secondServer.handle(request, response))
    t.after(async () => {
      elsewhere.close()
      await secondServer.close()
      await firstServer.close()
    })
    await once(elsewhere.listen(0, '127.0.0.1'), 'listening')
    const { port } = elsewhere.address() as AddressInfo
    const member = await firstServer.newPerson()
    const client = await openTestApplication(firstServer)
    const { db } = firstServer.storage
    const asks = { ...offline, scope: 'openid email offline_access' }
    for (const scope of [undefined, 'openid email']) {
      const family = [await client.signIn(member.id, asks)]
      for (let day = 1; day <= 4; day++)
        family.push((await client.refresh(family.at(-1)?.refresh_token)).json)
      const [first, second] = family
      const newest = family.at(-1)
      const fullRows = await db
        .selectFrom('oidc_records')
        .select('expires_at')
        .where('model', '=', 'RefreshToken')
        .where('consumed_at', 'is not', null)
        .execute()
      // The one just replaced may have a sibling yet.
      assert.equal(fullRows.length, 1)
      // An access token of the last day outlives the last refresh token.
      const familyMs = (refreshLongestSeconds + longestLifetimeSeconds) * 1000
      assert.ok(Math.abs(Number(fullRows[0]?.expires_at) - Date.now() - familyMs) < 60_000)
      assert.equal(await firstServer.query(String(newest?.access_token)), 200)
      const refreshForm = new URLSearchParams({
        ...{ grant_type: 'refresh_token', client_id: client.id, ...(scope ? { scope } : {}) },
        refresh_token: String((scope ? second : first)?.refresh_token),
      })
      const replayed = await fetch(`http://127.0.0.1:${port}/oauth/token`, {
        method: 'POST',
        body: refreshForm,
      })
      assert.deepEqual([replayed.status, Object(await replayed.json()).error], [400, 'invalid_grant'])
      assertRefused(await client.refresh(newest?.refresh_token))
      for (const { access_token } of family) assert.equal(await firstServer.query(String(access_token)), 401)
    }
  })

test('OpenID Connect Core 12.2: the ID token of a refresh has no nonce', async () => {
  const tokens = await application.signIn(person.id, { ...offline, nonce: 'n1' })
  assert.equal(decodeJwt(String(tokens.id_token)).nonce, 'n1')
  const next = await application.refresh(tokens.refresh_token)
  assert.equal(decodeJwt(String(next.json.id_token)).nonce, undefined)
  assert.equal(decodeJwt(String(next.json.id_token)).sub, person.id)
})

test('replaying a token of one sign-in does not end another one, in the same browser or elsewhere', async () => {
  const browser = openBrowser(server.authUrl)
  const firstSignIn = await application.signIn(person.id, offline, { browser })
  const secondSignIn = await application.signIn(person.id, offline, { browser })
  const otherBrowserSignIn = await signIn()
  const next = await application.refresh(firstSignIn.refresh_token)
  await application.refresh(next.json.refresh_token)
  assertRefused(await application.refresh(firstSignIn.refresh_token))
  for (const signIn_ of [secondSignIn, otherBrowserSignIn]) {
    assert.equal((await application.refresh(signIn_.refresh_token)).status, 200)
    assert.equal(await server.query(String(signIn_.access_token)), 200)
  }
})

test('idle and absolute lifetime: a rotation prolongs, but not beyond 90 days after the sign-in', async () => {
  const { refresh_token } = await signIn()
  await age(refresh_token, 'expires_at', refreshIdleSeconds + 1)
  assertRefused(await application.refresh(refresh_token))
  const day = 24 * 60 * 60
  const remainingAfter = (sinceDays: number) =>
    remainingSeconds(refreshIdleSeconds, refreshLongestSeconds, 0, sinceDays * day)
  assert.deepEqual(
    [remainingAfter(0), remainingAfter(76), remainingAfter(80), remainingAfter(89)],
    [14 * day, 14 * day, 10 * day, day],
  )
  assert.equal(remainingAfter(91), 1)
})

test('an address of another service is invalid_target that names the right one', async () => {
  const { refresh_token } = await signIn()
  const { status, json } = await application.refresh(refresh_token, { audience: 'https://other.example' })
  assert.deepEqual([status, json.error], [400, 'invalid_target'])
  assert.match(String(json.error_description), /send audience=http:\/\/127/)
  assert.equal((await application.refresh(refresh_token)).status, 200, 'nothing was used up')
})

test('a narrower scope may be asked for, a wider one not', async () => {
  const tokens = await application.signIn(person.id, { ...offline, scope: 'openid email offline_access' })
  const narrow = await application.refresh(tokens.refresh_token, { scope: 'openid' })
  assert.equal(narrow.json.scope, 'openid')
  const wide = await application.refresh(narrow.json.refresh_token, { scope: 'openid profile' })
  assert.equal(wide.json.error, 'invalid_scope')
})

test('unknown scopes of a refresh are ignored; the reply names the granted ones', async () => {
  const tokens = await application.signIn(person.id, {
    ...offline,
    scope: 'openid email offline_access read',
  })
  assert.equal(tokens.scope, 'openid email offline_access')
  const narrow = await application.refresh(tokens.refresh_token, { scope: 'openid read write:all' })
  assert.equal(narrow.json.scope, 'openid')
  const renewed = await application.refresh(narrow.json.refresh_token, { scope: 'read' })
  assert.equal(renewed.json.scope, 'openid email offline_access')
})

test('audience need not be repeated; repeated in either spelling it holds, another is invalid_target', async () => {
  const { refresh_token } = await signIn()
  const slash = await application.refresh(refresh_token, { audience: `${baseUrl}/` })
  assert.equal(slash.status, 200, slash.text)
  const resource = await application.refresh(slash.json.refresh_token, { resource: baseUrl })
  assert.equal(resource.status, 200, resource.text)
  const otherReply = await application.refresh(resource.json.refresh_token, {
    audience: 'https://other.example',
  })
  assert.equal(otherReply.json.error, 'invalid_target')
})

test('RFC 7009: revoking a refresh token ends its grant at the query service; another client cannot', async () => {
  const tokens = await signIn()
  const otherApplication = await openTestApplication(server)
  const revoke = (client: string) =>
    server.form(
      '/oauth/revoke',
      `token=${tokens.refresh_token}&token_type_hint=refresh_token&client_id=${client}`,
    )
  assertRefused(await revoke(otherApplication.id))
  assert.equal(await server.query(String(tokens.access_token)), 200)
  assert.equal((await revoke(application.id)).status, 200)
  assert.equal(await server.query(String(tokens.access_token)), 401)
  assertRefused(await application.refresh(tokens.refresh_token))
})

test("RFC 7009: revoking a person's access token ends that token alone", async () => {
  const tokens = await signIn()
  await server.form('/oauth/revoke', `token=${tokens.access_token}&client_id=${application.id}`)
  assert.equal(await server.query(String(tokens.access_token)), 401)
  assert.equal((await application.refresh(tokens.refresh_token)).status, 200)
})

test('RFC 7662: refresh tokens and access tokens of people are active while they are, and only for those who may know', async () => {
  const confidential = await openTestApplication(server, { type: 'server' })
  const tokens = await confidential.signIn(person.id, offline)
  const ask = async (token: unknown, by = confidential) =>
    (await server.form('/oauth/introspect', `token=${token}&client_id=${by.id}&client_secret=${by.secret}`))
      .json
  const refresh = await ask(tokens.refresh_token)
  assert.equal(refresh.active, true)
  assert.equal(refresh.sub, person.id)
  assert.equal(refresh.client_id, confidential.id)
  const access = await ask(tokens.access_token)
  assert.deepEqual([access.active, access.sub], [true, person.id])
  assert.deepEqual(access.aud, [baseUrl, `${server.authUrl}/userinfo`])
  const elsewhere = await server.newWorkspace()
  const foreign = await openTestApplication(server, { type: 'server' }, elsewhere.id)
  const neighbor = await openTestApplication(server, { type: 'server' })
  assert.deepEqual(await ask(tokens.access_token, foreign), { active: false })
  assert.deepEqual(await ask(tokens.refresh_token, foreign), { active: false })
  assert.deepEqual(await ask(tokens.refresh_token, neighbor), { active: false })
  assert.equal((await ask(tokens.access_token, neighbor)).active, true)
  await confidential.token({}).then(() => confidential.refresh(tokens.refresh_token))
  await server.form(
    '/oauth/revoke',
    `token=${tokens.refresh_token}&client_id=${confidential.id}&client_secret=${confidential.secret}`,
  )
  assert.deepEqual(await ask(tokens.refresh_token), { active: false })
  assert.deepEqual(await ask(tokens.access_token), { active: false })
})

test('no secret, code, token, session or interaction stands in the data folder or the log in clear', async () => {
  const confidential = await openTestApplication(server, { type: 'server' })
  const browser = openBrowser(authUrl)
  const hints = {
    id_token_hint: String((await signIn()).id_token),
    login_hint: 'nobody-may-read@hint.example',
  }
  const waiting = await openBrowser(authUrl).go(`/authorize?${application.query({ ...pkce(), ...hints })}`)
  assert.match(waiting.url.pathname, /^\/interaction\//, waiting.text)
  const { parameters, verifier } = await confidential.authorize(person.id, offline, { browser })
  const reply = await confidential.exchange(parameters.code, verifier)
  await confidential.refresh(reply.json.refresh_token)
  await confidential.refresh('wrong-refresh-token-that-nobody-may-read')
  const secrets = [
    ...[parameters.code, verifier, confidential.secret],
    ...[reply.json.refresh_token, reply.json.access_token, reply.json.id_token],
    ...[...browser.jar.values()].map(({ value }) => value),
    waiting.url.pathname.split('/').at(-1),
    ...Object.values(hints),
    'wrong-refresh-token-that-nobody-may-read',
  ]
  const files = await Promise.all(
    (await readdir(server.folder)).map(name => readFile(join(server.folder, name), 'latin1')),
  )
  const storedText = files.join('') + JSON.stringify(server.logged)
  for (const secret of secrets) {
    assert.ok(String(secret).length > 20, String(secret))
    assert.ok(!storedText.includes(String(secret)), String(secret))
  }
})

test('a disabled user has no active refresh token', async () => {
  const confidential = await openTestApplication(server, { type: 'server' })
  const disabledPerson = await server.newPerson()
  const { refresh_token } = await confidential.signIn(disabledPerson.id, offline)
  const ask = async () =>
    (
      await server.form(
        '/oauth/introspect',
        `token=${refresh_token}&client_id=${confidential.id}&client_secret=${confidential.secret}`,
      )
    ).json.active
  assert.equal(await ask(), true)
  await server.storage.write(writer => setUserDisabled(writer, disabledPerson.id, true))
  assert.equal(await ask(), false)
})
