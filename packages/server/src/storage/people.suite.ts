/** Promises of invitations, one-time links, throttles, sessions and consents on every database. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Role } from '@querent/contract/manage'
import { listAudit, recordAudit } from './audit.ts'
import type { StorageLocation } from './connection.ts'
import { openStorage, type Storage } from './db.ts'
import { endUserGrants, listUserGrants } from './grants.ts'
import { listAccountImports, removeAccountImports } from './imports.ts'
import {
  acceptInvitation,
  createInvitation,
  findInvitationByToken,
  invitationLifetimeMs,
  listInvitations,
  listInvitationsTo,
  mailWaitMs,
  pruneInvitations,
  removeInvitationsTo,
  withdrawInvitation,
} from './invitations.ts'
import { findMember, listMemberships, setMember } from './members.ts'
import { vouchedAddresses } from './migrations/0014-vouched-addresses.ts'
import { findRecord, saveRecord } from './oidc-records.ts'
import {
  createOneTimeLink,
  endLinkFor,
  endOneTimeLinks,
  findLinkFor,
  findOneTimeLink,
  findOrCreateOneTimeLink,
  pruneOneTimeLinks,
  useEmailLink,
  useOneTimeLink,
} from './one-time-links.ts'
import { removeAccountRefusals } from './refusals.ts'
import { isRevoked } from './revocations.ts'
import { endSession, endUserSessions, findSignInOfGrant, listUserSessions, signOut } from './sessions.ts'
import { beginAttempt, clearFailures, countFailures, pruneThrottles } from './throttles.ts'
import { listAccountUsage } from './usage.ts'
import {
  createUser,
  findUser,
  removeUser,
  setEmail,
  setPassword,
  setUserDisabled,
  type UserRow,
} from './users.ts'
import { createWorkspace, type WorkspaceRow } from './workspaces.ts'

/** Runs the suite in an empty database. */
export const peopleSuite = (empty: () => Promise<StorageLocation>): void => {
  let location: StorageLocation
  let storage: Storage
  let inviter: UserRow
  before(async () => {
    location = await empty()
    storage = await openStorage(location)
    const operator = await storage.write(w =>
      createUser(w, { email: 'operator@example.org', operator: true }),
    )
    assert.ok(operator)
    inviter = operator
  })
  after(() => storage.close())

  const newUser = async (email = `${randomUUID()}@example.org`): Promise<UserRow> => {
    const user = await storage.write(writer => createUser(writer, { email }))
    assert.ok(user)
    return user
  }
  const newWorkspace = async (): Promise<WorkspaceRow> => {
    const row = await storage.write(writer => createWorkspace(writer, { workspace: randomUUID() }))
    assert.ok(row)
    return row
  }
  const invite = (workspaceId: string, email: string, roles: Role[] = ['api']) =>
    storage.write(w => createInvitation(w, { workspaceId, email, roles, invitedBy: inviter.id }))
  const accept = (id: string, userId: string) => storage.write(w => acceptInvitation(w, id, userId))
  const findState = async (token: string) => (await findInvitationByToken(storage.db, token))?.state

  test('an invitation makes its person a member, once, with its roles and row filter', async () => {
    const { id: workspaceId } = await newWorkspace()
    const user = await newUser()
    const filter = { section: 'public' }
    const { id, token, expiresAt } = await storage.write(w =>
      createInvitation(w, {
        workspaceId,
        email: ` ${user.email.toUpperCase()}`,
        roles: ['user'],
        filter,
        invitedBy: inviter.id,
      }),
    )
    assert.match(token, /^qri_[A-Za-z0-9_-]{43}$/)
    const invitation = await findInvitationByToken(storage.db, token)
    assert.deepEqual(
      [
        invitation?.id,
        invitation?.email,
        invitation?.roles,
        invitation?.filter,
        invitation?.invitedBy,
        invitation?.state,
      ],
      [id, user.email, ['user'], filter, inviter.id, 'open'],
    )
    assert.equal(expiresAt - (invitation?.createdAt ?? 0), invitationLifetimeMs)
    const results = await Promise.all([accept(id, user.id), accept(id, user.id)])
    assert.deepEqual(results.toSorted(), [false, true])
    const member = await findMember(storage.db, workspaceId, user.id)
    assert.deepEqual([member?.roles, member?.filter, member?.kind], [['user'], filter, 'user'])
    assert.equal(await findState(token), 'accepted')
  })

  test('an invitation is bound to its address, and nobody disabled accepts it', async () => {
    const { id: workspaceId } = await newWorkspace()
    const [ada, bob] = [await newUser(), await newUser()]
    const { id, token } = await invite(workspaceId, ada.email)
    assert.equal(await accept(id, bob.id), false)
    await storage.write(w => setUserDisabled(w, ada.id, true))
    assert.equal(await accept(id, ada.id), false)
    assert.equal(await findState(token), 'open')
  })

  test('a person who is already a member keeps their roles when accepting', async () => {
    const { id: workspaceId } = await newWorkspace()
    const { id: subject, email } = await newUser()
    const { id } = await invite(workspaceId, email, ['api'])
    await storage.write(w =>
      setMember(w, { workspaceId, subject, kind: 'user', roles: ['administrator'], filter: undefined }),
    )
    assert.equal(await accept(id, subject), true)
    const [membership] = await listMemberships(storage.db, subject)
    assert.deepEqual([membership?.workspaceId, membership?.roles], [workspaceId, ['administrator']])
  })

  test('an invitation that was withdrawn, replaced or has expired is not accepted, and says which', async t => {
    const { id: workspaceId } = await newWorkspace()
    const user = await newUser()
    const first = await invite(workspaceId, user.email)
    const second = await invite(workspaceId, user.email)
    assert.deepEqual([await findState(first.token), await findState(second.token)], ['withdrawn', 'open'])
    const otherWorkspace = await newWorkspace()
    assert.equal(await storage.write(w => withdrawInvitation(w, second.id, otherWorkspace.id)), undefined)
    assert.equal((await storage.write(w => withdrawInvitation(w, second.id)))?.email, user.email)
    assert.equal(await storage.write(w => withdrawInvitation(w, second.id)), undefined)
    const third = await invite(workspaceId, user.email)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + invitationLifetimeMs })
    assert.equal(await findState(third.token), 'expired')
    for (const { id } of [first, second, third]) assert.equal(await accept(id, user.id), false)
    assert.equal(await findMember(storage.db, workspaceId, user.id), undefined)
  })

  test('pending invitations are listed by address, a page at a time; old ones are forgotten', async t => {
    const { id: workspaceId } = await newWorkspace()
    const names = ['c', 'a', 'b', 'a'].map(name => `${name}.${workspaceId}@example.org`)
    for (const name of names) await invite(workspaceId, name)
    const emails = async (after: string) =>
      (await listInvitations(storage.db, workspaceId, after, 2)).map(({ email }) => email.charAt(0))
    assert.deepEqual(await emails(''), ['a', 'b'])
    assert.deepEqual(await emails(names[2] ?? ''), ['c'])
    assert.equal((await listInvitationsTo(storage.db, names[1] ?? '')).length, 2)
    await storage.write(w => removeInvitationsTo(w, names[1] ?? ''))
    assert.deepEqual(await emails(''), ['b', 'c'])
    await pruneInvitations(storage.db)
    assert.deepEqual(await emails(''), ['b', 'c'])
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 6 * invitationLifetimeMs })
    await pruneInvitations(storage.db)
    assert.deepEqual(await emails(''), [])
  })

  test('a link of a new address works once, for its person and purpose only, and a taken address stays taken', async () => {
    const [person, other] = [await newUser(), await newUser()]
    const email = `${randomUUID()}@example.org`
    const create = (address: string) =>
      storage.write(w =>
        createOneTimeLink(w, { purpose: 'email', userId: person.id, ttlMs: 60_000, email: address }),
      )
    const { token } = await create(email)
    assert.equal((await findLinkFor(storage.db, person.id, 'email'))?.email, email)
    assert.equal(await storage.write(w => useOneTimeLink(w, token)), undefined)
    assert.equal(await storage.write(w => useEmailLink(w, other.id, token)), undefined)
    const uses = await Promise.all([1, 2].map(() => storage.write(w => useEmailLink(w, person.id, token))))
    assert.deepEqual(
      uses.filter(use => use !== undefined),
      [email],
    )
    assert.equal(await storage.write(w => setEmail(w, person.id, other.email.toUpperCase())), false)
    assert.equal((await findUser(storage.db, person.id))?.email, person.email)
    assert.equal(await storage.write(w => setEmail(w, person.id, email.toUpperCase())), true)
    const changed = await findUser(storage.db, person.id)
    assert.deepEqual([changed?.email, changed?.email_verified], [email, 1])
    await create(other.email)
    assert.equal(await storage.write(w => endLinkFor(w, person.id, 'email')), true)
    assert.equal(await storage.write(w => endLinkFor(w, person.id, 'email')), false)
  })

  test('only one of two people who confirm the same address at once gets it', async () => {
    const people = [await newUser(), await newUser()]
    const email = `${randomUUID()}@example.org`
    const outcomes = await Promise.allSettled(
      people.map(({ id }) => storage.write(w => setEmail(w, id, email))),
    )
    const changes = outcomes.filter(outcome => outcome.status === 'fulfilled' && outcome.value)
    assert.equal(changes.length, 1)
  })

  test('the imports and refusals of an account are removed with it', async () => {
    const { id } = await newUser()
    const { id: workspaceId } = await newWorkspace()
    const day = 20_000
    await storage.db
      .insertInto('imports')
      .values({
        workspace_id: workspaceId,
        collection: 'books',
        subject: id,
        name: 'first',
        state: 'complete',
        bytes: 1,
        documents: 1,
        kept: 1,
        at: day,
      })
      .execute()
    assert.deepEqual(
      (await listAccountImports(storage.db, id)).map(({ name }) => name),
      ['first'],
    )
    assert.deepEqual(await listAccountUsage(storage.db, id), [])
    await removeAccountImports(storage.db, id)
    await removeAccountRefusals(storage.db, id)
    assert.deepEqual(await listAccountImports(storage.db, id), [])
  })

  test('a sign-in is found by a grant of its session, and not after its end', async () => {
    const { id } = await newUser()
    const [uid, grantId] = [randomUUID(), randomUUID()]
    const expiresAt = Date.now() + 60_000
    const payload = { accountId: id, clientId: 'console', loginTs: 1000, iat: 1000, uid }
    await saveRecord(storage.db, { model: 'Session', id: randomUUID(), uid, payload, expiresAt })
    const grant = { accountId: id, clientId: 'console', iat: 1001 }
    await saveRecord(storage.db, { model: 'Grant', id: grantId, uid, payload: grant, expiresAt })
    assert.deepEqual(await findSignInOfGrant(storage.db, id, grantId), {
      signedInAt: 1_000_000,
      grantedAt: 1_001_000,
    })
    assert.equal(await findSignInOfGrant(storage.db, randomUUID(), grantId), undefined)
    await storage.write(w => endSession(w, id, uid))
    assert.equal(await findSignInOfGrant(storage.db, id, grantId), undefined)
  })

  test('a one-time link works once, until it expires, and ends when another is made', async t => {
    const { id: userId } = await newUser()
    const make = () =>
      storage.write(w => createOneTimeLink(w, { purpose: 'password', userId, ttlMs: 60_000 }))
    const use = (token: string) => storage.write(w => useOneTimeLink(w, token))
    const [older, newer] = [await make(), await make()]
    assert.match(newer.token, /^qrl_[A-Za-z0-9_-]{43}$/)
    assert.equal(await use(older.token), undefined)
    assert.deepEqual(await findOneTimeLink(storage.db, newer.token), {
      purpose: 'password',
      userId,
      expiresAt: newer.expiresAt,
      email: null,
    })
    const results = await Promise.all([use(newer.token), use(newer.token)])
    assert.deepEqual(results.toSorted(), [userId, undefined])
    const endedLink = await make()
    await storage.write(w => endOneTimeLinks(w, userId))
    assert.equal(await use(endedLink.token), undefined)
    const expired = await make()
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 })
    assert.equal(await findOneTimeLink(storage.db, expired.token), undefined)
    assert.equal(await use(expired.token), undefined)
    t.mock.timers.setTime(Date.now() + 1)
    await pruneOneTimeLinks(storage.db)
    assert.deepEqual(await storage.db.selectFrom('one_time_links').selectAll().execute(), [])
  })

  test('the update confirms addresses of operators and of accounts that an operator created, and no others', async () => {
    const email = () => `${randomUUID()}@example.org`
    const create = async (options: { operator?: boolean } = {}) => {
      const user = await storage.write(writer => createUser(writer, { email: email(), ...options }))
      assert.ok(user)
      return user
    }
    const [operator, created, byLink, createdAgain] = [
      await create({ operator: true }),
      await create(),
      await create(),
      await create(),
    ]
    const entry = { actor: operator.id, action: 'createUser', address: '192.0.2.1', requestId: randomUUID() }
    for (const { email: target } of [created, createdAgain])
      await storage.write(writer => recordAudit(writer, { ...entry, target }))
    // The address belonged to a removed account; this account came by a link.
    await storage.db
      .updateTable('users')
      .set({ created_at: Date.now() + 60_000 })
      .where('id', '=', createdAgain.id)
      .execute()
    await vouchedAddresses.up(storage.db)
    const verified = async ({ id }: { id: string }) => (await findUser(storage.db, id))?.email_verified
    assert.deepEqual(
      [
        await verified(operator),
        await verified(created),
        await verified(byLink),
        await verified(createdAgain),
      ],
      [1, 1, 0, 0],
    )
  })

  test('invitation mails are counted for an address and for a workspace; an invitation without a mail is not', async () => {
    const [user, workspace] = [await newUser(), await newWorkspace()]
    const invited = {
      workspaceId: workspace.id,
      email: `${randomUUID()}@example.org`,
      roles: ['api'] as Role[],
      invitedBy: user.id,
    }
    const wait = () => mailWaitMs(storage.db, invited, 2)
    for (const byMail of [false, true, false, true]) {
      assert.equal(await wait(), 0)
      await storage.write(writer => createInvitation(writer, { ...invited, byMail }))
    }
    assert.ok((await wait()) > 0)
    assert.equal(await mailWaitMs(storage.db, { ...invited, email: 'other@example.org' }, 2), 0)
  })

  test('a link that was mailed proves the address; one that was handed over does not', async () => {
    const user = await newUser()
    const isVerified = async () => (await findUser(storage.db, user.id))?.email_verified === 1
    const use = (mailed: boolean) =>
      storage.write(async writer => {
        const link = { purpose: 'password', userId: user.id, ttlMs: 60_000, mailed } as const
        await useOneTimeLink(writer, (await createOneTimeLink(writer, link)).token)
      })
    await use(false)
    assert.equal(await isVerified(), false)
    await use(true)
    assert.equal(await isVerified(), true)
    const { id: workspaceId } = await newWorkspace()
    const { token, mailedToken } = await invite(workspaceId, user.email)
    assert.equal((await findInvitationByToken(storage.db, token))?.mailed, false)
    assert.equal((await findInvitationByToken(storage.db, mailedToken))?.mailed, true)
  })

  test('a shared link is the same for all that ask while it is good, at once and later; another takes its place', async () => {
    const { id: userId } = await newUser()
    const otherNode = await openStorage(location)
    const tokenAt = (expiresAt: number) => `secret of ${userId} ${expiresAt}`
    const ask = (ttlMs: number, source = storage) =>
      source.write(w => findOrCreateOneTimeLink(w, { purpose: 'password', userId, ttlMs, tokenAt }))
    const links = await Promise.all(
      [storage, otherNode, storage, otherNode].map(source => ask(60_000, source)),
    )
    const [link] = links
    assert.ok(link)
    assert.deepEqual(links, Array(4).fill(link))
    await storage.write(w => createOneTimeLink(w, { purpose: 'password', userId, ttlMs: 60_000 }))
    const anew = await ask(1)
    assert.notEqual(anew.token, link.token)
    while (Date.now() <= anew.expiresAt) await setImmediate()
    assert.notEqual((await ask(60_000)).token, anew.token, 'that one has ended')
    assert.equal(await findOneTimeLink(storage.db, link.token), undefined)
    await otherNode.close()
  })

  test('tokens of links, and whose sign-ins failed, are not in clear in the database', async () => {
    const { id: workspaceId } = await newWorkspace()
    const user = await newUser()
    const { token, mailedToken } = await invite(workspaceId, user.email)
    const link = await storage.write(w =>
      createOneTimeLink(w, { purpose: 'password', userId: user.id, ttlMs: 60_000 }),
    )
    await beginAttempt(storage, [{ key: 'secretive@example.org', failuresMax: 1 }], 60_000)
    const stored = JSON.stringify([
      await storage.db.selectFrom('invitations').selectAll().execute(),
      await storage.db.selectFrom('one_time_links').selectAll().execute(),
      await storage.db.selectFrom('throttles').selectAll().execute(),
    ])
    for (const clear of [token, mailedToken, link.token, 'secretive@example.org'])
      assert.ok(!stored.includes(clear))
  })

  test('failures are counted for all nodes together, by key, and stop counting after the window', async t => {
    const key = randomUUID()
    const windowMs = 60_000
    const fail = () => beginAttempt(storage, [{ key, failuresMax: 3 }], windowMs)
    for (let times = 0; times < 3; times++) assert.ok(await fail())
    assert.equal(await fail(), undefined)
    assert.equal(await countFailures(storage.db, key, windowMs), 3)
    assert.equal(await countFailures(storage.db, randomUUID(), windowMs), 0)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + windowMs })
    assert.equal(await countFailures(storage.db, key, windowMs), 0)
    assert.ok(await fail())
    await clearFailures(storage.db, key)
    assert.equal(await countFailures(storage.db, key, windowMs), 0)
    await fail()
    t.mock.timers.setTime(Date.now() + 61 * windowMs)
    await pruneThrottles(storage.db)
    assert.deepEqual(await storage.db.selectFrom('throttles').selectAll().execute(), [])
  })

  test('concurrent attempts on all nodes count like sequential ones, and an attempt that is taken back does not count', async () => {
    const otherNode = await openStorage(location)
    const [account, address] = [randomUUID(), randomUUID()]
    const limits = [
      { key: account, failuresMax: 3 },
      { key: address, failuresMax: 30 },
    ]
    const attempts = await Promise.all(
      Array.from({ length: 20 }, (_, index) => beginAttempt(index % 2 ? storage : otherNode, limits, 60_000)),
    )
    const grantedAttempts = attempts.flatMap(attempt => attempt ?? [])
    assert.ok(grantedAttempts.length <= 3)
    for (const key of [account, address])
      assert.equal(
        await countFailures(storage.db, key, 60_000),
        grantedAttempts.length,
        'the others are not counted',
      )
    await Promise.all(grantedAttempts.map(attempt => attempt.takeBack()))
    assert.equal(await countFailures(storage.db, account, 60_000), 0)
    await otherNode.close()
  })

  /**
   * Stores what the library stores when somebody signs in to `clientId`. Returns the session's public name.
   */
  const signIn = async (accountId: string, clientId: string) => {
    const grantId = randomUUID()
    const uid = randomUUID()
    const expiresAt = Date.now() + 60_000
    const loginTs = 1_700_000_000
    const session = { kind: 'Session', accountId, loginTs, uid, authorizations: { [clientId]: {} } }
    await saveRecord(storage.db, { model: 'Session', id: `s${uid}`, uid, payload: session, expiresAt })
    const openid = { scope: 'openid email' }
    const agreed = { accountId, clientId, iat: loginTs - 1, permissions: { scopes: ['openid', 'email'] } }
    const consent = `${accountId} ${clientId}`
    await saveRecord(storage.db, {
      model: 'Consent',
      id: consent,
      payload: agreed,
      grantId: `consent ${consent}`,
    })
    const grant = { accountId, clientId, iat: loginTs, openid }
    await saveRecord(storage.db, { model: 'Grant', id: grantId, uid, payload: grant, expiresAt })
    const token = { accountId, clientId, grantId, iat: loginTs + 60 }
    await saveRecord(storage.db, { model: 'RefreshToken', id: `r${uid}`, payload: token, grantId, expiresAt })
    const has = async (model: string, id: string) =>
      (await findRecord(storage.db, model, { id })) !== undefined
    return {
      id: uid,
      grantId,
      async countRows() {
        return {
          session: await has('Session', `s${uid}`),
          grant: await has('Grant', grantId),
          consent: await has('Consent', consent),
          refreshToken: await has('RefreshToken', `r${uid}`),
          accessTokens: !(await isRevoked(storage.db, 'grant', grantId)),
        }
      },
    }
  }
  const allLeft = { session: true, grant: true, consent: true, refreshToken: true, accessTokens: true }
  /** The consent outlives the session in which it was given. */
  const onlyConsentLeft = {
    session: false,
    grant: false,
    consent: true,
    refreshToken: false,
    accessTokens: false,
  }

  test('a person’s sessions and consents are listed, and nobody else’s', async () => {
    const person = randomUUID()
    const { id, grantId } = await signIn(person, 'finder')
    await signIn(randomUUID(), 'finder')
    const [session, ...moreSessions] = await listUserSessions(storage.db, person)
    assert.deepEqual(
      [session?.id, session?.signedInAt, session?.lastUsedAt, session?.clientIds, moreSessions],
      // With the refresh token of a minute later.
      [id, 1_700_000_000_000, 1_700_000_060_000, ['finder'], []],
    )
    const [grant, consent, ...otherGrants] = await listUserGrants(storage.db, person)
    assert.deepEqual(
      [grant?.id, grant?.clientId, grant?.scopes, grant?.since, otherGrants],
      [grantId, 'finder', ['openid', 'email'], 1_700_000_000_000, []],
    )
    assert.deepEqual([consent?.clientId, consent?.scopes], ['finder', ['openid', 'email']])
  })

  test('the audit log is found by a part of the address or name of who acted, no character of it a pattern', async () => {
    const workspaceId = randomUUID()
    const acted = async (name: string) => {
      const email = `${randomUUID()}@acted.example`
      const user = await storage.write(w => createUser(w, { email, name }))
      const actor = user?.id ?? ''
      const entry = { workspaceId, actor, action: 'a', target: 't', address: '192.0.2.1', requestId: 'r' }
      await storage.write(w => recordAudit(w, entry))
      return { email, actor }
    }
    const [grace, percent] = [await acted('Grace Hopper'), await acted('100% \\ Élan_')]
    const listActors = async (actor: string) =>
      (await listAudit(storage.logs, { workspaceId, actor, count: 10 })).map(row => row.actor)
    assert.deepEqual(await listActors('hopp'), [grace.actor])
    assert.deepEqual(await listActors(grace.email.slice(2, 30).toUpperCase()), [grace.actor])
    assert.deepEqual(await listActors(grace.actor), [grace.actor])
    for (const part of ['0% \\', 'Élan_']) assert.deepEqual(await listActors(part), [percent.actor], part)
    assert.deepEqual(await listActors('@acted.example'), [percent.actor, grace.actor])
    for (const pattern of ['%hopper', 'H_pper', 'nobody'])
      assert.deepEqual(await listActors(pattern), [], pattern)
  })

  test('a session that ends takes its refresh tokens and access tokens with it, at the query service too', async () => {
    const person = randomUUID()
    const [laptop, phone, tablet] = [
      await signIn(person, 'finder'),
      await signIn(person, 'finder'),
      await signIn(person, 'reader'),
    ]
    const stranger = await signIn(randomUUID(), 'finder')
    const endOne = (id: string) => storage.write(w => endSession(w, person, id))
    assert.equal(await endOne(laptop.id), true)
    assert.equal(await endOne(laptop.id), false)
    assert.equal(await endOne(stranger.id), false)
    assert.deepEqual(
      [await laptop.countRows(), await phone.countRows(), await tablet.countRows()],
      [onlyConsentLeft, allLeft, allLeft],
    )
    assert.equal(await storage.write(w => endUserSessions(w, person, phone.id)), 1)
    assert.deepEqual([await phone.countRows(), await tablet.countRows()], [allLeft, onlyConsentLeft])
    assert.equal(await storage.write(w => endUserSessions(w, person)), 1)
    assert.deepEqual([await phone.countRows(), await stranger.countRows()], [onlyConsentLeft, allLeft])
  })

  test('a consent that is withdrawn ends what the application got, and nothing else', async () => {
    const person = randomUUID()
    const [finder, reader] = [await signIn(person, 'finder'), await signIn(person, 'reader')]
    const stranger = await signIn(randomUUID(), 'finder')
    const onlySessionLeft = { ...onlyConsentLeft, consent: false, session: true }
    assert.equal(await storage.write(w => endUserGrants(w, person, 'finder')), 2)
    assert.deepEqual(await finder.countRows(), onlySessionLeft)
    assert.deepEqual([await reader.countRows(), await stranger.countRows()], [allLeft, allLeft])
    assert.equal(await storage.write(w => endUserGrants(w, person)), 2)
    assert.deepEqual(await reader.countRows(), onlySessionLeft)
    assert.deepEqual(await listUserGrants(storage.db, person), [])
  })

  test('signing out ends sessions and all tokens, but where one sits; consents stay', async () => {
    const person = randomUUID()
    const [current, elsewhere, longAgo] = [
      await signIn(person, 'finder'),
      await signIn(person, 'finder'),
      await signIn(person, 'reader'),
    ]
    await storage.db
      .deleteFrom('oidc_records')
      .where('uid', '=', longAgo.id)
      .where('model', '=', 'Session')
      .execute()
    const stranger = await signIn(randomUUID(), 'finder')
    await storage.write(w => signOut(w, person, { grantId: current.grantId }))
    assert.deepEqual(
      [await current.countRows(), await elsewhere.countRows(), await longAgo.countRows()],
      [allLeft, onlyConsentLeft, onlyConsentLeft],
    )
    await storage.write(w => signOut(w, person))
    assert.deepEqual([await current.countRows(), await stranger.countRows()], [onlyConsentLeft, allLeft])
    const rows = await storage.db.selectFrom('oidc_records').selectAll().execute()
    const models = rows.filter(({ account_id }) => account_id === person).map(({ model }) => model)
    assert.deepEqual(models, ['Consent', 'Consent'])
  })

  test('a password is set, and a person removed with their links', async () => {
    const { id } = await newUser()
    await storage.write(w => setPassword(w, id, '$argon2id$x'))
    assert.equal((await findUser(storage.db, id))?.password_hash, '$argon2id$x')
    const { token } = await storage.write(w =>
      createOneTimeLink(w, { purpose: 'password', userId: id, ttlMs: 60_000 }),
    )
    await storage.write(w => removeUser(w, id))
    assert.equal(await findUser(storage.db, id), undefined)
    assert.equal(await findOneTimeLink(storage.db, token), undefined)
  })
}
