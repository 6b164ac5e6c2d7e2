/** The account page in real Chromium: name, address, export and deletion, with a real mail server. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import Database from 'better-sqlite3'
import { Secret, TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import { openTestMailServer, type TestMailServer } from '#server/accounts/test-mail'
import { patienceMs } from '#server/test-wait'
import { openChromium } from '#tests/support/chromium'
import { password, readDownload, visitSignedIn, waitForFocus } from '#tests/support/console-visit'
import { makeLibrary } from '#tests/support/library'
import { inspectViews } from '#tests/support/pages-inspect'
import { openPerson } from '#tests/support/person'
import { type StartedServer, startServerProcess } from '#tests/support/started-server'

let mailServer: TestMailServer
let server: StartedServer
let browser: Browser
before(async () => {
  mailServer = await openTestMailServer()
  process.env.QUERENT_SMTP_URL = mailServer.smtpUrl
  process.env.QUERENT_MAIL_FROM = 'Search <search@example.org>'
  server = await startServerProcess()
  await makeLibrary(server)
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
  await mailServer?.close()
})

const newPerson = (email: string) =>
  server.run(['users', 'create', email, '--name', 'Grace Hopper', '--password-stdin'], {
    input: `${password}\n`,
  })
const openAccount = async (email: string) => {
  await newPerson(email)
  return visitSignedIn(browser, server, '/you', email)
}
const backToWide = (page: Page) => page.setViewportSize({ width: 1280, height: 800 })

test('a person changes their name, and their address by a link in a mail, and then signs in with the new one', async t => {
  const { page, open, end } = await openAccount('grace@example.org')
  await page.getByLabel('Name', { exact: true }).fill('Rear Admiral Hopper')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').getByText('Saved.').waitFor()
  await page.getByText('Rear Admiral Hopper, grace@example.org').waitFor()

  await page.getByRole('button', { name: 'Change address' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('New e-mail address').fill('hopper@example.net')
  await inspectViews(page, 'you-change-email', undefined)
  await backToWide(page)
  await dialog.getByRole('button', { name: 'Send link' }).click()
  await page.getByText('Open the link in your new mailbox').waitFor()
  await inspectViews(page, 'you-pending-email', undefined)
  await backToWide(page)

  const findMail = (to: string, part: RegExp) => {
    const mail = mailServer.letters.find(letter => letter.to.join() === to && part.test(letter.content))
    assert.ok(mail, `a mail to ${to}`)
    return mail.content
  }
  await t.waitFor(() => findMail('grace@example.org', /hopper@example\.net/), { timeout: patienceMs })
  const text = findMail('hopper@example.net', /email\/confirm/)
  await page.goto(/http\S+\/email\/confirm\/[\w-]+/.exec(text)?.[0] ?? '')
  await page.getByRole('button', { name: 'Confirm' }).waitFor()
  await inspectViews(page, 'confirm-email', undefined)
  await backToWide(page)
  await page.getByRole('link', { name: 'Nederlands' }).click()
  await page.getByRole('button', { name: 'Bevestigen' }).waitFor()
  await page.getByRole('link', { name: 'English' }).click()
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('heading', { name: 'Your e-mail address has changed' }).waitFor()
  await open('/you')
  await page.getByText('Rear Admiral Hopper, hopper@example.net').waitFor()
  await end()
})

test('the page exports what is stored, and deletes the account after its address was typed', async () => {
  const { page, expectRefused, end } = await openAccount('leaving@example.org')
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export data' }).click()
  const exported = JSON.parse(await readDownload(await downloading))
  assert.deepEqual([exported.user.email, exported.user.hasPassword], ['leaving@example.org', true])

  await page.getByRole('button', { name: 'Delete account' }).click()
  const dialog = page.getByRole('dialog')
  const confirm = dialog.getByRole('button', { name: 'Delete account' })
  await dialog.getByLabel('Type leaving@example.org to confirm').fill('someone@example.org')
  await confirm.click()
  await dialog.getByText('This is not your address.').waitFor()
  await inspectViews(page, 'you-delete', undefined)
  await backToWide(page)
  await dialog.getByLabel('Type leaving@example.org to confirm').fill('leaving@example.org')
  await confirm.click()
  await page.getByRole('dialog', { name: 'Your account is deleted' }).waitFor()
  await page.getByRole('button', { name: 'Leave the console' }).click()
  await page.getByRole('heading', { name: 'Sign-in for search' }).waitFor()
  await page.goto(`${server.authUrl}/console/you`)
  await page.locator('[name=email]').fill('leaving@example.org')
  await page.locator('[name=password]').fill(password)
  await expectRefused([422], async () => {
    await page.locator('[value=sign-in]').click()
    await page.getByRole('alert').waitFor()
  })
  await end()
})

/** Makes the person's sign-ins look ten minutes old, in the storage of the running server. In its own process, SQLite waits for it. */
const ageSignIns = (email: string) => {
  const storage = new Database(join(server.data, 'querent.db'))
  const rows = storage
    .prepare(
      `select model, id_hash, payload_json from oidc_records
       where model in ('Session', 'Grant') and account_id = (select id from users where email = ?)`,
    )
    .all(email) as { model: string; id_hash: string; payload_json: string }[]
  const update = storage.prepare('update oidc_records set payload_json = ? where model = ? and id_hash = ?')
  for (const { model, id_hash, payload_json } of rows) {
    const payload = JSON.parse(payload_json)
    for (const time of ['iat', 'loginTs']) if (payload[time] !== undefined) payload[time] -= 600
    update.run(JSON.stringify(payload), model, id_hash)
  }
  storage.close()
}

