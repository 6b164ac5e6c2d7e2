/** A workspace that requires a second factor: tokens of weaker sign-ins open nothing there. */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { passwordLevel, twoFactorLevel } from '@querent/contract/authentication-levels'
import { AuthorizationError } from '#authz/authorization-error'
import { authorize } from '#authz/authorize'
import { openStorage } from '#storage/db'
import { setMember } from '#storage/members'
import { saveDefinition } from '#storage/workspaces'
import { patienceMs } from '#test-wait'
import { openTestApplication } from './test-application.ts'
import { startTestServer } from './test-server.ts'

const server = await startTestServer()
after(() => server.close())
const { workspace, storage, baseUrl } = server
const application = await openTestApplication(server, { own: true, type: 'server' })
const require = (requireSecondFactor: boolean, on = storage) =>
  on.write(writer =>
    saveDefinition(writer, workspace.id, { workspace: workspace.slug, settings: { requireSecondFactor } }),
  )
describe('a required second factor', () => {
  beforeEach(() => require(false))

  /** Tokens of a sign-in at this level. */
  const signIn = async (level: string, personId: string) => {
    const tokens = await application.signIn(
      personId,
      { resource: baseUrl, scope: 'openid offline_access' },
      { level },
    )
    return { access: String(tokens.access_token), refresh: String(tokens.refresh_token) }
  }
  /** The refusal of a query. */
  const refuse = async (token: string): Promise<AuthorizationError> => {
    const path = `/4/${workspace.slug}/api/main/e/all/results`
    const request = {
      request: { headers: { authorization: `Bearer ${token}` }, rawHeaders: [] },
      path,
      resourcePath: path,
      requestId: 'test',
      clientAddress: () => '127.0.0.1',
    }
    const { bearer, directory } = server
    const refusalLog = { record() {} } as unknown as Parameters<typeof authorize>[0]['refusalLog']
    const deps = { bearer, directory, refusalLog, activity: { record() {} }, origin: baseUrl }
    try {
      await authorize(deps, request, workspace.slug, 'query')
    } catch (error) {
      if (error instanceof AuthorizationError) return error
      throw error
    }
    throw new Error('the request was allowed')
  }

  test('the change takes effect on the next request, for tokens of before too, and back', async () => {
    const person = await server.newPerson()
    const weak = await signIn(passwordLevel, person.id)
    const strong = await signIn(twoFactorLevel, person.id)
    assert.deepEqual([await server.query(weak.access), await server.query(strong.access)], [200, 200])
    await require(true)
    assert.deepEqual([await server.query(weak.access), await server.query(strong.access)], [401, 200])
    await require(false)
    assert.equal(await server.query(weak.access), 200)
  })

  test('the refusal says what to do (RFC 9470, section 3)', async () => {
    const person = await server.newPerson()
    const { access } = await signIn(passwordLevel, person.id)
    await require(true)
    const refusal = await refuse(access)
    assert.deepEqual(
      [refusal.code, refusal.check.name],
      ['insufficient-user-authentication', 'second-factor'],
    )
    const { 'www-authenticate': challenge = '' } = refusal.headers
    assert.match(challenge, /error="insufficient_user_authentication"/)
    assert.match(challenge, new RegExp(`acr_values="${twoFactorLevel}"`))
  })

  test('a person who is not a member gets the same refusal as for a missing workspace', async () => {
    const stranger = await server.newPerson([])
    const member = await server.newPerson()
    const { access } = await signIn(passwordLevel, member.id)
    await require(true)
    assert.equal((await refuse(access)).check.name, 'second-factor')
    const otherWorkspace = await server.newWorkspace()
    const foreign = await openTestApplication(server, { own: true, type: 'server' }, otherWorkspace.id)
    await storage.write(writer =>
      setMember(writer, {
        workspaceId: otherWorkspace.id,
        subject: stranger.id,
        kind: 'user',
        roles: ['api'],
        filter: undefined,
      }),
    )
    const tokens = await foreign.signIn(stranger.id, { resource: baseUrl })
    assert.equal((await refuse(String(tokens.access_token))).check.name, 'client-workspace')
  })

  test('refresh tokens of weaker sign-ins give no more tokens; those of stronger ones do, at the same level', async () => {
    const person = await server.newPerson()
    const weak = await signIn(passwordLevel, person.id)
    const strong = await signIn(twoFactorLevel, person.id)
    await require(true)
    assert.equal((await application.refresh(weak.refresh)).json.error, 'invalid_grant')
    const { json } = await application.refresh(strong.refresh)
    assert.equal(await server.query(String(json.access_token)), 200)
  })

  test('System-to-System accounts are unaffected', async () => {
    const account = await server.newAccount()
    await storage.write(writer =>
      setMember(writer, {
        workspaceId: workspace.id,
        subject: account.id,
        kind: 'system-to-system',
        roles: ['api'],
        filter: undefined,
      }),
    )
    await require(true)
    const { json } = await server.token(account)
    assert.equal(await server.query(String(json.access_token)), 200)
  })

  test('a requirement that another node sets holds here within a second', async t => {
    const person = await server.newPerson()
    const { access } = await signIn(passwordLevel, person.id)
    assert.equal(await server.query(access), 200)
    const otherNode = await openStorage({ file: `${server.folder}/querent.sqlite` })
    t.after(() => otherNode.close())
    await require(true, otherNode)
    await t.waitFor(async () => assert.equal(await server.query(access), 401), { timeout: patienceMs })
  })

  test('a level that a client writes into its request raises nothing', async () => {
    const person = await server.newPerson()
    const tokens = await application.signIn(person.id, {
      resource: baseUrl,
      acr_values: `${twoFactorLevel} ${passwordLevel}`,
    })
    await require(true)
    assert.equal(await server.query(String(tokens.access_token)), 401)
  })
})
