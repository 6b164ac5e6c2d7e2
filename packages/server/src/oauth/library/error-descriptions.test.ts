import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTestApplication } from '#oauth/test-application'
import { startTestServer } from '#oauth/test-server'
import { setMember } from '#storage/members'

const server = await startTestServer()
after(() => server.close())
const { baseUrl, storage, workspace } = server
const application = await openTestApplication(server)
const person = await server.newPerson()
const words = (reply: { json: Record<string, unknown> }) => String(reply.json.error_description)

test('an audience that was missing at /authorize is named there, and no error asks for a parameter that was sent', async () => {
  const { parameters, verifier } = await application.authorize(person.id)
  const reply = await application.exchange(parameters.code, verifier, { audience: baseUrl })
  assert.equal(reply.json.error, 'invalid_target')
  assert.match(words(reply), /not requested at \/authorize: send it there/)
  assert.doesNotMatch(words(reply), /send audience=/)
})

test('/userinfo says which access token it takes, and takes that one', async () => {
  const ask = (token: unknown) => server.raw(`GET /userinfo HTTP/1.1\r\nAuthorization: Bearer ${token}`)
  const account = await server.newAccount()
  const forQueries = await server.token(account)
  const userinfoReply = await ask(forQueries.json.access_token)
  assert.deepEqual([userinfoReply.status, userinfoReply.json.error], [401, 'invalid_token'])
  assert.match(words(userinfoReply), /not of a sign-in with scope=openid/)
  const { access_token } = await application.signIn(person.id, { scope: 'openid' })
  assert.equal((await ask(access_token)).status, 200)
})

test('invalid_grant says that the person of a code is no longer a member', async () => {
  const leaving = await server.newPerson()
  const { parameters, verifier } = await application.authorize(leaving.id)
  const noMore = { workspaceId: workspace.id, subject: leaving.id, kind: 'user', filter: undefined } as const
  await storage.write(writer => setMember(writer, { ...noMore, roles: ['data-provider'] }))
  const reply = await application.exchange(parameters.code, verifier)
  assert.equal(reply.json.error, 'invalid_grant')
  assert.match(words(reply), /no longer a member/)
})

test('the error for a public application with an empty Basic header says to leave the header out', async () => {
  const basic = Buffer.from('some-page:').toString('base64')
  const reply = await server.form(
    '/oauth/token',
    'grant_type=refresh_token&refresh_token=x',
    `Authorization: Basic ${basic}`,
  )
  assert.equal(reply.status, 400)
  assert.match(words(reply), /public application .* client_id in the form body and no header/)
})

test('the error for an unusable parameter of /authorize lists the allowed values', async () => {
  const describe = async (parameters: Record<string, string>) => {
    const landed = await application.authorize(person.id, parameters)
    return landed.parameters.error_description
  }
  assert.match((await describe({ prompt: 'create' })) ?? '', /none.*login.*consent/)
  assert.match((await describe({ max_age: 'soon' })) ?? '', /whole number of seconds/)
  assert.match((await describe({ response_mode: 'carrier-pigeon' })) ?? '', /form_post/)
  assert.match((await describe({ id_token_hint: 'x' })) ?? '', /ID token of this server/)
  assert.match((await describe({ claims: '{' })) ?? '', /not JSON/)
})

test('a refresh with a scope that the token does not have says to leave it out', async () => {
  const tokens = await application.signIn(person.id, { scope: 'openid offline_access' })
  const reply = await application.refresh(tokens.refresh_token, { scope: 'openid email' })
  assert.equal(reply.json.error, 'invalid_scope')
  assert.match(words(reply), /leave scope out/)
})
