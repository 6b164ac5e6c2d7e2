/** Promises of the operations on one's own account, and attacks on them. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { twoFactorLevel } from '@querent/contract/authentication-levels'
import { hashPassword } from '#accounts/password-hash'
import { authUrl } from '#authz/test-tokens'
import { listAuditAbout } from '#storage/audit'
import { createClient } from '#storage/clients'
import { findMember, setMember } from '#storage/members'
import { findRecord } from '#storage/oidc-records'
import { findOneTimeLink } from '#storage/one-time-links'
import { saveAuthenticatorApp } from '#storage/second-factors'
import { createUser, findUser } from '#storage/users'
import { createWorkspace } from '#storage/workspaces'
import { openTestServer, signIn } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
const password = 'correct horse'
let passwordHash: string
before(async () => {
  server = await openTestServer()
  passwordHash = await hashPassword(password)
})
after(() => server.close())

const me = '/manage/v1/me'

/** A person with a session in the console. `signedInSecondsAgo` sets its age. */
const newPerson = async ({
  signedInSecondsAgo = 0,
  hasPassword = true,
  clientId = 'console',
  acr = undefined as string | undefined,
} = {}) => {
  const email = `${randomUUID()}@example.org`
  const user = await server.storage.write(writer =>
    createUser(writer, { email, name: 'Pat', ...(hasPassword && { passwordHash }) }),
  )
  assert.ok(user)
  const openSession = async () => {
    const session = await signIn(server.storage, user.id, clientId, { secondsAgo: signedInSecondsAgo })
    const token = await server.token({
      subject: user.id,
      clientId,
      audience: `${authUrl}/manage/`,
      grantId: session.grantId,
      ...(acr === undefined ? {} : { acr }),
    })
    return { ...session, token }
  }
  const session = await openSession()
  const call = (method: string, path: string, body?: unknown) =>
    server.call({ token: session.token }, method, path, body)
  return { id: user.id, email, call, openSession, ...session }
}
const newEmail = () => `${randomUUID()}@new.example`
/** The last mail to this address, as soon as there are `count`. */
const mailTo = async (address: string, count = 1) => {
  for (;;) {
    const letters = server.mailServer.letters.filter(({ to }) => to.includes(address))
    const letter = letters.at(-1)
    if (letter && letters.length >= count) return letter
    await server.mailServer.next()
  }
}
const isLeft = async ({ refreshToken }: { refreshToken: string }) =>
  (await findRecord(server.storage.db, 'RefreshToken', { id: refreshToken })) !== undefined

describe('name and language', () => {
  test('change together or alone; the language is the one of later mails', async () => {
    const { id, email, call } = await newPerson()
    const changed = await call('PATCH', me, { name: '  Pat Pending ', language: 'nl' })
    assert.deepEqual(
      [changed.body.name, changed.body.language, changed.body.hasPassword, changed.body.pendingEmail],
      ['Pat Pending', 'nl', true, null],
    )
    assert.equal((await call('PATCH', me, { name: 'Pat' })).body.language, 'nl')
    const { name, language } = (await findUser(server.storage.db, id)) ?? {}
    assert.deepEqual([name, language], ['Pat', 'nl'])
    const unknown = await call('PATCH', me, { language: 'xx' })
    assert.deepEqual([unknown.status, unknown.body.errors[0].path], [400, 'body.language'])
    assert.match(unknown.body.errors[0].values.choices, /\bnl\b/)
    await call('PUT', `${me}/password`, { current: password, new: 'quite another sentence' })
    assert.match((await mailTo(email)).content, /wachtwoord/)
  })
  test('a blank name shows the address again', async () => {
    const { email, call } = await newPerson()
    assert.equal((await call('PATCH', me, { name: '  ' })).body.name, email)
  })
})

