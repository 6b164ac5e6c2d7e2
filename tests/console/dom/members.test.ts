/** Settings > Team Members in the fake DOM: people, their roles and row filters, System-to-System accounts. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { patienceMs, waitUntil } from '#server/test-wait'
import { inspectViews, showInBrowser } from '#tests/support/console-dom/inspect'
import type { Locator } from '#tests/support/console-dom/locator'
import type { Page } from '#tests/support/console-dom/page'
import { visitSignedIn, waitForCount, waitForFocus, waitUntilSettled } from '#tests/support/console-dom/visit'
import { adminEmail, findBrokenTableText, password } from '#tests/support/console-visit'
import { books, type Library, makeLibrary, workspaceFile } from '#tests/support/library'
import { openPerson } from '#tests/support/person'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
})
after(async () => {
  await server?.stop()
})

const visitAsAdministrator = (path: string) => visitSignedIn(server, path)
const members = '/w/library/settings/team-members'
/** Its list of suggestions has the same name. */
const tags = (page: Page, name: string) => page.locator('input').and(page.getByLabel(name))
const runInShell = async (
  command: string,
): Promise<{ access_token?: string; error?: string; items?: unknown[] }> =>
  // Replies of RFC 6749, section 5.
  JSON.parse((await promisify(execFile)('sh', ['-c', command])).stdout)

