/** The operators' pages of the console in the fake DOM: status, people, workspaces, keys, mail, backup. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openTestMailServer, type TestMailServer } from '#server/accounts/test-mail'
import { openStorage } from '#server/storage/db'
import { saveAuthenticatorApp } from '#server/storage/second-factors'
import { findUserByEmail } from '#server/storage/users'
import { runQuerent } from '#tests/support/command-line'
import { inspectViews, showInBrowser } from '#tests/support/console-dom/inspect'
import { visitSignedIn, waitForCount, waitForFocus } from '#tests/support/console-dom/visit'
import { adminEmail, findBrokenTableText, password } from '#tests/support/console-visit'
import { books, makeLibrary } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

const smtpPassword = 'mail-secret-4711'
let mailServer: TestMailServer
let server: StartedServer
before(async () => {
  mailServer = await openTestMailServer({
    account: { user: 'me', password: smtpPassword },
    refuse: address => address.startsWith('unknown'),
  })
  // A setting with a password has no flag.
  server = await startServer([], {
    QUERENT_SMTP_URL: mailServer.smtpUrl,
    QUERENT_MAIL_FROM: 'search@example.org',
  })
  await makeLibrary(server)
})
after(async () => {
  await server?.stop()
  await mailServer?.close()
})

const visitAsOperator = (path: string) => visitSignedIn(server, path)

test('Status shows version, health and nodes, and the menu of workspaces leads there', async () => {
  const { page, open, end } = await visitAsOperator('/w/library')
  await page.getByRole('button', { name: 'The library' }).click()
  await page.getByRole('menuitem', { name: 'Server', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Status' }).waitFor()
  assert.equal(
    await page.getByRole('link', { name: 'metrics' }).getAttribute('href'),
    '/console/docs/watch.html',
  )
  const checks = page.getByRole('list', { name: 'Checks of the server' })
  await checks.getByText(`this browser reaches the query service at ${server.baseUrl}`).waitFor()
  await checks.getByText('no backup was made').waitFor()
  assert.doesNotMatch((await checks.textContent()) ?? '', /`/)
  await checks.locator('code').first().waitFor()
  await page.getByRole('status').getByText('Everything works, with warnings.').waitFor()
  await page.getByRole('heading', { level: 2, name: 'Nodes' }).waitFor()
  await page.getByText('queries, authorization').waitFor()
  await page.getByRole('button', { name: 'Check again' }).click()
  await inspectViews(page, 'server-status', 'console')
  for (const [link, heading] of Object.entries({
    People: 'People',
    Workspaces: 'Workspaces',
    'Signing keys': 'Signing keys',
    Mail: 'Mail',
    Backup: 'Backup',
  })) {
    await page.getByRole('navigation', { name: 'Server' }).getByRole('link', { name: link }).click()
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  }
  await open('/server/nothing')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await end()
})

/** As if the person had set it up. Nobody signs in with it. */
const giveAuthenticatorApp = async (email: string): Promise<void> => {
  const storage = await openStorage({ file: join(server.data, 'querent.db') })
  await storage.write(async writer => {
    const user = await findUserByEmail(writer.db, email)
    await saveAuthenticatorApp(writer, { userId: user?.id ?? '', encryptedSecret: 'sealed', step: 0 })
  })
  await storage.close()
}

