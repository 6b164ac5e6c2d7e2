/** Runs the table of docs/your-account.md: operations of the management API on an account. Pages: oauth/interactions/account-actions.test.ts. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { twoFactorLevel } from '@querent/contract/authentication-levels'
import { type Operation, operations } from '@querent/contract/manage'
import { hashPassword } from '#accounts/password-hash'
import { type AccountAction, accountActions } from '#accounts/test-account-actions'
import { authUrl } from '#authz/test-tokens'
import { findRecord, saveRecord } from '#storage/oidc-records'
import { createOneTimeLink } from '#storage/one-time-links'
import { saveAuthenticatorApp } from '#storage/second-factors'
import { createUser } from '#storage/users'
import { managementOpenApi } from './openapi.ts'
import { openTestServer, signIn } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
const password = 'correct horse'
let passwordHash: string
before(async () => {
  server = await openTestServer()
  passwordHash = await hashPassword(password)
})
after(() => server.close())

const rows = accountActions.filter(action => action.operation !== undefined)
const allOperations: Readonly<Record<string, Operation>> = operations
const findOperation = ({ operation = '' }: AccountAction): Operation => {
  const row = allOperations[operation]
  assert.ok(row, operation)
  return row
}

/** Nobody disables or deletes themselves. */
const isNeverOwn = ({ operation }: AccountAction): boolean =>
  operation === 'updateUser' || operation === 'removeUser'

/** Somebody with this session at the console, another one elsewhere, and a consent. */
const newPerson = async ({
  hasFactor = false,
  acr = undefined as string | undefined,
  secondsAgo = 0,
} = {}) => {
  const email = `${randomUUID()}@example.org`
  const { storage } = server
  const user = await storage.write(writer => createUser(writer, { email, name: 'Pat', passwordHash }))
  assert.ok(user)
  if (hasFactor)
    await storage.write(writer =>
      saveAuthenticatorApp(writer, { userId: user.id, encryptedSecret: 'sealed', step: 0 }),
    )
  const session = await signIn(storage, user.id, 'console', { secondsAgo })
  const elsewhere = await signIn(storage, user.id)
  const consented = await signIn(storage, user.id, `consented-${user.id}`)
  await saveRecord(storage.db, {
    model: 'Consent',
    id: randomUUID(),
    grantId: randomUUID(),
    payload: { accountId: user.id, clientId: consented.clientId },
  })
  const link = { purpose: 'email', userId: user.id, ttlMs: 60_000, email: 'n@example.org' } as const
  await storage.write(writer => createOneTimeLink(writer, link))
  const token = await server.token({
    subject: user.id,
    clientId: 'console',
    audience: `${authUrl}/manage/`,
    grantId: session.grantId,
    ...(acr === undefined ? {} : { acr }),
  })
  return { id: user.id, email, token, session, elsewhere, consented }
}
type Person = Awaited<ReturnType<typeof newPerson>>

const bodies: Readonly<Record<string, object>> = {
  updateMe: { name: 'Patricia' },
  changeEmail: { email: 'new@example.org' },
  changePassword: { current: password, new: 'battery staple 9' },
  deleteMe: {},
  updateUser: { disabled: true },
}
const send = (action: AccountAction, caller: Parameters<typeof server.call>[0], person: Person) => {
  const { id, method, path } = findOperation(action)
  const values: Record<string, string> = {
    email: person.email,
    sessionId: person.elsewhere.sessionId,
    clientId: person.consented.clientId,
  }
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  return server.call(caller, method, `/manage/v1${address}`, bodies[id])
}
const isLeft = async ({ refreshToken }: { refreshToken: string }) =>
  (await findRecord(server.storage.db, 'RefreshToken', { id: refreshToken })) !== undefined
const mailsTo = (email: string) => server.mailServer.letters.filter(({ to }) => to.includes(email))
const awaitMail = async (email: string) => {
  while (mailsTo(email).length === 0) await server.mailServer.next()
}

/** Whether each session is left: this one, the one elsewhere, that of the consent. */
const expectedSessions = ({ operation, ends }: AccountAction): boolean[] =>
  ({
    none: [true, true, true],
    others: [true, false, false],
    'first-factor': [true, false, false],
    all: [false, false, false],
    named: operation === 'withdrawMyConsent' ? [true, true, false] : [true, false, true],
  })[ends]

const assertDone = async (action: AccountAction, person: Person, status: number) => {
  assert.ok(status < 300, `${action.operation} ${status}`)
  const { session, elsewhere, consented } = person
  const sessions = [await isLeft(session), await isLeft(elsewhere), await isLeft(consented)]
  assert.deepEqual(sessions, expectedSessions(action), action.operation)
  for (const [index, { grantId }] of [session, elsewhere, consented].entries())
    assert.equal(await server.directory.grantRevoked(grantId), !sessions[index], 'at the query service too')
  if (action.mail) await awaitMail(person.email)
}

