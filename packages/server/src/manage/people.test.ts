/** Promises of the operations on people, besides permissions. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hashPassword, verifyPassword } from '#accounts/password-hash'
import { baseUrl } from '#authz/test-tokens'
import { linkIdentity, listIdentities } from '#storage/identity-providers'
import { acceptInvitation, createInvitation, findInvitationByToken } from '#storage/invitations'
import { findMember } from '#storage/members'
import { findRecord, saveRecord } from '#storage/oidc-records'
import { findOneTimeLink } from '#storage/one-time-links'
import { addProviderToken, findProviderToken } from '#storage/provider-tokens'
import { listSigningKeys, saveSigningKey } from '#storage/signing-keys'
import { createUser, findUser, findUserByEmail, setEmailVerified, setLanguage } from '#storage/users'
import { findWorkspace } from '#storage/workspaces'
import { openTestServer, type Person, signIn } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const book = '/manage/v1/workspaces/books'
const users = '/manage/v1/users'
const fetchStatus = async (person: Person, method: string, path: string, body?: unknown) =>
  (await server.call(person, method, path, body)).status
const invite = (body: object, person: Person = 'ada') =>
  server.call(person, 'POST', `${book}/invitations`, body)
const tokenIn = (url: string): string => url.slice(url.lastIndexOf('/') + 1)
const audited = (action: string) =>
  server.storage.db.selectFrom('audit').selectAll().where('action', '=', action).execute()
const newUser = async (email: string, password?: string) => {
  const passwordHash = password === undefined ? undefined : await hashPassword(password)
  const user = await server.storage.write(writer =>
    createUser(writer, { email, ...(passwordHash === undefined ? {} : { passwordHash }) }),
  )
  assert.ok(user)
  return user
}
const nameTold = async (email: string) => (await findUserByEmail(server.storage.db, email))?.name

describe('people without a name', () => {
  it('are shown by their address, which is not kept as their name', async () => {
    for (const [email, name] of [
      ['Nameless@Example.org', undefined],
      ['same@example.org', 'Same@example.org'],
    ] as const) {
      const { body } = await server.call('operator', 'POST', users, { email, name })
      assert.equal(body.name, email.toLowerCase())
      assert.equal(await nameTold(email), '')
    }
    const { body } = await server.call('operator', 'POST', users, { email: 'named@example.org', name: 'Nan' })
    assert.deepEqual([body.name, await nameTold('named@example.org')], ['Nan', 'Nan'])
  })
})

const isLeft = async ({ refreshToken }: { refreshToken: string }) =>
  (await findRecord(server.storage.db, 'RefreshToken', { id: refreshToken })) !== undefined

describe('invitations', () => {
  it('are a link to hand over, and a mail in the language that was asked for', async () => {
    const letter = server.mailServer.next()
    const filter = { genre: 'crime' }
    const { status, body } = await invite({
      email: 'Guest@Example.org',
      roles: ['api'],
      filter,
      language: 'nl',
    })
    assert.deepEqual([status, body.email, body.mailed, body.filter], [201, 'guest@example.org', true, filter])
    assert.match(body.url, /^http:\/\/127\.0\.0\.1:4001\/invitation\/qri_[A-Za-z0-9_-]{43}$/)
    const { to: recipient, content } = await letter
    assert.deepEqual(recipient, ['guest@example.org'])
    assert.ok(content.includes('ada nodigt u uit voor de werkruimte Books'))
    // Only the recipient of the mail has that link; the inviter has another one.
    const mailed = /\/invitation\/(qri_[\w-]+)/.exec(content)?.[1] ?? ''
    for (const [token, isMailed] of [
      [tokenIn(body.url), false],
      [mailed, true],
    ] as const) {
      const invitation = await findInvitationByToken(server.storage.db, token)
      assert.deepEqual([invitation?.id, invitation?.invitedBy], [body.id, server.ids.ada])
      assert.equal(invitation?.mailed, isMailed)
    }
  })
  it('say why no mail went out: refused for good, not yet, or an address that the mail server cannot write to', async () => {
    for (const [email, outcome] of [
      ['unknown@example.org', 'rejected'],
      ['busy@example.org', 'waiting'],
      ['jörg@example.org', 'unsupported'],
    ] as const) {
      const { status, body } = await invite({ email, roles: ['api'] })
      assert.deepEqual([status, body.mailed, body.mail], [201, false, outcome])
    }
    const byHand = await invite({ email: 'by-hand@example.org', roles: ['api'], mail: false })
    assert.equal(byHand.body.mail, 'none')
  })
  it('are for those who are no members, with roles and filters that there are', async () => {
    const member = await invite({ email: 'apollo@example.org', roles: ['api'] })
    assert.deepEqual([member.status, member.body.code], [409, 'conflict'])
    const bad = await invite({ email: 'x@example.org', roles: ['api'], filter: { colour: 'red' } })
    assert.match(bad.body.message, /^filter\.colour: no field "colour"/)
    assert.equal((await invite({ email: 'x@example.org', roles: [] })).status, 400)
  })
  it('are listed until they are accepted or withdrawn, without their links', async () => {
    const invitation = await invite({ email: 'listed@example.org', roles: ['user'] })
    const list = async () => {
      const { body } = await server.call('ada', 'GET', `${book}/invitations`)
      return body.items.find((item: { email: string }) => item.email === 'listed@example.org')
    }
    const item = await list()
    assert.deepEqual(
      [item.id, item.roles, item.invitedBy, item.expired, item.expiresAt],
      [invitation.body.id, ['user'], 'ada@example.org', false, invitation.body.expiresAt],
    )
    assert.doesNotMatch(JSON.stringify(item), /qri_/)
    const path = `${book}/invitations/${invitation.body.id}`
    assert.equal(await fetchStatus('eve', 'DELETE', path.replace('books', 'films')), 404)
    assert.equal(await fetchStatus('ada', 'DELETE', path), 204)
    assert.equal(await fetchStatus('ada', 'DELETE', path), 404)
    assert.equal(await list(), undefined)
  })
  it('are listed no more, and open nothing, once the person is a member by another way', async () => {
    const listed = async () => {
      const { body } = await server.call('ada', 'GET', `${book}/invitations`)
      return body.items.map((item: { email: string }) => item.email)
    }
    for (const email of ['set@example.org', 'applied@example.org'])
      await server.call('operator', 'POST', users, { email })
    const { body } = await invite({ email: 'Set@example.org', roles: ['user'] })
    await invite({ email: 'applied@example.org', roles: ['user'] })
    await server.call('ada', 'PUT', `${book}/members/set@example.org`, { roles: ['api'] })
    assert.ok((await listed()).includes('applied@example.org'))
    assert.ok(!(await listed()).includes('set@example.org'))
    const withdrawnInvitation = await findInvitationByToken(server.storage.db, tokenIn(body.url))
    assert.equal(withdrawnInvitation?.state, 'withdrawn')
    const source = 'workspace: fresh\ntitle: Fresh\n'
    const apply = (text: string) => server.call('operator', 'POST', '/manage/v1/apply', { source: text })
    await apply(source)
    const fresh = '/manage/v1/workspaces/fresh/invitations'
    const invited = await server.call('operator', 'POST', fresh, {
      email: 'applied@example.org',
      roles: ['user'],
    })
    assert.equal(invited.status, 201)
    assert.equal((await apply(`${source}members:\n  applied@example.org: [api]\n`)).status, 200)
    assert.deepEqual((await server.call('operator', 'GET', fresh)).body.items, [])
  })
  it('take the place of a membership for an address that is not confirmed, the same whether there is an account or not', async () => {
    await newUser('unproven@example.org')
    const shapes = []
    for (const email of ['unproven@example.org', 'absent@example.org']) {
      const path = `${book}/members/${email}`
      const { status, body } = await server.call('ada', 'PUT', path, {
        roles: ['user'],
        filter: { genre: 'a' },
      })
      assert.deepEqual([status, body.email, body.roles, body.filter], [202, email, ['user'], { genre: 'a' }])
      assert.equal((await findInvitationByToken(server.storage.db, tokenIn(body.url)))?.state, 'open')
      shapes.push(Object.keys(body))
      // Setting only roles never widens access.
      const secondReply = await server.call('ada', 'PUT', path, { roles: ['api'] })
      assert.deepEqual(
        [secondReply.status, secondReply.body.roles, secondReply.body.filter],
        [202, ['api'], { genre: 'a' }],
      )
    }
    assert.deepEqual(shapes[0], shapes[1])
    const user = await findUserByEmail(server.storage.db, 'unproven@example.org')
    assert.equal(await findMember(server.storage.db, server.books.id, user?.id ?? ''), undefined)
  })
  it('take the place of a membership in a workspace file too; applied again it changes nothing', async () => {
    await newUser('unproven-too@example.org')
    const source = (members: string) =>
      `workspace: guests\nmembers:\n  ada@example.org: [api]\n  unproven-too@example.org: ${members}\n`
    const apply = async (text: string, dryRun = false) =>
      (await server.call('operator', 'POST', '/manage/v1/apply', { source: text, dryRun })).body
    const dry = await apply(source('[api]'), true)
    assert.deepEqual([dry.invitations, dry.warnings.length, dry.warnings[0].line], [[], 1, 4])
    const first = await apply(source('[api]'))
    assert.deepEqual(
      first.invitations.map((invitation: { email: string }) => invitation.email),
      ['unproven-too@example.org'],
    )
    const members = '/manage/v1/workspaces/guests/members'
    const { body } = await server.call('operator', 'GET', members)
    assert.deepEqual(
      body.items
        .map((item: { email: string; emailVerified: boolean }) => [item.email, item.emailVerified])
        .sort(),
      [
        ['ada@example.org', true],
        ['operator@example.org', true],
      ],
    )
    const secondApply = await apply(source('[api]'))
    assert.deepEqual([secondApply.changes, secondApply.invitations, secondApply.warnings], [[], [], []])
    const changedApply = await apply(source('[user]'))
    assert.equal(changedApply.invitations.length, 1)
    const user = await findUserByEmail(server.storage.db, 'unproven-too@example.org')
    const open = await findInvitationByToken(server.storage.db, tokenIn(changedApply.invitations[0].url))
    await server.storage.write(writer => acceptInvitation(writer, open?.id ?? '', user?.id ?? ''))
    assert.deepEqual((await apply(source('[user]'))).changes, [])
  })
  it('are not needed to change the roles of a member, confirmed or not', async () => {
    const user = await newUser('joined-by-link@example.org')
    const { body } = await invite({ email: 'joined-by-link@example.org', roles: ['api'] })
    await server.storage.write(writer => acceptInvitation(writer, body.id, user.id))
    const reply = await server.call('ada', 'PUT', `${book}/members/joined-by-link@example.org`, {
      roles: ['user'],
    })
    assert.deepEqual([reply.status, reply.body.roles, reply.body.emailVerified], [200, ['user'], false])
    const listed = await server.call('operator', 'GET', `${users}?search=joined-by-link`)
    assert.equal(listed.body.items[0].emailVerified, false)
  })
  it('are mailed to one address five times an hour, from all workspaces together; then 429, or no mail', async () => {
    const email = 'bombed@example.org'
    const inviteFrom = (person: Person, workspace: string, overrides: object = {}) =>
      server.call(person, 'POST', `/manage/v1/workspaces/${workspace}/invitations`, {
        email,
        roles: ['api'],
        ...overrides,
      })
    for (const [person, workspace] of [
      ['ada', 'books'],
      ['eve', 'films'],
      ['ada', 'books'],
      ['eve', 'films'],
      ['ada', 'books'],
    ] as const)
      assert.equal((await inviteFrom(person, workspace)).status, 201)
    for (const [person, workspace] of [
      ['ada', 'books'],
      ['eve', 'films'],
    ] as const) {
      const { status, headers, body } = await inviteFrom(person, workspace)
      assert.deepEqual([status, body.code], [429, 'too-many-requests'])
      const seconds = Number(headers.get('retry-after'))
      assert.ok(seconds > 3000 && seconds <= 3600, `${seconds}`)
    }
    const member = await server.call('ada', 'PUT', `${book}/members/${email}`, { roles: ['api'] })
    assert.deepEqual([member.status, member.body.code], [429, 'too-many-requests'])
    const unmailed = await inviteFrom('ada', 'books', { mail: false })
    assert.deepEqual([unmailed.status, unmailed.body.mailed], [201, false])
    const source = `workspace: bombing\nmembers: { ${email}: [api] }\n`
    const { body } = await server.call('operator', 'POST', '/manage/v1/apply', { source })
    assert.deepEqual([body.invitations.length, body.invitations[0].mailed], [1, false])
  })
  it('are mailed a hundred times a day by one workspace', async () => {
    await server.call('operator', 'POST', '/manage/v1/apply', { source: 'workspace: mailer\n' })
    const workspace = await findWorkspace(server.storage.db, 'mailer')
    await server.storage.write(async writer => {
      for (let number = 0; number < 100; number++)
        await createInvitation(writer, {
          workspaceId: workspace?.id ?? '',
          email: `guest${number}@example.org`,
          roles: ['api'],
          invitedBy: server.ids.operator,
        })
    })
    const { status, headers, body } = await server.call(
      'operator',
      'POST',
      '/manage/v1/workspaces/mailer/invitations',
      {
        email: 'one-more@example.org',
        roles: ['api'],
      },
    )
    assert.deepEqual([status, body.code], [429, 'too-many-requests'])
    assert.ok(Number(headers.get('retry-after')) > 80_000)
  })
  it('leave no link in the audit log', async () => {
    const actions = await Promise.all(['inviteMember', 'setMember', 'applyWorkspaceFile'].map(audited))
    const entries = JSON.stringify(actions)
    assert.ok(entries.includes('guest@example.org') && !entries.includes('qri_'))
  })
})

describe('users', () => {
  it('get a one-time link from an operator, good for an hour; a later one replaces it', async () => {
    const user = await newUser('forgetful@example.org')
    const reset = () => server.call('operator', 'POST', `${users}/forgetful@example.org/password-reset`)
    const [first, second] = [await reset(), await reset()]
    assert.match(second.body.url, /^http:\/\/127\.0\.0\.1:4001\/password\/reset\/qrl_[A-Za-z0-9_-]{43}$/)
    assert.equal(await findOneTimeLink(server.storage.db, tokenIn(first.body.url)), undefined)
    const link = await findOneTimeLink(server.storage.db, tokenIn(second.body.url))
    assert.deepEqual([link?.purpose, link?.userId], ['password', user.id])
    const leftMs = Date.parse(second.body.expiresAt) - Date.now()
    assert.ok(leftMs > 59 * 60_000 && leftMs <= 60 * 60_000)
    assert.ok(!JSON.stringify(await audited('resetPassword')).includes('qrl_'))
    await server.call('operator', 'PATCH', `${users}/forgetful@example.org`, { disabled: true })
    assert.equal((await reset()).status, 409)
  })
  it('that are disabled are signed out for good, also when they are enabled again', async () => {
    const user = await newUser('paused@example.org')
    const signedIn = await signIn(server.storage, user.id)
    const path = `${users}/paused@example.org`
    await server.call('operator', 'PATCH', path, { disabled: true })
    await server.call('operator', 'PATCH', path, { disabled: false })
    assert.equal(await isLeft(signedIn), false)
    assert.equal(await server.directory.grantRevoked(signedIn.grantId), true)
  })
  it('that are removed take memberships, sessions, consents and invitations with them, at once', async () => {
    const user = await newUser('leaving@example.org')
    const path = `${users}/leaving@example.org`
    await server.call('eve', 'PUT', '/manage/v1/workspaces/films/members/leaving@example.org', {
      roles: ['administrator'],
    })
    const { body } = await invite({ email: 'leaving@example.org', roles: ['api'] })
    const signedIn = await signIn(server.storage, user.id)
    const audience = 'http://127.0.0.1:4001/manage/'
    const token = await server.token({ subject: user.id, clientId: 'console', audience })
    const ask = async () => (await server.call({ token }, 'GET', '/manage/v1/me')).status
    assert.equal(await ask(), 200)
    assert.equal(await fetchStatus('operator', 'DELETE', path), 204)
    assert.equal(await ask(), 401)
    assert.equal(await isLeft(signedIn), false)
    assert.equal(await findUser(server.storage.db, user.id), undefined)
    assert.equal(await findMember(server.storage.db, server.films.id, user.id), undefined)
    assert.equal(await findInvitationByToken(server.storage.db, tokenIn(body.url)), undefined)
    const newcomer = await newUser('leaving@example.org')
    assert.equal(
      await server.storage.write(writer => acceptInvitation(writer, body.id, newcomer.id)),
      false,
      'whoever gets the address later inherits nothing',
    )
  })
  it('that are the last administrator of a workspace, or oneself, are not removed', async () => {
    const last = await server.call('operator', 'DELETE', `${users}/ada@example.org`)
    assert.deepEqual([last.status, last.body.code], [409, 'conflict'])
    assert.match(last.body.message, /ada@example\.org is the last administrator of books/)
    assert.ok(await findMember(server.storage.db, server.books.id, server.ids.ada))
    assert.equal(await fetchStatus('operator', 'DELETE', `${users}/operator@example.org`), 409)
  })
  it('are exported with all that is kept about them, without secrets or what is others’', async () => {
    const user = await newUser('curious@example.org', 'correct horse')
    await server.storage.write(writer => setEmailVerified(writer, user.id))
    await invite({ email: 'curious@example.org', roles: ['user'] })
    const memberInput = { roles: ['api'], filter: { genre: 'crime' } }
    await server.call('ada', 'PUT', `${book}/members/curious@example.org`, memberInput)
    const { sessionId, clientId, refreshToken } = await signIn(server.storage, user.id, 'console')
    const identity = { issuer: 'https://login.example.org', subject: 'curious' }
    await server.storage.write(async writer => {
      await linkIdentity(writer, { workspaceId: server.books.id, ...identity }, user.id)
      await addProviderToken(writer.db, {
        id: 'kept',
        workspaceId: server.books.id,
        userId: user.id,
        encryptedToken: 'qri_encrypted',
        expiresAt: Date.now() + 60_000,
      })
    })
    const audience = 'http://127.0.0.1:4001/manage/'
    const token = await server.token({ subject: user.id, clientId, audience })
    const refusal = await server.call({ token }, 'GET', `${book}/members`)
    const { body } = await server.call('operator', 'GET', `${users}/curious@example.org/export`)
    assert.deepEqual([body.user.email, body.user.hasPassword], ['curious@example.org', true])
    const [{ createdAt, ...membership }] = body.memberships
    assert.ok(createdAt)
    assert.deepEqual(membership, { workspace: 'books', ...memberInput })
    const [{ since, lastUsedAt, ...exportedIdentity }] = body.identities
    assert.ok(since && lastUsedAt)
    assert.deepEqual(exportedIdentity, { workspace: 'books', ...identity })
    assert.deepEqual([body.invitations[0].workspace, body.invitations[0].state], ['books', 'withdrawn'])
    assert.deepEqual(
      [body.sessions[0].id, body.sessions[0].applications],
      [sessionId, [{ clientId, name: 'Console' }]],
    )
    assert.deepEqual([body.consents[0].clientId, body.consents[0].scopes], ['console', ['openid', 'email']])
    assert.equal(body.refusals[0].requestId, refusal.body.requestId)
    const actions = body.audit.map((entry: { action: string; by: string }) => `${entry.action} ${entry.by}`)
    assert.deepEqual(actions, ['exportUser others', 'setMember others', 'inviteMember others'])
    assert.ok(body.audit.every((entry: object) => !('address' in entry)))
    assert.ok(!JSON.stringify(body).includes(refreshToken))
    assert.doesNotMatch(JSON.stringify(body), /argon2|qri_/)
    const removal = await server.call('operator', 'DELETE', `${users}/curious@example.org`)
    assert.equal(removal.status, 204)
    assert.deepEqual(await listIdentities(server.storage.db, user.id), [])
    assert.equal(await findProviderToken(server.storage.db, 'kept'), undefined)
  })
})

describe('one’s own account', () => {
  const audience = 'http://127.0.0.1:4001/manage/'
  const personWith = async (email: string) => {
    const user = await newUser(email, 'correct horse')
    const session = await signIn(server.storage, user.id, 'console')
    const caller = {
      token: await server.token({
        subject: user.id,
        clientId: 'console',
        audience,
        grantId: session.grantId,
      }),
    }
    return { user, here: session, as: caller }
  }

  it('says who one is; a System-to-System account is nobody', async () => {
    const { body } = await server.call('apollo', 'GET', '/manage/v1/me')
    assert.deepEqual([body.email, body.operator], ['apollo@example.org', false])
    const account = await server.call('ada', 'POST', `${book}/system-to-system`, {
      name: 'job',
      roles: ['api'],
    })
    const { clientId } = account.body
    const token = await server.token({ subject: clientId, clientId, audience })
    const { status } = await server.call({ token }, 'GET', '/manage/v1/me')
    assert.equal(status, 403)
  })
  it('changes its password with the current one, which signs out everywhere else and sends a mail', async () => {
    const { user, here: session, as: caller } = await personWith('changing@example.org')
    const elsewhere = await signIn(server.storage, user.id)
    await server.storage.write(writer => setLanguage(writer, user.id, 'nl'))
    const letter = server.mailServer.next()
    const change = { current: 'correct horse', new: 'battery staple 9' }
    assert.equal((await server.call(caller, 'PUT', '/manage/v1/me/password', change)).status, 204)
    const hash = (await findUserByEmail(server.storage.db, user.email))?.password_hash ?? ''
    assert.ok(await verifyPassword(hash, 'battery staple 9'))
    assert.deepEqual([await isLeft(session), await isLeft(elsewhere)], [true, false])
    assert.equal((await server.call(caller, 'GET', '/manage/v1/me')).status, 200)
    assert.equal(await server.directory.grantRevoked(elsewhere.grantId), true)
    assert.match((await letter).content, /^Subject: Uw wachtwoord is gewijzigd/m)
  })
  it('does not change its password with a wrong one, and not by guessing', async () => {
    const { as: caller } = await personWith('guessed@example.org')
    const change = (current: string, chosen = 'battery staple 9') =>
      server.call(caller, 'PUT', '/manage/v1/me/password', { current, new: chosen })
    assert.match((await change('correct horse', 'short')).body.message, /^new: too short/)
    for (let tries = 0; tries < 10; tries += 1)
      assert.match((await change(`guess ${tries}`)).body.message, /^current: is not your password/)
    const throttled = await change('correct horse')
    assert.deepEqual([throttled.status, throttled.headers.get('retry-after')], [429, '60'])
    const userWithoutPassword = await newUser('without@example.org')
    const { grantId } = await signIn(server.storage, userWithoutPassword.id, 'console')
    const token = await server.token({
      subject: userWithoutPassword.id,
      clientId: 'console',
      audience,
      grantId,
    })
    const { status, body } = await server.call({ token }, 'PUT', '/manage/v1/me/password', {
      current: 'x',
      new: 'battery staple 9',
    })
    assert.deepEqual([status, body.code], [409, 'conflict'])
  })
  it('lists its sessions and ends them, one at a time, with what was got in them', async () => {
    const { user, here: session, as: caller } = await personWith('travelling@example.org')
    const elsewhere = await signIn(server.storage, user.id)
    const { body } = await server.call(caller, 'GET', '/manage/v1/me/sessions')
    const current = new Map(
      body.items.map((item: { id: string; current: boolean }) => [item.id, item.current]),
    )
    assert.deepEqual([current.get(session.sessionId), current.get(elsewhere.sessionId)], [true, false])
    const theirs = await signIn(server.storage, server.ids.apollo)
    const end = async (id: string) =>
      (await server.call(caller, 'DELETE', `/manage/v1/me/sessions/${id}`)).status
    assert.equal(await end(theirs.sessionId), 404)
    assert.equal(await end(elsewhere.sessionId), 204)
    assert.deepEqual(
      [await isLeft(elsewhere), await isLeft(session), await isLeft(theirs)],
      [false, true, true],
    )
    assert.equal(await end(session.sessionId), 204)
    assert.equal((await server.call(caller, 'GET', '/manage/v1/me')).status, 401, 'also of this very token')
  })
  it('lists what it allowed applications, once for each, and withdraws it', async () => {
    const application = await server.call('ada', 'POST', `${book}/applications`, {
      name: 'reader',
      redirectUris: ['https://example.org/'],
    })
    const { clientId } = application.body
    const { user, as: caller } = await personWith('allowing@example.org')
    const [first, second] = [
      await signIn(server.storage, user.id, clientId),
      await signIn(server.storage, user.id, clientId),
    ]
    const list = async () => (await server.call(caller, 'GET', '/manage/v1/me/consents')).body.items
    const [consent, ...otherConsents] = (await list()).filter(
      (item: { clientId: string }) => item.clientId === clientId,
    )
    assert.deepEqual(
      [consent.name, consent.workspace, consent.scopes, otherConsents],
      ['reader', 'books', ['openid', 'email'], []],
    )
    const withdraw = async () =>
      (await server.call(caller, 'DELETE', `/manage/v1/me/consents/${clientId}`)).status
    assert.equal(await withdraw(), 204)
    assert.deepEqual([await isLeft(first), await isLeft(second)], [false, false])
    assert.equal(await server.directory.grantRevoked(first.grantId), true)
    assert.equal(await withdraw(), 404)
    assert.deepEqual(await list(), [], 'the sign-in at the console asked for no consent')
  })
  it('lists an unregistered application by the name and host of its document, and withdraws it', async () => {
    const clientId = 'https://agent.example/client.json'
    const { user, as: caller } = await personWith('agents@example.org')
    const permissions = {
      ...{ scopes: ['openid'], claims: [] },
      resources: [`${baseUrl}/4/books`, `${baseUrl}/4/books/api/main`],
    }
    await saveRecord(server.storage.db, {
      model: 'Consent',
      id: `${user.id} ${clientId}`,
      grantId: `consent ${user.id} ${clientId}`,
      payload: {
        ...{ accountId: user.id, clientId, iat: 1_800_000_000, permissions },
        document: { name: 'Agent', host: 'agent.example', digest: 'd' },
      },
    })
    const session = await signIn(server.storage, user.id, clientId)
    const consents = async () => (await server.call(caller, 'GET', '/manage/v1/me/consents')).body.items
    const [consent] = await consents()
    assert.deepEqual(
      [consent.clientId, consent.name, consent.workspace],
      [clientId, 'Agent (agent.example)', 'books'],
    )
    const { body } = await server.call(caller, 'GET', '/manage/v1/me/sessions')
    const names = body.items.flatMap((item: { applications: { name: string }[] }) => item.applications)
    assert.ok(names.some(({ name }: { name: string }) => name === 'agent.example'))
    const path = `/manage/v1/me/consents/${encodeURIComponent(clientId)}`
    assert.equal((await server.call(caller, 'DELETE', path)).status, 204)
    assert.equal(await server.directory.grantRevoked(session.grantId), true)
    assert.deepEqual(await consents(), [])
  })
  it('leaves an entry in the audit log for each change', async () => {
    for (const action of ['changePassword', 'endMySession', 'withdrawMyConsent'])
      assert.ok((await audited(action)).length > 0, action)
    assert.doesNotMatch(JSON.stringify(await audited('changePassword')), /horse|staple/)
  })
})

describe('signing keys', () => {
  it('rotate by command: the next are published before they sign', async () => {
    const kidsBefore = server.keyring.publicJwks().map(({ kid }) => kid)
    const { status, body } = await server.call('operator', 'POST', '/manage/v1/keys/rotate')
    assert.equal(status, 200)
    const inMs = Date.parse(body.signsFrom) - Date.now()
    assert.ok(inMs > 590_000 && inMs <= 600_000)
    assert.equal(body.published.length, 2)
    assert.ok(body.published.every((kid: string) => !kidsBefore.includes(kid)))
    const [entry] = await audited('rotateKeys')
    assert.deepEqual([entry?.actor, entry?.target], [server.ids.operator, body.published.join(' ')])
    assert.equal(await fetchStatus('operator', 'POST', '/manage/v1/keys/rotate', {}), 200)
  })
  it('are listed with what they are for; one that is withdrawn is no more, and in the audit log', async () => {
    const list = async () => (await server.call('operator', 'GET', '/manage/v1/keys')).body.items
    await server.call('operator', 'POST', '/manage/v1/keys/rotate')
    const keysBefore = await list()
    const signs = keysBefore.filter(({ state }: { state: string }) => state === 'signs')
    assert.deepEqual(signs.map(({ algorithm }: { algorithm: string }) => algorithm).toSorted(), [
      'ES256',
      'RS256',
    ])
    const [{ kid }] = signs
    const next = keysBefore.find(
      (key: { state: string; algorithm: string }) =>
        key.state === 'next' && key.algorithm === signs[0].algorithm,
    )
    const { status, body } = await server.call('operator', 'POST', `/manage/v1/keys/${kid}/withdraw`)
    assert.deepEqual([status, body.published], [200, [next.kid]])
    const keysAfter = await list()
    assert.deepEqual(
      keysAfter.find((key: { kid: string }) => key.kid === next.kid),
      { ...next, state: 'signs', signsFrom: body.signsFrom },
    )
    assert.equal(keysAfter.length, keysBefore.length - 1)
    const [entry] = await audited('withdrawKey')
    assert.deepEqual([entry?.actor, entry?.target], [server.ids.operator, kid])
    assert.deepEqual(JSON.parse(entry?.detail_json ?? ''), body)
  })
  it('are withdrawn with nothing in their place where they were followed already', async () => {
    const [row] = await listSigningKeys(server.storage.db)
    const retired = { ...(row ?? assert.fail()), retired_at: Date.now() - 1000 }
    await server.storage.write(writer => saveSigningKey(writer, retired))
    const { status, body } = await server.call('operator', 'POST', `/manage/v1/keys/${retired.kid}/withdraw`)
    assert.deepEqual([status, body], [200, { published: [] }])
  })
})