test('People: an operator creates an account, sees its memberships, disables, exports and deletes it', async () => {
  const { page, expectRefused, end } = await visitAsOperator('/server/people')
  await page.getByRole('button', { name: 'Create account' }).press('Enter')
  const dialog = page.getByRole('dialog')
  await expectRefused([409], async () => {
    await dialog.getByLabel('E-mail').fill(adminEmail)
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await dialog.getByText('already exists').waitFor()
  })
  await dialog.getByLabel('E-mail').fill('grace@example.org')
  await dialog.getByLabel('Name').fill('Grace Hopper')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog.getByText('Copy the link now').waitFor()
  const link = (await dialog.locator('code').textContent()) ?? ''
  assert.equal((await fetch(link)).status, 200)
  await inspectViews(page, 'server-account-created', undefined)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await waitForFocus(page.getByRole('button', { name: 'Create account' }))
  const params = { workspace: 'library' }
  await server.call('setMemberDefaults', { params, input: { filter: { genre: 'drama' } } })
  await server.call('setGroup', {
    params: { ...params, group: 'comedians' },
    input: { title: 'The comedians', filter: { genre: 'comedy' } },
  })
  await server.call('setMember', {
    params: { ...params, email: 'grace@example.org' },
    input: { roles: ['user'], groups: ['comedians'] },
  })

  const field = page.getByRole('searchbox', { name: 'Search' })
  const rows = page.getByRole('region', { name: 'People' }).locator('tbody').getByRole('row')
  await rows.filter({ hasText: 'grace@example.org' }).waitFor()
  await giveAuthenticatorApp('grace@example.org')
  await inspectViews(page, 'server-people', 'console')
  await field.fill('HOPP')
  await page.waitForURL('**/people?search=HOPP')
  await page.getByText('No people match.').waitFor()
  await field.fill('grace h')
  await waitForCount(rows, 1)
  assert.deepEqual(await findBrokenTableText(await showInBrowser()), [])
  await page.getByRole('link', { name: 'grace@example.org' }).click()
  await page.getByRole('heading', { level: 1, name: 'grace@example.org' }).waitFor()
  const memberships = page.getByRole('region', { name: 'Memberships' })
  await memberships.getByRole('link', { name: 'The library' }).waitFor()
  await memberships.getByText('Editor', { exact: true }).waitFor()
  // As Team Members says it.
  await memberships.getByText('what The comedians opens').waitFor()
  await inspectViews(page, 'server-person', undefined)

  await page.getByText('Authenticator app').waitFor()
  await page.getByRole('button', { name: 'Remove second factors' }).click()
  await dialog.getByRole('button', { name: 'Remove second factors' }).click()
  await page.getByText('Authenticator app').waitFor({ state: 'detached' })
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('button', { name: 'Remove second factors' }).count(), 0)

  const saved = page.waitForDownload()
  await page.getByRole('button', { name: 'Export data' }).click()
  const exported = JSON.parse(await readFile(await (await saved).path(), 'utf8'))
  assert.equal(exported.user.email, 'grace@example.org')

  await page.getByRole('button', { name: 'Create reset link' }).click()
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  const resetLink = (await dialog.locator('code').textContent()) ?? ''
  assert.notEqual(resetLink, link)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Disable' }).click()
  await dialog.getByRole('button', { name: 'Disable' }).click()
  await page.getByText('disabled', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByText('active', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Delete account' }).click()
  const confirm = dialog.getByRole('button', { name: 'Delete account' })
  assert.ok(await confirm.isDisabled())
  await dialog.getByLabel('Type grace@example.org to confirm').fill('grace@example.org')
  await confirm.click()
  await page.getByRole('heading', { level: 1, name: 'People' }).waitFor()
  await rows.filter({ hasText: adminEmail }).waitFor()
  await rows.filter({ hasText: 'grace@example.org' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: adminEmail }).click()
  await page.getByRole('heading', { level: 1, name: adminEmail }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Disable' }).count(), 0, 'not yourself')
  await end()
})

test('Workspaces: sizes of all of them, and deletion after the name is typed', async () => {
  const { page, end } = await visitAsOperator('/server/workspaces')
  await page.getByRole('button', { name: 'Create workspace' }).click()
  await page.getByLabel('Title').fill('Short-lived')
  await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
  await page.waitForURL('**/w/short-lived')
  await page.goBack()
  const row = (name: string) =>
    page.getByRole('region', { name: 'Workspaces' }).getByRole('row').filter({ hasText: name })
  const cell = (name: string, heading: string) =>
    row(name).locator(`[data-heading="${heading}"]`).textContent()
  await row('short-lived').waitFor()
  assert.deepEqual(
    [
      await cell('library', 'People'),
      await cell('library', 'System-to-System accounts'),
      await cell('library', 'Collections'),
      await cell('library', 'Documents'),
      await cell('short-lived', 'Documents'),
    ],
    ['1', '1', '1', String(books.length), '0'],
  )
  await inspectViews(page, 'server-workspaces', undefined)
  await page.getByRole('button', { name: 'Delete the workspace short-lived' }).click()
  const dialog = page.getByRole('dialog')
  const confirm = dialog.getByRole('button', { name: 'Delete', exact: true })
  await dialog.getByText(/^It has 0 documents, \d+ collections?, and \d+ members?\.$/).waitFor()
  await dialog.getByLabel('Type short-lived to confirm').fill('library')
  assert.ok(await confirm.isDisabled())
  await dialog.getByLabel('Type short-lived to confirm').fill('short-lived')
  await confirm.click()
  await row('short-lived').waitFor({ state: 'detached' })
  await row('library').waitFor()
  await end()
})

test('Signing keys: rotation publishes new keys, and a leaked key is revoked after it is named', async () => {
  const { page, end } = await visitAsOperator('/server/keys')
  const rows = page.getByRole('region', { name: 'Signing keys' }).locator('tbody').getByRole('row')
  const signing = await rows.count()
  await page.getByRole('button', { name: 'Rotate the signing keys' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click()
  await page.getByText('The new keys are published.').waitFor()
  await waitForCount(rows, signing * 2)
  await rows.getByText('Next', { exact: true }).first().waitFor()
  await inspectViews(page, 'server-keys', undefined)
  const next = rows.filter({ hasText: 'Next' }).first()
  const name = ((await next.locator('[data-heading=Key]').textContent()) ?? '').replace('…', '')
  await next.getByRole('button', { name: /^Revoke/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(`Type ${name} to confirm`).fill(name)
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await rows.getByText(name).waitFor({ state: 'detached' })
  await end()
})

test('Mail: the answer of the mail server is shown, never its password', async () => {
  const { page, end } = await visitAsOperator('/server/mail')
  const recipient = page.getByLabel('Send a test mail to')
  assert.equal(await recipient.inputValue(), adminEmail)
  await recipient.press('Enter')
  await page.getByText('The mail server accepted the mail').waitFor()
  await page.locator('code').getByText(/^250 /).waitFor()
  await inspectViews(page, 'server-mail', undefined)
  await recipient.fill('unknown@example.org')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('The mail server did not accept the mail').waitFor()
  await page.locator('code').getByText('no mailbox unknown').waitFor()
  assert.ok(!(await page.content()).includes(smtpPassword))
  await end()
})

test('Team Members: with a mail server an invitation is sent again, after a question', async () => {
  const email = 'guest@example.org'
  await server.call('inviteMember', { params: { workspace: 'library' }, input: { email, roles: ['api'] } })
  const { page, end } = await visitAsOperator('/w/library/settings/team-members')
  await page.getByRole('button', { name: `Resend the invitation of ${email}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/^The link created .* stops working/).waitFor()
  await inspectViews(page, 'invitation-resend', undefined)
  await dialog.getByRole('button', { name: 'Resend', exact: true }).click()
  await dialog.getByText('The earlier link no longer works.').waitFor()
  await dialog.getByRole('button', { name: "I've saved it" }).click()
  await end()
})

test('Backup: a download needs the password, and can be restored', async () => {
  const { page, expectRefused, end } = await visitAsOperator('/server/backup')
  const field = page.getByLabel('Your password')
  await expectRefused([400], async () => {
    await field.fill('guess')
    await field.press('Enter')
    await page.getByText('This is not your password.').waitFor()
    assert.equal(await page.getByText('The query is not valid').count(), 0)
  })
  assert.equal(await field.getAttribute('aria-invalid'), 'true')
  await field.fill(password)
  const saved = page.waitForDownload()
  await page.getByRole('button', { name: 'Download backup' }).click()
  const download = await saved
  assert.match(download.suggestedFilename(), /^querent-\d{4}-\d\d-\d\d\.backup$/)
  await page.getByText('The backup is complete').waitFor()
  await page.getByText('Last backup: None').waitFor({ state: 'detached' })
  await inspectViews(page, 'server-backup', undefined)
  const folder = await mkdtemp(join(tmpdir(), 'querent-restored-'))
  const file = join(folder, download.suggestedFilename())
  await download.saveAs(file)
  const restored = await runQuerent(['restore', file, '--data', join(folder, 'data')])
  assert.equal(restored.code, 0, restored.stderr)
  await rm(folder, { recursive: true })
  await end()
})

test('Audit log: the server lists who rotated keys and created people, and in which workspace something changed', async () => {
  const { page, end } = await visitAsOperator('/server/audit-log')
  const rows = page.getByRole('table', { name: 'Audit log' }).getByRole('row')
  await rows.filter({ hasText: 'Signing keys published' }).first().waitFor()
  const created = rows.filter({ hasText: 'User created' }).first()
  assert.match((await created.getByRole('link').last().getAttribute('href')) ?? '', /\/server\/people\//)
  // The pinned document has its id: an operator need not be a member.
  const shelf = 'workspace: shelf\ncollections: { maps: { fields: { title: { type: text } } } }\n'
  const rule = 'curation: [{ when: { query: river }, endpoint: search, pin: [m1] }]'
  await server.applyWorkspace(shelf)
  await server.applyWorkspace(
    `${shelf}apis: { atlas: { endpoints: { search: { kind: match, collection: maps, fields: [title] } }, ${rule} } }\n`,
  )
  await server.applyWorkspace(
    `${shelf}title: Shelf\napis: { atlas: { endpoints: { search: { kind: match, collection: maps, fields: [title], typos: true } }, ${rule} } }\n`,
  )
  await page.reload()
  const changed = rows.filter({ hasText: 'Sets the title to Shelf' })
  await changed.getByText(/Changes the endpoint search of atlas/).waitFor()
  await rows.getByText('Adds the API atlas with 1 endpoint').waitFor()
  await inspectViews(page, 'server-audit-log-changes', undefined)
  await page.getByLabel('Actor').fill('nobody at all')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByText('No entries found').waitFor()
  await inspectViews(page, 'server-audit-log', undefined)
  await end()
})

test('people who are not operators see no page of the server and no link to it', async () => {
  await server.call('createUser', { input: { email: 'admin@example.org', password } })
  await server.call('setMember', {
    params: { workspace: 'library', email: 'admin@example.org' },
    input: { roles: ['administrator'] },
  })
  const { page, open, end } = await visitSignedIn(server, '/w/library', 'admin@example.org')
  await page.getByRole('button', { name: 'The library' }).click()
  await page.getByRole('menuitem', { name: 'All workspaces' }).waitFor()
  assert.equal(await page.getByRole('menuitem', { name: 'Server', exact: true }).count(), 0)
  for (const path of ['', '/people', '/people/ada@example.org', '/workspaces', '/keys', '/mail', '/backup']) {
    await open(`/server${path}`)
    await page.getByRole('heading', { name: "You don't have access to this page" }).waitFor()
    assert.equal(await page.getByRole('navigation', { name: 'Server' }).count(), 0)
  }
  await inspectViews(page, 'server-no-access', undefined)
  // No request was rejected: the pages did not ask for anything.
  await end()
})