for (const action of rows.filter(({ proof }) => proof === 'fresh'))
  test(`${action.operation} needs a fresh sign-in, with the factor of those who have one`, async () => {
    const assertRefused = async (person: Person, level?: string) => {
      const { status, body, headers } = await send(action, person, person)
      assert.deepEqual([status, body.code], [401, 'sign-in-too-old'])
      const challenge = headers.get('www-authenticate') ?? ''
      assert.match(challenge, /^Bearer .*error="insufficient_user_authentication".*max_age="300"/)
      assert.equal(/acr_values="([^"]*)"/.exec(challenge)?.[1], level)
      assert.deepEqual([await isLeft(person.session), await isLeft(person.elsewhere)], [true, true])
    }
    await assertRefused(await newPerson({ secondsAgo: 400 }))
    await assertRefused(await newPerson({ hasFactor: true }), twoFactorLevel)
    await assertRefused(
      await newPerson({ hasFactor: true, acr: twoFactorLevel, secondsAgo: 400 }),
      twoFactorLevel,
    )
    for (const allowed of [await newPerson(), await newPerson({ hasFactor: true, acr: twoFactorLevel })])
      await assertDone(action, allowed, (await send(action, allowed, allowed)).status)
  })

for (const action of rows.filter(({ proof }) => proof === 'session'))
  test(`${action.operation} needs a session only`, async () => {
    for (const person of [await newPerson({ secondsAgo: 400 }), await newPerson({ hasFactor: true })])
      await assertDone(action, person, (await send(action, person, person)).status)
  })

for (const action of rows.filter(({ proof }) => proof === 'operator'))
  test(`${action.operation} is for operators, for their own account like for everybody`, async () => {
    const person = await newPerson({ hasFactor: true })
    await assertDone(action, person, (await send(action, 'operator', person)).status)

    const operator = await newPerson({ hasFactor: true })
    await server.storage.db.updateTable('users').set({ operator: 1 }).where('id', '=', operator.id).execute()
    await server.storage.write(async writer => writer.announce('user', operator.id))
    const reply = await send(action, operator, operator)
    const expected = isNeverOwn(action) ? [409, 'conflict'] : [401, 'sign-in-too-old']
    assert.deepEqual([reply.status, reply.body.code], expected)
  })

test('the table has every operation on an account, and says which need a fresh sign-in', () => {
  /** Operators only read with these. */
  const readings: readonly string[] = ['listMemberships', 'listFactors']
  const isAboutAccounts = ({ id, path }: Operation) =>
    /^\/me(\/|$)|^\/users\/\{email\}/.test(path) && !readings.includes(id)
  const accountOperations = Object.values(allOperations).filter(isAboutAccounts)
  assert.deepEqual(
    rows.map(({ operation }) => operation).sort(),
    accountOperations.map(({ id }) => id).sort(),
  )
  const expectedRecent = (action: AccountAction): Operation['recentSignIn'] => {
    if (action.proof === 'fresh') return 'always'
    return action.proof === 'operator' && !isNeverOwn(action) ? 'own-account' : undefined
  }
  for (const action of rows)
    assert.equal(findOperation(action).recentSignIn, expectedRecent(action), action.operation)
  const otherOperations = Object.values(allOperations).filter(row => !accountOperations.includes(row))
  assert.deepEqual(
    otherOperations.filter(({ recentSignIn }) => recentSignIn),
    [],
  )
})

test('the OpenAPI document names the error of exactly the operations that need a fresh sign-in', () => {
  const { paths } = managementOpenApi('http://127.0.0.1:4001')
  const described = Object.values(Object(paths)).flatMap(methods => Object.values(Object(methods)))
  assert.equal(described.length, Object.keys(allOperations).length)
  // The tests above send them.
  const fresh = rows.filter(
    action => action.proof === 'fresh' || (action.proof === 'operator' && !isNeverOwn(action)),
  )
  for (const { operationId, description, responses } of described.map(Object)) {
    const isFresh = fresh.some(({ operation }) => operation === operationId)
    assert.equal(responses[401].description.includes('`sign-in-too-old`'), isFresh, operationId)
    assert.equal(description.includes('sign-in to the console of the last five minutes'), isFresh)
  }
})

const proofTexts = {
  session: 'any session',
  fresh: '5 minutes, with the factor',
  link: 'the link',
  operator: 'operator',
} as const
const endTexts = {
  none: '—',
  others: 'all others',
  'first-factor': 'all others, for the first factor',
  named: 'that one',
  all: 'all',
} as const

test('docs/your-account.md shows the table', async () => {
  const text = await readFile(new URL('../../../../docs/your-account.md', import.meta.url), 'utf8')
  const section = text.slice(text.indexOf('## What each change needs')).split('\n## ')[0] ?? ''
  const documentedRows = section
    .split('\n')
    .filter(line => line.startsWith('| ') && !/^\| -+/.test(line))
    .slice(1)
    .map(line =>
      line
        .split('|')
        .slice(1, -1)
        .map(cell => cell.trim()),
    )
  const expected = accountActions.map(action => {
    const place = action.page ?? (({ method, path }) => `${method} ${path}`)(findOperation({ ...action }))
    return [
      action.what,
      `\`${place}\``,
      proofTexts[action.proof],
      action.mail ? 'yes' : '—',
      endTexts[action.ends],
    ]
  })
  assert.deepEqual(documentedRows, expected)
})
