/** Runs the table of docs/your-account.md: pages on which an account changes. Operations: manage/account-actions.test.ts. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AccountAction, accountActions } from '#accounts/test-account-actions'
import { openTestClient } from '#oauth/test-application'
import { createOneTimeLink } from '#storage/one-time-links'
import { addPasskey, findSecondFactors } from '#storage/second-factors'
import { factorPaths } from './factor-paths.ts'
import { makeCode, type Pages, type ShownPage, startPages } from './test-pages.ts'
import { createAuthenticator, readPasskeyOptions } from './test-passkey.ts'

let pages: Pages
let ownApplication: string
let application: ReturnType<typeof openTestClient>
before(async () => {
  pages = await startPages({ hostname: 'localhost', signInThrottle: 'off' })
  ownApplication = await pages.application('Own', { own: true })
  application = openTestClient(pages, { id: ownApplication, redirectUri: pages.redirectUri })
})
after(() => pages.close())

type Reader = ReturnType<Pages['openReader']>
interface Person {
  id: string
  email: string
  /** The current code of their app, or a later one. */
  code: (stepsLater?: number) => string
}

/** Makes the session in this browser look as if the person had signed in ten minutes ago. */
const ageSessions = async (userId: string) => {
  const { db } = pages.storage
  const rows = await db
    .selectFrom('oidc_records')
    .selectAll()
    .where('account_id', '=', userId)
    .where('model', '=', 'Session')
    .execute()
  for (const row of rows) {
    const payload = JSON.parse(row.payload_json)
    payload.loginTs -= 600
    await db
      .updateTable('oidc_records')
      .set({ payload_json: JSON.stringify(payload) })
      .where('model', '=', 'Session')
      .where('id_hash', '=', row.id_hash)
      .execute()
  }
}

/** Signs in before the person has a factor: with the password alone. */
const signInWeakly = async (reader: Reader, email: string) => {
  const landed = await reader.signIn(await reader.authorize({ client_id: ownApplication }), email)
  assert.ok(landed.applicationUrl, landed.text)
}
const readSecret = ({ text }: ShownPage): string =>
  (/<code class="secret">([^<]*)/.exec(text)?.[1] ?? '').replaceAll(' ', '')

interface PageRow {
  /** Whether the action needs somebody who has a factor. */
  isForFactor?: boolean
  prepare?(person: Person): Promise<string>
  /** The address, for what `prepare` returned. */
  address(prepared: string): string
  /** Fields of the form on the page. */
  fields(page: ShownPage): Record<string, string>
}

const passkeyId = 'cGFzc2tleQ'
const givePasskey = async ({ id }: Person): Promise<string> => {
  const key = `${passkeyId}${id.replaceAll('-', '')}`
  const passkey = {
    id: key,
    user_id: id,
    name: 'Laptop',
    public_key: 'AA',
    counter: 0,
    transports_json: '[]',
    synced: 0,
  }
  // The page only shows its name.
  await pages.storage.write(writer => addPasskey(writer, passkey))
  return key
}
const makeEmailLink = async ({ id }: Person): Promise<string> => {
  const email = `new-${id}@example.net`
  const link = { purpose: 'email', userId: id, ttlMs: 60_000, mailed: true, email } as const
  return (await pages.storage.write(writer => createOneTimeLink(writer, link))).token
}

const setUpApp: PageRow = {
  address: () => factorPaths.app,
  fields: page => ({ action: 'confirm', code: makeCode(readSecret(page)) }),
}
const pageRows: Readonly<Record<string, PageRow>> = {
  'confirm the new address': {
    prepare: makeEmailLink,
    address: link => `/email/confirm/${link}`,
    fields: () => ({ action: 'confirm' }),
  },
  'set up an authenticator app': setUpApp,
  'replace the app': { ...setUpApp, isForFactor: true },
  'add a passkey': {
    address: () => factorPaths.addPasskey,
    fields: page => ({
      name: 'Laptop',
      passkey: createAuthenticator(pages.authUrl).create(readPasskeyOptions(page)),
    }),
  },
  'remove the app': {
    isForFactor: true,
    address: () => factorPaths.removeApp,
    fields: () => ({ action: 'remove' }),
  },
  'rename a passkey': {
    isForFactor: true,
    prepare: givePasskey,
    address: factorPaths.passkey,
    fields: () => ({ action: 'rename', name: 'Other' }),
  },
  'remove a passkey': {
    isForFactor: true,
    prepare: givePasskey,
    address: factorPaths.passkey,
    fields: () => ({ action: 'remove' }),
  },
  'get new recovery codes': {
    isForFactor: true,
    address: () => factorPaths.recoveryCodes,
    fields: () => ({ action: 'create' }),
  },
}

const summarize = async (userId: string) => {
  const { app, passkeys, recoveryCodes } = await findSecondFactors(pages.storage.db, userId)
  const user = await pages.storage.db
    .selectFrom('users')
    .select('email')
    .where('id', '=', userId)
    .executeTakeFirst()
  return JSON.stringify([
    user,
    app?.encrypted_secret,
    passkeys.map(({ id, name }) => [id, name]),
    recoveryCodes,
  ])
}
const isSignIn = ({ text }: ShownPage) => text.includes('name="password"')
const isFactorStep = ({ text }: ShownPage) => text.includes('Confirm that it is you')
/** Mails about changes: a sign-in with a new browser sends one too. */
const mailsTo = async (email: string) => {
  await pages.noticesSettled()
  const subjects = /second factors have changed|e-mail address was changed/
  return pages.letters.filter(({ to, subject }) => to === email && subjects.test(subject)).length
}

