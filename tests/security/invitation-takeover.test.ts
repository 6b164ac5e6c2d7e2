/** An invitation must not give the inviter an account with somebody else's address (docs/people.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestMailServer, type TestMailServer } from '#server/accounts/test-mail'
import { waitUntil } from '#server/test-wait'
import { openPerson } from '#tests/support/person'
import { consoleToken } from '#tests/support/query-sign-in'
import { type StartedServer, startServer } from '#tests/support/started-server'

const victim = 'victim@corp.example'
let server: StartedServer
let mailServer: TestMailServer

before(async () => {
  mailServer = await openTestMailServer()
  process.env.QUERENT_SMTP_URL = mailServer.smtpUrl
  process.env.QUERENT_MAIL_FROM = 'Search <search@example.org>'
  server = await startServer()
})
after(async () => {
  await server.stop()
  await mailServer.close()
})

/** Creates a user with a password who administers a new workspace, and returns a caller of the management API. */
const createAdministrator = async (workspace: string) => {
  const [email, password] = [`adm-${workspace}@example.org`, `correct horse of ${workspace}`]
  await server.applyWorkspace(`workspace: ${workspace}\n`)
  await server.call('createUser', { input: { email, password } })
  await server.call('setMember', { params: { workspace, email }, input: { roles: ['administrator'] } })
  return callerWith(await consoleToken(server, openPerson(server, email, password)))
}

const callerWith = (token: string) => async (method: string, path: string, body?: object) => {
  const reply = await fetch(`${server.authUrl}/manage/v1/workspaces/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  // Replies of several operations. Each test reads only the fields that it checks.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  return { status: reply.status, body: (await reply.json()) as any }
}

/** Returns the link of this kind in the latest mail that has one. */
const linkInMail = (kind: 'invitation' | 'password/reset'): string => {
  const pattern = new RegExp(`${server.authUrl}/${kind}/[\\w-]+`)
  const link = mailServer.letters
    .findLast(({ content }) => pattern.test(content))
    ?.content.match(pattern)?.[0]
  assert.ok(link, mailServer.letters.map(({ content }) => content).join('\n'))
  return link
}

test('an inviter who registers the invited address gets no membership that other workspaces give to it', async () => {
  const [alpha, beta, gamma] = [
    await createAdministrator('alpha'),
    await createAdministrator('beta'),
    await createAdministrator('gamma'),
  ]
  const member = { roles: ['administrator'] }

  const invited = await alpha('POST', 'alpha/invitations', { email: victim, ...member })
  const attacker = openPerson(server, victim, 'the password of the attacker')
  await assert.rejects(attacker.completeFlow(invited.body.url), /stopped at \/invitation\/.*\/joined: 200/)
  const attackerToken = await consoleToken(server, attacker)
  const asAttacker = callerWith(attackerToken)
  assert.equal((await asAttacker('GET', 'alpha/members')).status, 200, 'the link gives membership there')
  const listed = await alpha('GET', `alpha/members?search=${victim}`)
  assert.equal(listed.body.items[0].emailVerified, false)

  const reply = await beta('PUT', `beta/members/${victim}`, member)
  assert.deepEqual([reply.status, reply.body.email, reply.body.mailed], [202, victim, true])
  const applied = await server.applyWorkspace(`workspace: gamma\nmembers: { ${victim}: [administrator] }\n`)
  assert.equal((applied as { invitations: object[] }).invitations.length, 1)
  for (const workspace of ['beta', 'gamma'])
    assert.equal((await asAttacker('GET', `${workspace}/members`)).status, 403, workspace)

  const owner = openPerson(server, victim, 'the password of the victim')
  await assert.rejects(owner.completeFlow(`${server.authUrl}/password/forgot`), /stopped at \/password\/sent/)
  await waitUntil(() => mailServer.letters.some(({ content }) => content.includes('/password/reset/')))
  await assert.rejects(owner.completeFlow(linkInMail('password/reset')), /stopped at \/password\/changed/)
  assert.equal((await asAttacker('GET', 'alpha/members')).status, 401, 'the attacker is signed out')
  await assert.rejects(consoleToken(server, openPerson(server, victim, 'the password of the attacker')))

  await assert.rejects(owner.completeFlow(reply.body.url), /stopped at \/invitation\/.*\/joined: 200/)
  const asOwner = callerWith(await consoleToken(server, owner))
  assert.equal((await asOwner('GET', 'beta/members')).status, 200)
  const now = await gamma('PUT', `gamma/members/${victim}`, { roles: ['api'] })
  assert.deepEqual(
    [now.status, now.body.emailVerified],
    [200, true],
    'a confirmed address needs no invitation',
  )
})

test('the link of the mail confirms the address', async () => {
  const delta = await createAdministrator('delta')
  const email = 'honest@corp.example'
  const mailCount = mailServer.letters.length
  const reply = await delta('PUT', `delta/members/${email}`, { roles: ['user'] })
  assert.equal(reply.status, 202)
  await waitUntil(() => mailServer.letters.length > mailCount)
  const person = openPerson(server, email, 'a password of nine words')
  await assert.rejects(
    person.completeFlow(linkInMail('invitation')),
    /stopped at \/invitation\/.*\/joined: 200/,
  )
  const { body } = await delta('GET', `delta/members?search=${email}`)
  assert.deepEqual([body.items[0].roles, body.items[0].emailVerified], [['user'], true])
})