describe('a new address', () => {
  test('gets a link, and the old one a notice; the old address stays until the link is used', async () => {
    const { id, email, call } = await newPerson()
    const chosen = newEmail()
    const reply = await call('POST', `${me}/email`, { email: chosen.toUpperCase() })
    assert.deepEqual([reply.status, reply.body.email], [201, chosen])
    const leftMs = Date.parse(reply.body.expiresAt) - Date.now()
    assert.ok(leftMs > 59 * 60_000 && leftMs <= 60 * 60_000)
    const [link, notice] = [await mailTo(chosen), await mailTo(email)]
    const token = /\/email\/confirm\/(qrl_[\w-]{43})/.exec(link.content)?.[1] ?? ''
    const oneTimeLink = await findOneTimeLink(server.storage.db, token)
    assert.deepEqual([oneTimeLink?.purpose, oneTimeLink?.userId, oneTimeLink?.email], ['email', id, chosen])
    assert.ok(notice.content.includes(chosen) && !notice.content.includes('qrl_'))
    const account = await call('GET', me)
    assert.deepEqual([account.body.email, account.body.pendingEmail.email], [email, chosen])
    const log = await listAuditAbout(server.storage.db, { userId: id, email }, 10)
    assert.ok(!JSON.stringify([reply.body, account.body, log]).includes('qrl_'))
  })

  test('a taken address gets the same reply, and a mail without a link', async () => {
    const [person, owner] = [await newPerson(), await newPerson()]
    const free = newEmail()
    const takenReply = await person.call('POST', `${me}/email`, { email: owner.email })
    assert.doesNotMatch((await mailTo(owner.email)).content, /qrl_|\/email\/confirm/)
    const freeReply = await person.call('POST', `${me}/email`, { email: free })
    assert.deepEqual(
      [takenReply.status, Object.keys(takenReply.body)],
      [freeReply.status, Object.keys(freeReply.body)],
    )
    const [before, now] = [takenReply, freeReply].map(({ body }) => Date.parse(body.expiresAt))
    assert.ok(now !== undefined && before !== undefined && now >= before)
    assert.equal((await person.call('GET', me)).body.pendingEmail.email, free)
  })

  test('an address that the mail server cannot write to is refused (RFC 6531, section 3.2)', async () => {
    const { call } = await newPerson()
    const { status, body } = await call('POST', `${me}/email`, { email: 'jörg@example.org' })
    assert.deepEqual([status, body.errors[0].code], [400, 'unsupported-address'])
    assert.equal((await call('GET', me)).body.pendingEmail, null)
  })

  test('a later change replaces the link, and canceling ends it', async () => {
    const { call } = await newPerson()
    const readToken = async () => {
      const email = newEmail()
      await call('POST', `${me}/email`, { email })
      return /qrl_[\w-]+/.exec((await mailTo(email)).content)?.[0] ?? ''
    }
    const [first, second] = [await readToken(), await readToken()]
    assert.equal(await findOneTimeLink(server.storage.db, first), undefined)
    assert.ok(await findOneTimeLink(server.storage.db, second))
    assert.equal((await call('DELETE', `${me}/email`)).status, 204)
    assert.equal(await findOneTimeLink(server.storage.db, second), undefined)
    assert.equal((await call('DELETE', `${me}/email`)).status, 404)
    assert.equal((await call('GET', me)).body.pendingEmail, null)
  })

  test('a changed password ends a change that a thief has begun', async () => {
    const { call } = await newPerson()
    await call('POST', `${me}/email`, { email: newEmail() })
    await call('PUT', `${me}/password`, { current: password, new: 'quite another sentence' })
    assert.equal((await call('GET', me)).body.pendingEmail, null)
  })

  test('at most five changes an hour, so that nobody floods an address', async () => {
    const { call } = await newPerson()
    const victim = newEmail()
    for (let attempt = 0; attempt < 5; attempt++) {
      assert.equal((await call('POST', `${me}/email`, { email: victim })).status, 201)
    }
    const lastReply = await call('POST', `${me}/email`, { email: newEmail() })
    assert.deepEqual([lastReply.status, lastReply.body.code], [429, 'too-many-requests'])
    const accomplice = await newPerson()
    assert.equal((await accomplice.call('POST', `${me}/email`, { email: victim })).status, 429)
  })

  test('your own address is refused', async () => {
    const { email, call } = await newPerson()
    assert.equal((await call('POST', `${me}/email`, { email: email.toUpperCase() })).status, 400)
  })
})