test('several people are invited at once, and an invitation is sent again or gets a new link', async () => {
  const { page, end } = await visitAsAdministrator(members)
  await page.getByRole('button', { name: 'Invite' }).click()
  const dialog = page.getByRole('dialog')
  const field = dialog.getByLabel('E-mail addresses')
  const send = () => dialog.getByRole('button', { name: 'Invite', exact: true }).click()
  await field.fill('alan@example.org, nobody')
  await send()
  await dialog.getByText('nobody is not an e-mail address').waitFor()
  assert.equal(await field.getAttribute('aria-invalid'), 'true')
  await field.fill(`alan@example.org, Barbara@example.org\n${adminEmail}; alan@example.org`)
  await send()
  await dialog.getByText('Copy the links now').waitFor()
  await waitForCount(dialog.locator('code'), 2)
  await dialog.getByRole('alert').getByText(`${adminEmail}: ${adminEmail} is already a member`).waitFor()
  await inspectViews(page, 'invited-several', undefined)
  const [firstLink = ''] = await dialog.locator('code').allTextContents()
  await dialog.getByRole('button', { name: "I've saved it" }).click()
  await dialog.waitFor({ state: 'detached' })
  const status = async (link: string) => (await fetch(link)).status
  assert.equal(await status(firstLink), 200)

  // This server mails nothing.
  assert.equal(await page.getByRole('button', { name: /^Resend/ }).count(), 0)
  await page.getByRole('button', { name: 'New link for alan@example.org' }).press('Enter')
  await dialog.getByText(/^The link created .* stops working/).waitFor()
  assert.equal(await status(firstLink), 200)
  await dialog.getByRole('button', { name: 'New link', exact: true }).click()
  await dialog.getByText('The earlier link no longer works.').waitFor()
  const secondLink = (await dialog.locator('code').textContent()) ?? ''
  await inspectViews(page, 'invitation-renewed', undefined)
  await dialog.getByRole('button', { name: "I've saved it" }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.notEqual(await status(firstLink), 200)
  assert.equal(await status(secondLink), 200)
  for (const email of ['alan@example.org', 'barbara@example.org']) {
    await page.getByRole('button', { name: `Revoke the invitation of ${email}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('row').filter({ hasText: email }).waitFor({ state: 'detached' })
  }
  // The administrator was already a member.
  await end([409])
})

test('an invited person accepts the link and becomes a member with the roles and the row filter of the invitation', async () => {
  const inviter = await visitAsAdministrator(members)
  const { page, expectRefused } = inviter
  await page.getByRole('button', { name: 'Invite' }).click()
  await inspectViews(page, 'invite', undefined)
  const dialog = page.getByRole('dialog')
  const sendInvitation = () => dialog.getByRole('button', { name: 'Invite', exact: true }).click()
  await expectRefused([409], async () => {
    await dialog.getByLabel('E-mail').fill(adminEmail)
    await sendInvitation()
    await dialog.getByText('is already a member of this workspace').waitFor()
  })
  assert.equal(await dialog.getByLabel('E-mail').getAttribute('aria-invalid'), 'true')
  await dialog.getByLabel('E-mail').fill('grace@example.org')
  await dialog.getByRole('checkbox', { name: 'api' }).uncheck()
  await dialog.getByText('Choose at least one role').waitFor()
  await sendInvitation()
  await dialog.getByRole('checkbox', { name: 'api' }).check()
  await dialog.getByRole('button', { name: 'Add field' }).click()
  await tags(page, 'Values').fill('drama')
  await page.keyboard.press('Enter')
  await inspectViews(page, 'invite-filter', undefined)
  await sendInvitation()
  await dialog.getByText('No mail was sent').waitFor()
  await dialog.getByText('Copy the link now').waitFor()
  const link = (await dialog.locator('code').textContent()) ?? ''
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: "I've saved it" }).click()
  const invited = page.getByRole('region', { name: 'Invitations' }).getByRole('row')
  await invited.filter({ hasText: 'grace@example.org' }).getByText('Kind of book is drama').waitFor()

  await inviter.end()

  await openPerson(server, 'grace@example.org', password).approveDevice(link, (_, form) => ({
    ...form,
    name: 'Grace Hopper',
  }))
  const joined = await visitSignedIn(server, '/w/library', 'grace@example.org')
  await joined.page.getByText('Your role: Search only').waitFor()
  await joined.end()
})

test('an administrator changes the roles and the row filter of a member, finds the member, and sees what the member finds', async () => {
  const { page, end } = await visitAsAdministrator(members)
  const row = page.getByRole('row').filter({ hasText: 'grace@example.org' })
  await row.getByText('Kind of book is drama').waitFor()
  await page.getByRole('button', { name: 'Edit grace@example.org' }).click()
  await page.getByRole('checkbox', { name: 'user' }).check()
  await page.getByRole('checkbox', { name: 'data-provider' }).check()
  await page.getByRole('button', { name: 'Remove field genre' }).click()
  await page.getByRole('button', { name: 'Add field' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Type a value and press Enter').waitFor()
  await tags(page, 'Values').fill('drama')
  await page.keyboard.press('Enter')
  await tags(page, 'Values').fill('comedy')
  await page.keyboard.press('Enter')
  await inspectViews(page, 'change-member', 'console')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await row.getByText('Kind of book is drama or comedy').waitFor()
  assert.deepEqual(await findBrokenTableText(await showInBrowser()), [])
  // The focus returns shortly after the dialog closes.
  await waitForFocus(page.getByRole('button', { name: 'Edit grace@example.org' }))

  // A search by address or name shows only matching people, and the URL contains it.
  const people = page.getByRole('region', { name: 'People' }).locator('tbody').getByRole('row')
  const admin = people.filter({ hasText: adminEmail })
  const field = page.getByRole('searchbox', { name: 'Search' })
  await admin.waitFor()
  await field.fill('  Grace HOP')
  await admin.waitFor({ state: 'detached' })
  await waitForCount(people, 1)
  await waitForFocus(field)
  await page.getByText('No accounts match.').waitFor()
  await page.waitForURL('**/team-members?search=Grace+HOP')
  await page.reload()
  await row.waitFor()
  await waitForCount(people, 1)
  await field.fill('%')
  await page.getByText('No people match.').waitFor()
  await inspectViews(page, 'members-nobody', undefined)
  // Pages of one item work like pages of a thousand.
  await page.route(/\/members\?/, route => {
    const url = new URL(route.request().url())
    url.searchParams.set('count', '1')
    return route.continue({ url: url.href })
  })
  await page.getByRole('link', { name: 'Team Members' }).click()
  const showMoreButton = page.getByRole('button', { name: /^(Show more|Search further)$/ })
  await showMoreButton.waitFor()
  assert.equal(await field.inputValue(), '', 'the link to all leads to all')
  for (let pages = 0; (await showMoreButton.count()) > 0 && pages < 20; pages++) {
    const membersResponse = page.waitForResponse(/\/members\?/)
    await showMoreButton.click()
    await membersResponse
    await waitUntilSettled(page)
  }
  await admin.waitFor()
  await row.waitFor()
  await page.unroute(/\/members\?/)

  const { items: listed } = await server.call('listMembers', { params: { workspace: 'library' } })
  const grace = listed.find(({ email }) => email === 'grace@example.org')
  assert.deepEqual(
    [grace?.roles, grace?.filter],
    [['user', 'api', 'data-provider'], { genre: ['drama', 'comedy'] }],
  )

  await page.getByRole('link', { name: 'Preview as this member' }).click()
  await page.getByLabel('Search for').fill('silent river')
  await page.keyboard.press('Enter')
  const visibleBooks = books.filter(
    ({ title, genre }) => /silent|river/.test(title) && /drama|comedy/.test(genre.join()),
  )
  await page.getByText(`${visibleBooks.length} results`, { exact: true }).waitFor()
  await inspectViews(page, 'preview-as-member', undefined)
  await end()
})

test('a removed member is rejected at the next request, and the page says so', async () => {
  const guest = await visitSignedIn(server, '/w/library/data/books', 'grace@example.org')
  // The page sends no request that the server rejects because of the row filter.
  await guest.page.getByRole('heading', { name: 'No documents to show' }).waitFor()
  await guest.open('/w/library/data')
  await guest.page.getByRole('link', { name: 'books' }).waitFor()
  await server.call('removeMember', { params: { workspace: 'library', email: 'grace@example.org' } })
  await guest.expectRefused([403], async () => {
    await guest.page.getByRole('link', { name: 'books' }).click()
    await guest.page.getByRole('tab', { name: 'Generations' }).click()
    await guest.page.getByRole('alert').getByText('Not allowed').waitFor()
  })
  await guest.open('/w/library/data')
  await guest.page.getByRole('heading', { name: "You're not a member of this workspace" }).waitFor()
  await inspectViews(guest.page, 'not-a-member', undefined)
  await guest.end()

  const email = 'carol@example.org'
  await server.call('createUser', { input: { email, password } })
  await server.call('setMember', { params: { workspace: 'library', email }, input: { roles: ['api'] } })
  const { page, end } = await visitAsAdministrator(members)
  await page.getByRole('button', { name: `Remove ${email}` }).click()
  await page.getByText('lose access immediately').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('row').filter({ hasText: email }).waitFor({ state: 'detached' })
  await end()
  const removed = await visitSignedIn(server, '/w/library/data', email)
  await removed.page.getByRole('heading', { name: "You're not a member of this workspace" }).waitFor()
  await removed.end()
})

test('the last administrator cannot step down, and the page says why', async () => {
  const { page, expectRefused, end } = await visitAsAdministrator(members)
  await expectRefused([409], async () => {
    await page.getByRole('button', { name: `Remove ${adminEmail}` }).click()
    await page.getByText('This is you.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('alert').getByText('administrator').waitFor()
  })
  await inspectViews(page, 'last-administrator', undefined)
  await page.keyboard.press('Escape')
  await expectRefused([409], async () => {
    await page.getByRole('button', { name: `Edit ${adminEmail}` }).click()
    await page.getByRole('checkbox', { name: 'api' }).check()
    await page.getByRole('checkbox', { name: 'administrator' }).uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('administrator').waitFor()
  })
  await end()
})

const readSecret = (request: string): string => /client_secret=(\S+)/.exec(request)?.[1] ?? ''
/** The prefix and 4 characters. */
const readSecretPrefix = (request: string): string => readSecret(request).slice(0, 8)

test('the example query of an account finds something, though the first API has no documents', async () => {
  await makeLibrary(server, 'two')
  const endpoints = '{ search: { kind: match, collection: drafts, fields: [title] } }'
  await server.applyWorkspace(
    workspaceFile('two')
      .replace('collections:', 'collections:\n  drafts: { fields: { title: { type: text } } }')
      .replace('apis:', `apis:\n  attic: { endpoints: ${endpoints} }`),
  )
  const { page, end } = await visitAsAdministrator('/w/two/settings/team-members')
  await page.getByRole('button', { name: 'Create System-to-System account' }).click()
  await page.getByLabel('Name').fill('Reader')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText('Query with the access_token of the reply').waitFor()
  const [request = '', query = ''] = await page.locator('pre').allTextContents()
  assert.match(query, /\/api\/library\/e\/search\/p\/query\/(?!words)/)
  const token = (await runInShell(request)).access_token ?? ''
  const { items = [] } = await runInShell(query.replace('<ACCESS_TOKEN>', token))
  assert.ok(items.length > 0)
  await page.getByRole('button', { name: "I've saved it" }).click()
  await end()
})

test('a data provider account gets a working import example, and changes of its name and roles take effect at once', async () => {
  const { page, open, expectRefused, end } = await visitAsAdministrator(members)
  await page.getByRole('button', { name: 'Create System-to-System account' }).click()
  await page.getByLabel('Name').fill('Importer')
  await page.getByRole('checkbox', { name: 'api' }).uncheck()
  await page.getByRole('checkbox', { name: 'data-provider' }).check()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText('Import with the access_token of the reply').waitFor()
  assert.equal(await page.getByText('Query with the access_token').count(), 0)
  await inspectViews(page, 's2s-import', undefined)
  const [request = '', ready = ''] = await page.locator('pre').allTextContents()
  await page.getByRole('button', { name: "I've saved it" }).click()
  const token = (await runInShell(request)).access_token ?? ''
  assert.deepEqual(await runInShell(ready.replace('<ACCESS_TOKEN>', token)), {
    accepted: 1,
    documents: 1,
    replaced: 0,
    rejected: 0,
    errors: [],
  })
  const mayQuery = async () =>
    (await library.get('library/e/all/count', { headers: { authorization: `Bearer ${token}` } })).status
  assert.equal(await mayQuery(), 403)

  await page.getByRole('link', { name: 'Importer' }).click()
  await page.getByRole('button', { name: 'Edit Importer' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Loader')
  await dialog.getByRole('checkbox', { name: 'api' }).check()
  await inspectViews(page, 'change-account', undefined)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Loader' }).waitFor()
  assert.equal(await mayQuery(), 200, 'with the token of before')
  await page.getByRole('button', { name: 'Edit Loader' }).click()
  await dialog.getByRole('checkbox', { name: 'api' }).uncheck()
  await dialog.getByRole('button', { name: 'Add field' }).click()
  await tags(page, 'Values').fill('drama')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('no preview: their roles cannot query').waitFor()
  assert.equal(await mayQuery(), 403)
  await expectRefused([409], async () => {
    await server.createAccount('library', 'Taken', 'api')
    await page.getByRole('button', { name: 'Edit Loader' }).click()
    await dialog.getByLabel('Name').fill('Taken')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog
      .getByRole('alert')
      .getByText('already has a System-to-System account named "Taken"')
      .waitFor()
  })
  // The audit log describes it in words.
  await open('/w/library/settings/audit-log')
  for (const line of [
    'Roles: Import only',
    'Allowed IP addresses: any',
    'Name from Importer to Loader',
    'Roles from Import only to Search only, Import only',
    'Document access from all to genre is drama',
  ])
    await page.getByRole('cell').getByText(line, { exact: true }).first().waitFor()
  await end()
})

test('a System-to-System account shows its secret once, has a working curl command, warns on rotation, and can be filtered, disabled and removed', async t => {
  const { page, open, expectRefused, end } = await visitAsAdministrator(members)
  await expectRefused([400], async () => {
    await page.getByRole('button', { name: 'Create System-to-System account' }).click()
    await page.getByLabel('Name').fill('Website')
    await page.getByLabel('Allowed IP addresses').fill('here')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('Correct the marked fields').waitFor()
  })
  const addresses = page.getByLabel('Allowed IP addresses')
  // The form marks its fields just after it shows the message.
  await waitUntil(async () => (await addresses.getAttribute('aria-invalid')) === 'true')
  await inspectViews(page, 's2s-fault', undefined)
  await addresses.fill('')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText('Copy the Client Secret now').waitFor()
  const curl = (await page.locator('pre').first().textContent()) ?? ''
  await page.getByRole('button', { name: 'Copy Token request' }).click()
  const isCopied = async () => assert.equal(await page.readClipboard(), curl)
  await t.waitFor(isCopied, { timeout: patienceMs })
  await page.getByRole('button', { name: "I've saved it" }).click()
  assert.ok((await runInShell(curl)).access_token)

  await page.getByRole('link', { name: 'Website' }).click()
  await page.getByRole('heading', { level: 1, name: 'Website' }).waitFor()
  await page.getByRole('button', { name: 'Add secret' }).click()
  await page.getByRole('combobox', { name: 'Expires' }).click()
  await page.getByRole('option', { name: 'In 90 days' }).click()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const second = (await page.locator('pre').textContent()) ?? ''
  await page.getByRole('button', { name: "I've saved it" }).click()
  const changedOver = page.getByText('The older secrets no longer seem to be in use')
  await page
    .getByRole('cell')
    .getByText(`${readSecretPrefix(second)}…`)
    .waitFor()
  assert.equal(await changedOver.count(), 0)
  assert.notEqual(second, curl)
  assert.ok((await runInShell(second)).access_token)
  const expiring = page.getByRole('row').filter({ has: page.locator('[data-heading=Expires] time') })
  const readTime = async (heading: string) =>
    Date.parse((await expiring.locator(`[data-heading=${heading}] time`).getAttribute('datetime')) ?? '')
  const lifetimeMs = (await readTime('Expires')) - (await readTime('Created'))
  assert.equal(Math.round(lifetimeMs / 60_000), 90 * 24 * 60, 'of the two the new one expires, in 90 days')
  // The server records uses periodically.
  const waitUntilShown = async (note: Locator) => {
    await waitUntil(async () => {
      await open(new URL(page.url()).pathname.replace('/console', ''))
      return (await note.count()) > 0
    })
  }
  await waitUntilShown(changedOver)
  // The account was used after the newer secret was created.
  assert.ok((await runInShell(curl)).access_token)
  await waitUntilShown(page.getByText('An older secret is still in use'))
  // Search by a prefix that the application shares.
  const [older, newer] = [readSecretPrefix(curl), readSecretPrefix(second)]
  await page.getByRole('cell').getByText(`${newer}…`).waitFor()
  await page.getByRole('cell').getByText(`${older}…`).waitFor()
  await page.getByRole('button', { name: `Delete the secret ${older}…` }).waitFor()
  const lastUse = page.getByText(/^The secret .* was last used (just now|\d+ min\. ago)\.$/)
  assert.ok((await lastUse.textContent())?.includes(`${older}…`))
  assert.ok(!(await page.content()).includes(readSecret(curl)))
  await inspectViews(page, 'system-to-system', undefined)

  await page.getByText('Documents: all').waitFor()
  await page.getByRole('button', { name: 'Edit Website' }).click()
  await page.getByRole('button', { name: 'Add field' }).click()
  await inspectViews(page, 's2s-filter', undefined)
  const save = page.getByRole('button', { name: 'Save' })
  await save.click()
  await page.getByText('Type a value and press Enter').waitFor()
  // Leaving the field without Enter accepts the value, and the button does not move.
  await tags(page, 'Values').fill('drama')
  await save.click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText('Documents: Kind of book is drama').waitFor()
  const dramaCount = books.filter(({ genre }) => genre.includes('drama')).length
  const countReply = await library.get('library/e/all/count', {
    headers: { authorization: `Bearer ${(await runInShell(curl)).access_token}` },
  })
  assert.equal(((await countReply.json()) as { total: number }).total, dramaCount)
  await page.getByRole('link', { name: 'Preview as this member' }).click()
  await page.getByRole('status').getByText('Preview as Website').waitFor()
  await page
    .getByText('You see the documents that the row filter of Website allows: Kind of book is drama. Only')
    .waitFor()
  await page.getByLabel('Search for').fill('silent river')
  await page.keyboard.press('Enter')
  const previewed = books.filter(({ title, genre }) => /silent|river/.test(title) && genre.includes('drama'))
  await page.getByText(`${previewed.length} results`, { exact: true }).waitFor()
  await page.getByRole('tab', { name: 'Code' }).click()
  await page.getByText('The code does not use the preview').waitFor()
  await open(members)
  await page.getByRole('row').filter({ hasText: 'Website' }).getByText('Kind of book is drama').waitFor()
  await page.getByRole('link', { name: 'Website' }).click()

  await page.getByLabel('Allowed IP addresses').fill(' 192.0.2.0/24\n')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
  assert.equal((await runInShell(curl)).access_token, undefined)

  const remove = page.getByRole('button', { name: 'Delete account' })
  assert.ok(await remove.isDisabled())
  await page.getByRole('button', { name: 'Disable Website' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disable', exact: true }).click()
  await page.getByRole('button', { name: 'Enable' }).waitFor()
  await remove.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click()
  await page.getByRole('heading', { level: 1, name: 'Team Members' }).waitFor()
  await page.getByRole('link', { name: 'Website' }).waitFor({ state: 'detached' })
  assert.ok(library.clientId)
  await end()
})
