/** The console's own client, which gives people access to their account, even without a membership. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type Library, makeLibrary } from '#tests/support/library'
import { makeMember, openPerson, type Person } from '#tests/support/person'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
let member: Person
let stranger: Person
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
  member = await makeMember(server, library.workspace, 'reader@example.org')
  const [email, password] = ['stranger@example.org', 'a long phrase of a stranger']
  await server.call('createUser', { input: { email, password } })
  stranger = openPerson(server, email, password)
})
after(() => server?.stop())

const token = async (parameters: Record<string, string>) => {
  const body = new URLSearchParams({ client_id: 'console', ...parameters })
  const reply = await fetch(`${server.authUrl}/oauth/token`, { method: 'POST', body })
  // Token replies of RFC 6749, section 5.
  return { status: reply.status, body: (await reply.json()) as Record<string, string> }
}

/** Returns the tokens of a sign-in through the console, and the headings of the pages. */
const signIn = async (person: Person, audience: string) => {
  const redirectUri = `${server.authUrl}/console/callback`
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: 'console',
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid offline_access',
    audience,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const pages: string[] = []
  const landed = await person.completeFlow(`${server.authUrl}/authorize?${query}`, pages)
  assert.equal(landed.origin + landed.pathname, redirectUri)
  const code = landed.searchParams.get('code') ?? ''
  const { status, body } = await token({
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  })
  assert.equal(status, 200, JSON.stringify(body))
  const { access_token: access = '', refresh_token: refresh = '', id_token: idToken = '' } = body
  return { access, refresh, idToken, pages }
}

const manage = (accessToken: string, path: string, method = 'GET') =>
  fetch(`${server.authUrl}/manage/v1${path}`, { method, headers: { authorization: `Bearer ${accessToken}` } })
const query = async (accessToken: string) => {
  const address = `${server.baseUrl}/4/library/api/library/e/all/count`
  return (await fetch(address, { headers: { authorization: `Bearer ${accessToken}` } })).status
}

test('anyone with an account can list and end their own sessions and consents through the console, and nothing else', async () => {
  const { access, refresh, pages } = await signIn(stranger, `${server.authUrl}/manage/`)
  assert.equal(pages.length, 1, 'one page, to sign in: the console is ours and asks for no consent')
  assert.equal((await manage(access, '/me')).status, 200)
  for (const path of ['/users', `/workspaces/${library.workspace}/members`, '/workspaces/none/members'])
    assert.equal((await manage(access, path)).status, 403, path)
  assert.deepEqual(await (await manage(access, '/me/consents')).json(), { items: [], next: null })
  assert.equal(await query(access), 401, 'a token for the management API is none for queries')

  const renewed = await token({ grant_type: 'refresh_token', refresh_token: refresh })
  assert.equal(renewed.status, 200)
  const listed = await manage(String(renewed.body.access_token), '/me/sessions')
  const { items } = (await listed.json()) as { items: { id: string; current: boolean }[] }
  assert.deepEqual(
    items.map(({ current }) => current),
    [true],
  )
  const session = `/me/sessions/${items[0]?.id}`
  assert.equal((await manage(String(renewed.body.access_token), session, 'DELETE')).status, 204)
  assert.equal((await manage(String(renewed.body.access_token), '/me')).status, 401, 'it ended with it')
})

test('signing out in one tab ends the tokens of all tabs, for the management API and for queries', async () => {
  const carol = await makeMember(server, library.workspace, 'carol@example.org', 'administrator')
  const manages = `${server.authUrl}/manage/`
  const one = await signIn(carol, manages)
  const otherTokens = [await signIn(carol, manages), await signIn(carol, server.baseUrl)]
  const elsewhere = await signIn(openPerson(server, carol.email, carol.password), manages)
  const apply = (accessToken: string, dryRun: boolean) =>
    fetch(`${server.authUrl}/manage/v1/apply`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ source: 'workspace: library\ntitle: Changed after signing out\n', dryRun }),
    })
  assert.equal((await apply(otherTokens[0]?.access ?? '', true)).status, 200)
  assert.equal(await query(otherTokens[1]?.access ?? ''), 200)

  const signOut = new URLSearchParams({
    id_token_hint: one.idToken,
    client_id: 'console',
    post_logout_redirect_uri: `${server.authUrl}/console/`,
  })
  const landed = await carol.completeFlow(`${server.authUrl}/logout?${signOut}`)
  assert.equal(landed.pathname, '/console/')
  for (const { access, refresh } of [one, ...otherTokens]) {
    assert.equal((await apply(access, false)).status, 401)
    assert.equal(await query(access), 401)
    const renewed = await token({ grant_type: 'refresh_token', refresh_token: refresh })
    assert.equal(renewed.body.error, 'invalid_grant')
  }
  assert.equal((await manage(elsewhere.access, '/me')).status, 200, 'her other browser is signed in still')
})

test('the console gives access to a workspace to its members only', async () => {
  const memberTokens = await signIn(member, server.baseUrl)
  assert.equal(await query(memberTokens.access), 200)
  const returningStranger = openPerson(server, stranger.email, stranger.password)
  const strangerTokens = await signIn(returningStranger, server.baseUrl)
  assert.equal(await query(strangerTokens.access), 403)
})

test('the console is a public client with one redirect URI, and gets no token without a person', async () => {
  const machine = await token({ grant_type: 'client_credentials', audience: server.baseUrl })
  assert.equal(machine.body.error, 'unauthorized_client')
  const query = new URLSearchParams({
    client_id: 'console',
    response_type: 'code',
    redirect_uri: 'http://localhost:9/console/callback',
  })
  const elsewhere = await fetch(`${server.authUrl}/authorize?${query}`, { redirect: 'manual' })
  assert.equal(elsewhere.status, 400)
})