const fresh = accountActions.filter(({ page, proof }) => page !== undefined && proof === 'fresh')
const findRow = ({ what }: AccountAction): PageRow => {
  const row = pageRows[what]
  assert.ok(row, what)
  return row
}
const newPerson = async (hasFactor: boolean): Promise<Person> => {
  const person = await pages.newPerson()
  return { ...person, code: hasFactor ? await pages.giveApp(person) : () => '' }
}
/** With the page of an action, opened while it was allowed. */
const openPage = async (reader: Reader, row: PageRow, person: Person) => {
  const address = row.address((await row.prepare?.(person)) ?? '')
  return { address, page: await reader.go(address) }
}

for (const action of fresh) {
  const row = findRow(action)

  test(`${action.what}: an older sign-in, or one without the person's factor, changes nothing`, async () => {
    const older = await newPerson(false)
    const reader = pages.openReader()
    await signInWeakly(reader, older.email)
    await ageSessions(older.id)
    const olderPage = await openPage(reader, row, older)
    assert.ok(isSignIn(olderPage.page), 'asks for a sign-in')

    const weak = await newPerson(false)
    const thief = pages.openReader()
    await signInWeakly(thief, weak.email)
    // The page that was opened before still has a form.
    const earlierPage = row.isForFactor ? undefined : await openPage(thief, row, weak)
    await pages.giveApp(weak)
    const { address, page } = earlierPage ?? (await openPage(thief, row, weak))
    const stored = await summarize(weak.id)
    assert.ok(isFactorStep(await thief.go(address)), 'asks for the factor')
    if (earlierPage) {
      const landed = await thief.send(page, row.fields(page))
      assert.ok(isFactorStep(landed) && landed.applicationUrl === undefined)
    }
    assert.equal(await summarize(weak.id), stored)
    assert.equal(await mailsTo(weak.email), 0)
  })

  test(`${action.what}: a fresh sign-in does it, the person gets a mail, and the right sessions end`, async () => {
    for (const hasFactor of row.isForFactor ? [true] : [false, true]) {
      const person = await newPerson(false)
      const elsewhere = pages.openReader()
      await signInWeakly(elsewhere, person.email)
      const tokens = await application.signIn(
        person.id,
        {
          scope: 'openid offline_access',
          audience: pages.baseUrl,
        },
        { browser: elsewhere.browser },
      )
      const code = hasFactor ? await pages.giveApp(person) : () => ''
      const reader = pages.openReader()
      const address = row.address((await row.prepare?.({ ...person, code })) ?? '')
      let page = await reader.signIn(await reader.go(address), person.email)
      if (hasFactor) page = await reader.send(page, { action: 'verify', code: code() })
      const stored = await summarize(person.id)
      await reader.send(page, row.fields(page))
      assert.notEqual(await summarize(person.id), stored, page.text)
      assert.ok((await mailsTo(person.email)) > 0, 'a mail')
      const silently = { client_id: ownApplication, prompt: 'none' }
      assert.ok((await reader.authorize(silently)).parameters.code, 'this session stays')
      const ends = action.ends === 'others' || (action.ends === 'first-factor' && !hasFactor)
      assert.equal(
        (await elsewhere.authorize(silently)).parameters.error,
        ends ? 'login_required' : undefined,
      )
      assert.equal(await pages.query(String(tokens.access_token)), ends ? 401 : 200)
      assert.equal((await application.refresh(tokens.refresh_token)).status, ends ? 400 : 200)
    }
  })
}

test('the first factor keeps other sessions if the person says so, and cancels a change of address anyway', async () => {
  for (const name of ['set up an authenticator app', 'add a passkey']) {
    const person = await newPerson(false)
    const elsewhere = pages.openReader()
    await signInWeakly(elsewhere, person.email)
    const link = await makeEmailLink(person)
    const row = pageRows[name] as PageRow
    const reader = pages.openReader()
    const page = await reader.signIn(await reader.go(row.address('')), person.email)
    assert.match(page.text, /<button name="action" value="keep-sessions"/)
    await reader.send(page, { ...row.fields(page), action: 'keep-sessions' })
    const silently = { client_id: ownApplication, prompt: 'none' }
    assert.ok((await elsewhere.authorize(silently)).parameters.code)
    assert.equal((await reader.go(`/email/confirm/${link}`)).status, 410)
    // The question is about the first one.
    assert.doesNotMatch((await reader.go('/factors/passkeys/add')).text, /keep-sessions/)
  }
})

test('the table has every page on which an account changes', () => {
  const listed = new Set(accountActions.flatMap(({ page }) => page ?? []))
  const paths = [...Object.values(factorPaths), '/email/confirm'].map(path =>
    typeof path === 'string' ? path : path('{id}'),
  )
  for (const path of paths) assert.ok(listed.has(path) || path === factorPaths.signedIn, path)
  assert.deepEqual(Object.keys(pageRows).sort(), fresh.map(({ what }) => what).sort())
})