test('changes lead through a fresh sign-in with the second factor, and back to what was typed', async () => {
  const email = 'careful@example.org'
  const { page, expectRefused, end } = await openAccount(email)
  let secret = ''
  const recoveryCodes: string[] = []
  const elsewhere = openPerson(server, email, password)
  const stays = elsewhere.completeFlow(`${server.authUrl}/factors/app`, [], (text, form) => {
    recoveryCodes.push(...[...text.matchAll(/<li><code>([^<]*)/g)].map(([, code = '']) => code))
    const shownSecret = /<code class="secret">([^<]*)/.exec(text)?.[1]?.replaceAll(' ', '')
    if (!shownSecret) return form
    secret = shownSecret
    const code = TOTP.generate({ secret: Secret.fromBase32(secret) })
    return { ...form, action: 'keep-sessions', code }
  })
  await assert.rejects(stays, /stopped at \/factors: 200/)

  // This session is fresh, but has no second factor.
  await page.getByRole('button', { name: 'Change address' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('New e-mail address').fill('more.careful@example.net')
  await expectRefused([401], async () => {
    await dialog.getByRole('button', { name: 'Send link' }).click()
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
  })
  const nextCode = TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.now() + 30_000 })
  await page.locator('[name=code]').fill(nextCode)
  await page.locator('button[value=verify]').click()
  await dialog.getByLabel('New e-mail address').waitFor()
  assert.equal(await dialog.getByLabel('New e-mail address').inputValue(), 'more.careful@example.net')
  await dialog.getByRole('button', { name: 'Send link' }).click()
  await page.getByText('Open the link in your new mailbox').waitFor()

  const signInAgain = async () => {
    await page.locator('[name=password]').fill(password)
    await page.locator('[value=sign-in]').click()
    await page.locator('[name=code]').fill(recoveryCodes.pop() ?? '')
    await page.locator('button[value=verify]').click()
  }
  ageSignIns(email)
  const downloading = page.waitForEvent('download')
  await expectRefused([401], async () => {
    await page.getByRole('button', { name: 'Export data' }).click()
    await signInAgain()
    const exported = JSON.parse(await readDownload(await downloading))
    assert.equal(exported.user.email, email)
  })

  ageSignIns(email)
  await page.reload()
  await page.getByRole('button', { name: 'Sign in again and change password' }).click()
  await signInAgain()
  await waitForFocus(page.getByLabel('Current password'))
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('New password').fill('a much longer sentence than before')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Password changed.').waitFor()
  await end()
})

test('the last administrator of a workspace is told which one keeps the account', async () => {
  await newPerson('last@example.org')
  await server.call('setMember', {
    params: { workspace: 'library', email: 'last@example.org' },
    input: { roles: ['administrator'] },
  })
  await server.call('removeMember', { params: { workspace: 'library', email: 'ada@example.org' } })
  const { page, expectRefused, end } = await visitSignedIn(browser, server, '/you', 'last@example.org')
  await page.getByRole('button', { name: 'Delete account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type last@example.org to confirm').fill('last@example.org')
  await expectRefused([409], async () => {
    await dialog.getByRole('button', { name: 'Delete account' }).click()
    await dialog.getByText(/last administrator of library/).waitFor()
  })
  await end()
})

test('the language of the page holds for mails and the sign-in pages', async () => {
  const { page, end } = await openAccount('anna@example.org')
  await page.getByLabel('Language', { exact: true }).selectOption('nl')
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
  await page.getByLabel('Taal', { exact: true }).waitFor()
  const cookies = await page.context().cookies()
  assert.equal(cookies.find(({ name }) => name === 'querent_language')?.value, 'nl')
  const { user } = (await server.run(['users', 'export', 'anna@example.org'])) as {
    user: { language: string }
  }
  assert.equal(user.language, 'nl')
  await page.getByLabel('Taal', { exact: true }).selectOption('en')
  await page.getByLabel('Language', { exact: true }).waitFor()
  await end()
})