/** Requests that a thief sends with a stolen token. */
const sensitive: readonly [what: string, method: string, path: string, body: () => object | undefined][] = [
  ['changing the address', 'POST', `${me}/email`, () => ({ email: newEmail() })],
  ['changing the password', 'PUT', `${me}/password`, () => ({ current: password, new: 'battery staple 9' })],
  ['deleting the account', 'POST', `${me}/deletion`, () => ({})],
  ['exporting the data', 'GET', `${me}/export`, () => undefined],
]
for (const [what, method, path, makeBody] of sensitive)
  describe(what, () => {
    type Caller = Pick<Awaited<ReturnType<typeof newPerson>>, 'id' | 'email' | 'call'>
    const assertTooOld = async (person: Caller, level?: string) => {
      // The password and a bad body change nothing.
      const bodies = method === 'POST' ? [makeBody(), { ...makeBody(), password }, { bad: 1 }] : [makeBody()]
      for (const requestBody of bodies) {
        const { status, headers, body } = await person.call(method, path, requestBody)
        assert.deepEqual([status, body.code], [401, 'sign-in-too-old'])
        const challenge = headers.get('www-authenticate') ?? ''
        assert.match(challenge, /error="insufficient_user_authentication".*max_age="300"/)
        assert.equal(/acr_values="([^"]*)"/.exec(challenge)?.[1], level)
      }
      assert.ok(await findUser(server.storage.db, person.id))
      assert.equal((await person.call('GET', me)).body.pendingEmail, null)
    }
    test('a stolen token of an older sign-in is refused, with the password too', async () => {
      await assertTooOld(await newPerson({ signedInSecondsAgo: 400 }))
    })
    test('a new sign-in of the person does not refresh a token stolen before', async () => {
      const person = await newPerson({ signedInSecondsAgo: 400 })
      const { db } = server.storage
      const row = await db
        .selectFrom('oidc_records')
        .selectAll()
        .where('model', '=', 'Session')
        .where('uid', '=', person.sessionId)
        .executeTakeFirstOrThrow()
      const payload = { ...JSON.parse(row.payload_json), loginTs: Math.floor(Date.now() / 1000) }
      await db
        .updateTable('oidc_records')
        .set({ payload_json: JSON.stringify(payload) })
        .where('model', '=', 'Session')
        .where('uid', '=', person.sessionId)
        .execute()
      await assertTooOld(person)
    })
    test('a token without a sign-in, and one whose session has ended, are refused', async () => {
      const person = await newPerson()
      const token = await server.token({
        subject: person.id,
        clientId: 'console',
        audience: `${authUrl}/manage/`,
      })
      const call = (...[verb, address, body]: Parameters<typeof person.call>) =>
        server.call({ token }, verb, address, body)
      await assertTooOld({ ...person, call })
    })
    test('an application of a workspace cannot, however fresh its sign-in is', async () => {
      const clientId = randomUUID()
      await server.storage.write(writer =>
        createClient(writer, {
          id: clientId,
          kind: 'application',
          workspaceId: server.books.id,
          name: clientId,
          settings: {
            type: 'server',
            redirectUris: ['https://app.example/back'],
            origins: [],
            logoutUris: [],
            own: true,
          },
        }),
      )
      await assertTooOld(await newPerson({ clientId }))
    })
    test('a session without the second factor cannot, once the person has one', async () => {
      const factor = { encryptedSecret: 'sealed', step: 0 }
      const weak = await newPerson()
      await server.storage.write(writer => saveAuthenticatorApp(writer, { userId: weak.id, ...factor }))
      await assertTooOld(weak, twoFactorLevel)
      const older = await newPerson({ acr: twoFactorLevel, signedInSecondsAgo: 400 })
      await server.storage.write(writer => saveAuthenticatorApp(writer, { userId: older.id, ...factor }))
      await assertTooOld(older, twoFactorLevel)
      const strong = await newPerson({ acr: twoFactorLevel })
      await server.storage.write(writer => saveAuthenticatorApp(writer, { userId: strong.id, ...factor }))
      assert.ok((await strong.call(method, path, makeBody())).status < 300)
    })
    test('a factor that is added while the body arrives counts', async () => {
      if (method === 'GET') return
      const person = await newPerson()
      const text = JSON.stringify(makeBody())
      const admitted = server.nextAdmitted()
      const sending = httpRequest({
        host: '127.0.0.1',
        port: server.port,
        method,
        path,
        headers: {
          authorization: `Bearer ${person.token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        },
      })
      const replied = once(sending, 'response')
      sending.write(text.slice(0, 1))
      await admitted
      const factor = { userId: person.id, encryptedSecret: 'sealed', step: 0 }
      await server.storage.write(writer => saveAuthenticatorApp(writer, factor))
      sending.end(text.slice(1))
      const [reply] = await replied
      assert.equal(reply.statusCode, 401)
      reply.resume()
    })
  })

describe('a password that is sent with a request', () => {
  test('must be right, and is guessed ten times a minute at most', async () => {
    const person = await newPerson()
    const change = (guess: string) =>
      person.call('POST', `${me}/email`, { email: newEmail(), password: guess })
    const wrong = await change('battery staple')
    assert.deepEqual([wrong.status, wrong.body.errors[0].path], [400, 'body.password'])
    for (let attempt = 1; attempt < 10; attempt++)
      assert.equal((await change(`guess ${attempt}`)).status, 400)
    assert.equal((await change(password)).status, 429)
  })
  test('is not needed', async () => {
    for (const hasPassword of [true, false]) {
      const person = await newPerson({ hasPassword })
      assert.equal((await person.call('POST', `${me}/email`, { email: newEmail() })).status, 201)
    }
  })
})

describe('sessions', () => {
  test('all others end at once with their tokens; this one stays', async () => {
    const person = await newPerson()
    const otherSession = await person.openSession()
    assert.equal((await person.call('DELETE', `${me}/sessions`)).status, 204)
    assert.deepEqual([await isLeft(person), await isLeft(otherSession)], [true, false])
    const sessions = await person.call('GET', `${me}/sessions`)
    assert.deepEqual(
      sessions.body.items.map((item: { id: string; current: boolean }) => [item.id, item.current]),
      [[person.sessionId, true]],
    )
    assert.equal((await server.call({ token: otherSession.token }, 'GET', me)).status, 401)
  })
})

describe('the export', () => {
  test('has what is stored about the person, and no secret', async () => {
    const person = await newPerson({ acr: twoFactorLevel })
    await server.storage.write(async writer => {
      await saveAuthenticatorApp(writer, { userId: person.id, encryptedSecret: 'sealed-secret', step: 0 })
      await setMember(writer, {
        workspaceId: server.books.id,
        subject: person.id,
        kind: 'user',
        roles: ['api'],
        filter: undefined,
      })
    })
    const { status, body } = await person.call('GET', `${me}/export`)
    assert.equal(status, 200)
    assert.deepEqual(
      [body.user.email, body.user.hasPassword, body.memberships[0].workspace, body.sessions.length],
      [person.email, true, 'books', 1],
    )
    assert.ok(body.factors.app.createdAt)
    assert.doesNotMatch(JSON.stringify(body), /argon2|sealed-secret|qrl_/)
    assert.ok(!JSON.stringify(body).includes(person.refreshToken))
    assert.match((await mailTo(person.email)).content, /was downloaded/)
  })
})

describe('deleting your account', () => {
  test('ends tokens at once and deletes everything personal; the person gets a mail', async () => {
    const person = await newPerson({ acr: twoFactorLevel })
    const { db } = server.storage
    await server.storage.write(async writer => {
      await saveAuthenticatorApp(writer, { userId: person.id, encryptedSecret: 'sealed', step: 0 })
      await setMember(writer, {
        workspaceId: server.books.id,
        subject: person.id,
        kind: 'user',
        roles: ['user'],
        filter: undefined,
      })
    })
    await server.call({ token: person.token }, 'GET', '/manage/v1/workspaces/films/members')
    const { status } = await person.call('POST', `${me}/deletion`, { password })
    assert.equal(status, 204)
    assert.match((await mailTo(person.email)).content, /deleted/)
    assert.equal((await person.call('GET', me)).status, 401)
    assert.equal(await isLeft(person), false)
    assert.equal(await server.directory.grantRevoked(person.grantId), true)
    assert.equal(await findMember(db, server.books.id, person.id), undefined)
    await server.refusalLog.flush()
    for (const [table, column] of [
      ['users', 'id'],
      ['one_time_links', 'user_id'],
      ['authenticator_apps', 'user_id'],
      ['oidc_records', 'account_id'],
      ['members', 'subject'],
      ['imports', 'subject'],
    ] as const) {
      const rows = await db
        .selectFrom(table)
        .selectAll()
        .where(column as never, '=', person.id as never)
        .execute()
      assert.deepEqual(rows, [], table)
    }
  })

  test('the last administrator of workspaces is told which ones; nothing is deleted', async () => {
    const person = await newPerson()
    const names = [`first-${randomUUID()}`, `second-${randomUUID()}`]
    await server.storage.write(async writer => {
      for (const workspace of names) {
        const row = await createWorkspace(writer, { workspace })
        const member = { workspaceId: row?.id ?? '', subject: person.id, kind: 'user' } as const
        await setMember(writer, { ...member, roles: ['administrator'], filter: undefined })
      }
      await setMember(writer, {
        workspaceId: server.books.id,
        subject: person.id,
        kind: 'user',
        roles: ['api'],
        filter: undefined,
      })
    })
    const { status, body } = await person.call('POST', `${me}/deletion`, {})
    assert.deepEqual([status, body.code], [409, 'conflict'])
    for (const name of names) assert.ok(body.message.includes(name), body.message)
    assert.ok(!body.message.includes('books'))
    assert.ok(await findMember(server.storage.db, server.books.id, person.id), 'other memberships stay')
    assert.equal((await person.call('GET', me)).status, 200)
  })

  test('an operator cannot, because the command line on the server acts as one', async () => {
    const { grantId } = await signIn(server.storage, server.ids.operator, 'console')
    const token = await server.issueToken('operator', 'console', undefined, grantId)
    const { status, body } = await server.call({ token }, 'POST', `${me}/deletion`, {})
    assert.deepEqual([status, body.code], [409, 'conflict'])
    assert.ok(await findUser(server.storage.db, server.ids.operator))
  })
})
