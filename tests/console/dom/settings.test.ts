/** Applications, Security, Audit log, Workspace file, "Why was I refused?" and Account, in the fake DOM. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { decodeJwt } from 'jose'
import * as openid from 'openid-client'
import { parse } from 'yaml'
import { inspectViews, showInBrowser } from '#tests/support/console-dom/inspect'
import { visitSignedIn, waitForCount, waitUntilSettled } from '#tests/support/console-dom/visit'
import { adminEmail, findBrokenTableText, password } from '#tests/support/console-visit'
import { type Library, makeLibrary } from '#tests/support/library'
import { openPerson, registerApplication } from '#tests/support/person'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
})
after(async () => {
  await server?.stop()
})

const visitAsOperator = (path: string) => visitSignedIn(server, path)

test('the redirect URI of an application is checked while typing, and its page shows code, edits, disables and removes it', async () => {
  const { page, expectRefused, end } = await visitAsOperator('/w/library/settings/applications')
  await page.getByText('No applications yet').waitFor()
  await page.getByRole('button', { name: 'Register application' }).click()
  await page.getByLabel('Name').fill('Finder')
  const redirects = page.getByLabel('Redirect URIs')
  await redirects.fill('http://app.example.org/back')
  assert.equal(await redirects.getAttribute('aria-invalid'), 'true')
  await inspectViews(page, 'register-application', undefined)
  await redirects.fill('https://app.example.org/back')
  assert.notEqual(await redirects.getAttribute('aria-invalid'), 'true')
  await page.getByRole('button', { name: 'Register', exact: true }).click()
  await page.locator('pre').getByText('https://app.example.org/back').waitFor()
  await page
    .locator('pre')
    .getByText(/\/4\/library\/api\/library\/e\/search\/p\/query\/\w+\/results/)
    .waitFor()
  await inspectViews(page, 'application-code', undefined)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Code for Finder' }).click()
  const code = page.getByRole('dialog').locator('pre')
  await code.getByText('UserManager').first().waitFor()
  // A session may end while the page is open.
  await code
    .getByText(/reply\.status === 401[^}]+removeUser\(\)[^}]+signinRedirect\(\)/)
    .first()
    .waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  const row = page
    .getByRole('region', { name: 'Applications' })
    .getByRole('row')
    .filter({ hasText: 'Finder' })
  const clientId = (await row.locator('code').textContent()) ?? ''
  const mayAsk = async (redirectUri: string) => {
    const parameters = new URLSearchParams({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    })
    const reply = await fetch(`${server.authUrl}/authorize?${parameters}`, { redirect: 'manual' })
    return reply.status !== 400
  }
  assert.deepEqual(
    [await mayAsk('https://app.example.org/back'), await mayAsk('https://app.example.org/home')],
    [true, false],
  )
  await page.getByRole('button', { name: 'Edit Finder' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Finder 2')
  await redirects.fill('https://app.example.org/home\nhttp://app.example.org/back')
  assert.equal(await redirects.getAttribute('aria-invalid'), 'true')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await redirects.fill('https://app.example.org/home')
  await dialog.getByLabel('Logout URIs').fill('https://app.example.org/bye')
  await dialog.getByLabel('Default audience').fill(server.baseUrl)
  await dialog.getByLabel('First-party application').check()
  await expectRefused([400], async () => {
    await dialog.getByLabel('Origins').fill('https://www.example.org/with/a/path')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.locator('textarea[aria-invalid=true]').waitFor()
  })
  assert.equal(await dialog.getByLabel('Origins').getAttribute('aria-invalid'), 'true')
  await inspectViews(page, 'change-application', undefined)
  await dialog.getByLabel('Origins').fill('https://www.example.org')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await row.getByText('first-party').waitFor()
  assert.deepEqual(
    [await mayAsk('https://app.example.org/back'), await mayAsk('https://app.example.org/home')],
    [false, true],
  )
  await page.getByRole('button', { name: 'Edit Finder 2' }).click()
  assert.equal(await dialog.getByLabel('Origins').inputValue(), 'https://www.example.org')
  assert.equal(await dialog.getByLabel('Logout URIs').inputValue(), 'https://app.example.org/bye')
  assert.equal(await dialog.getByLabel('Default audience').inputValue(), server.baseUrl)
  await dialog.getByLabel('Disabled').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row.getByText('disabled').waitFor()
  assert.equal(await mayAsk('https://app.example.org/home'), false)
  await page.getByRole('button', { name: 'Delete Finder 2' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('No applications yet').waitFor()
  await end()
})

test('an initial access token registers an application, which the page then lists', async () => {
  const { page, end } = await visitAsOperator('/w/library/settings/applications')
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('partners')
  await dialog.getByLabel('Applications that it may register').fill('2')
  await inspectViews(page, 'create-registration-token', undefined)
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  const token = (await dialog.getByText(/^qrr_/).textContent()) ?? ''
  await dialog.getByRole('button', { name: /saved/ }).click()
  const reply = await fetch(`${server.authUrl}/oauth/register`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.trim()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Partner', redirect_uris: ['https://partner.example/back'] }),
  })
  assert.equal(reply.status, 201)
  await page.reload()
  await page.getByRole('region', { name: 'Initial access tokens' }).getByText('1 of 2').waitFor()
  await page.getByRole('button', { name: 'Delete Partner', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete Partner', exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Delete partners', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('region', { name: 'Initial access tokens' }).waitFor({ state: 'detached' })
  await end()
})

const secondsOfNextToken = async (): Promise<number> => {
  const { iat, exp } = decodeJwt(await fetchToken(server, library))
  return (exp ?? 0) - (iat ?? 0)
}

test('Security: a token lifetime applies to the next token, and a bad origin gets an error at its field', async () => {
  const { page, expectRefused, end } = await visitAsOperator('/w/library/settings/security')
  assert.equal(await secondsOfNextToken(), 900)
  const save = (form: string) =>
    page.getByRole('form', { name: form }).getByRole('button', { name: 'Save' }).click()
  const saved = (form: string) => page.getByRole('form', { name: form }).getByText('Saved.').waitFor()
  const lifetime = page.getByLabel('Access token lifetime (minutes)')
  await lifetime.fill('0')
  await save('Access tokens')
  await page.getByText('Type a number from 1 to 1,440').waitFor()
  assert.equal(await lifetime.getAttribute('aria-invalid'), 'true')
  await lifetime.fill('5')
  await save('Access tokens')
  await saved('Access tokens')
  const unregistered = page.getByRole('checkbox', { name: 'Allow unregistered applications' })
  assert.equal(await unregistered.isChecked(), false)
  await unregistered.check()
  await save('Applications')
  await saved('Applications')
  assert.equal(await secondsOfNextToken(), 300)
  await page.reload()
  await unregistered.waitFor()
  assert.equal(await unregistered.isChecked(), true)
  const origins = page.getByLabel('Additional allowed origins (CORS)')
  await origins.fill('nowhere')
  await expectRefused([400], async () => {
    await save('Applications')
    await page.getByText('Correct the marked fields').waitFor()
  })
  assert.equal(await origins.getAttribute('aria-invalid'), 'true')
  await inspectViews(page, 'security-fault', undefined)
  await origins.fill('https://a.example\n\n https://b.example')
  await save('Applications')
  await saved('Applications')
  await page.reload()
  assert.equal(await origins.inputValue(), 'https://a.example\nhttps://b.example')

  // Both forms would lose something, and the page asks once; again for what is typed after a return.
  for (let visit = 0; visit < 2; visit++) {
    await lifetime.fill('7')
    await origins.fill('https://c.example')
    await page.getByRole('link', { name: 'Audit log' }).click()
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
    await page.getByRole('link', { name: 'Security' }).click()
    await lifetime.waitFor()
  }
  await end()
})

test('the audit log can be filtered by a shareable link, and exported', async () => {
  const { page, open, end } = await visitAsOperator('/w/library/settings/audit-log')
  await page.getByRole('combobox', { name: 'Action' }).click()
  await page.getByRole('option', { name: 'System-to-System account created' }).click()
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.waitForURL('**action=createSystemToSystem')
  const [account] = (await server.call('listSystemToSystem', { params: { workspace: 'library' } })).items
  await page.getByRole('cell').getByText(`${account?.name}${account?.clientId}`, { exact: true }).waitFor()
  await waitForCount(page.getByRole('region', { name: 'Audit log' }).getByRole('row'), 2)
  const saved = page.waitForDownload()
  await page.getByRole('button', { name: 'Export as CSV' }).click()
  assert.match(await (await saved).text(), /^at,actor,action,.*\r\n.*,createSystemToSystem,/)
  await page.getByRole('combobox', { name: 'Action' }).click()
  await page.getByRole('option', { name: 'Invitation accepted' }).waitFor()
  await page.getByRole('option', { name: 'Member updated', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByLabel('Actor').fill('nobody@example.org')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('heading', { name: 'No entries found' }).waitFor()
  await open('/w/library/settings/audit-log')
  await page.getByLabel('Actor').fill(adminEmail.slice(0, 6).toUpperCase())
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('cell', { name: adminEmail }).first().waitFor()
  await open('/w/library/settings/security')
  await page.getByLabel('Access token lifetime (minutes)').fill('7')
  await page.getByRole('form', { name: 'Access tokens' }).getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await open('/w/library/settings/audit-log')
  await page
    .getByRole('cell')
    .getByText(/^Access token lifetime from \d+ minutes to 7 minutes$/)
    .waitFor()
  const details = (await page.locator('[data-heading=Details]').allTextContents()).join()
  assert.doesNotMatch(details, /[{}"]/, 'JSON is for the export')
  await inspectViews(page, 'audit-log', undefined)
  assert.deepEqual(await findBrokenTableText(await showInBrowser()), [])
  await end()
})

test('"Why was I refused?" explains a request id and a token: one sentence, what to do, and each check', async () => {
  const reply = await fetch(`${server.baseUrl}/4/library/api/library/e/all/count`, {
    headers: { authorization: `Bearer ${library.token.slice(0, -4)}AAAA` },
  })
  assert.equal(reply.status, 401)
  const requestId = reply.headers.get('x-request-id') ?? ''
  const { page, expectRefused, end } = await visitAsOperator('/w/library/refused')
  const field = page.getByLabel('Request ID or access token')
  const explain = () => page.getByRole('button', { name: 'Explain', exact: true }).click()
  await field.fill(` ${requestId} `)
  await explain()
  await page.getByRole('heading', { name: 'The signature of the token is not valid.' }).waitFor()
  await page.getByText('Get a new token from this server').waitFor()
  await page.getByText('401 for /4/library/api/library/e/all/count').waitFor()
  await page.getByRole('img', { name: 'failed' }).waitFor()
  const clockCheck = page.getByRole('listitem').getByText('Validity period clock', { exact: true })
  assert.equal(await clockCheck.isVisible(), false, 'other checks are folded')
  await page.getByText('2 checks passed').press('Enter')
  await clockCheck.waitFor()
  assert.match(page.url(), new RegExp(`request=${requestId}`), 'a link to share')
  await field.fill('403 Forbidden')
  await explain()
  await page.getByText('This is neither a request ID nor an access token.').waitFor()
  assert.equal(
    await page.getByRole('heading', { name: 'The signature of the token is not valid.' }).count(),
    0,
  )
  await expectRefused([404], async () => {
    await field.fill(requestId.replace(/.$/, last => (last === '0' ? '1' : '0')))
    await explain()
    await page.getByRole('alert').getByText('No refused request has this ID').waitFor()
    await page.getByRole('alert').getByRole('link', { name: 'Requests' }).waitFor()
  })
  // As developer tools copy it.
  const header = `Authorization: Bearer ${library.token}`
  await field.fill(header)
  await field.press('Shift+Enter')
  assert.equal(await field.inputValue(), `${header}\n`)
  await field.press('Enter')
  await page.getByRole('heading', { name: 'Allowed' }).waitFor()
  assert.ok(!page.url().includes(library.token), 'no token in the address')
  const [account] = (await server.call('listSystemToSystem', { params: { workspace: 'library' } })).items
  await page.getByText(/checks passed$/).click()
  await page
    .getByRole('listitem')
    .filter({ hasText: 'membership' })
    .getByText(`${account?.name} ${account?.clientId}`)
    .waitFor()
  await field.fill(`${library.token.slice(0, -4)}AAAA`)
  await explain()
  await page.getByRole('heading', { name: 'The signature of the token is not valid.' }).waitFor()
  await inspectViews(page, 'why-refused', 'console')
  await end()
})

/** Registers an application, and signs a person in to it with consent. `headings` are those of the pages that the person saw. */
const signInThroughFinder = async (email: string) => {
  const redirectUri = 'https://finder.example.org/back'
  const { clientId } = await registerApplication(server, library.workspace, 'browser', redirectUri)
  const config = await openid.discovery(new URL(server.authUrl), clientId, undefined, openid.None(), {
    // The server of this test has no certificate.
    execute: [openid.allowInsecureRequests],
  })
  const pkceCodeVerifier = openid.randomPKCECodeVerifier()
  const headings: string[] = []
  const answer = await openPerson(server, email, password).completeFlow(
    openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid offline_access',
      audience: server.baseUrl,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    }),
    headings,
  )
  const tokens = await openid.authorizationCodeGrant(config, answer, { pkceCodeVerifier })
  return { config, tokens, headings }
}

test('recent refusals lead from the account and the reason to what mends it', async () => {
  const guest = 'guest@example.org'
  await server.call('createUser', { input: { email: guest, password } })
  await server.call('setMember', {
    params: { workspace: 'library', email: guest },
    input: { roles: ['api'] },
  })
  const { tokens } = await signInThroughFinder(guest)
  await server.call('removeMember', { params: { workspace: 'library', email: guest } })
  for (let times = 0; times < 2; times++) {
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    assert.equal((await library.get('library/e/all/count', { headers })).status, 403)
  }

  const forged = { authorization: `Bearer ${library.token.slice(0, -4)}AAAA` }
  assert.equal((await library.get('library/e/all/count', { headers: forged })).status, 401)

  const { page, end } = await visitAsOperator('/w/library/refused')
  const rows = page.getByRole('region', { name: 'Recent refusals' }).locator('tbody').getByRole('row')
  await page.getByRole('link', { name: 'Rejected sign-ins' }).waitFor()
  await rows.filter({ hasText: guest }).filter({ hasText: 'Membership' }).first().waitFor()
  await rows.filter({ hasText: 'Signature' }).getByText('unknown').first().waitFor()
  await page.getByRole('textbox', { name: 'Account' }).fill('GUEST@')
  await page.getByLabel('Reason').selectOption('Membership')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.waitForURL('**/refused?account=GUEST%40&reason=membership')
  await rows.filter({ hasText: 'Signature' }).first().waitFor({ state: 'detached' })
  await inspectViews(page, 'recent-refusals', 'console')
  assert.deepEqual(await findBrokenTableText(await showInBrowser()), [])
  await page
    .getByRole('link', { name: `Explain the refusal of ${guest}` })
    .first()
    .press('Enter')
  await page.getByRole('heading', { name: `${guest} is not a member of this workspace.` }).waitFor()
  await inspectViews(page, 'refusal-of-a-member', undefined)
  await page.getByRole('link', { name: `Invite ${guest}` }).click()
  const dialog = page.getByRole('dialog')
  assert.equal(await dialog.getByLabel('E-mail addresses').inputValue(), guest)
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
  await dialog.getByText('Copy the link now').waitFor()
  await dialog.getByRole('button', { name: /saved/ }).click()
  await end()
})

test('You: after a consent is withdrawn, the very next request of the application is rejected', async () => {
  const { config, tokens, headings } = await signInThroughFinder(adminEmail)
  assert.equal(headings.length, 2, `the login, then the question: ${headings}`)
  const ask = async () =>
    (
      await library.get('library/e/all/count', {
        headers: { authorization: `Bearer ${tokens.access_token}` },
      })
    ).status
  assert.equal(await ask(), 200)

  const { page, end } = await visitAsOperator('/you')
  const row = page
    .getByRole('row')
    .filter({ has: page.getByRole('cell', { name: library.workspace, exact: true }) })
  await row.getByText('recognize you when you return, keep this access while you are away').waitFor()
  await row.getByText(/^search everything that you can search, recognize you/).waitFor()
  // This server sends no mail.
  await page.getByText('You cannot change the address').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Change address' }).count(), 0)
  await inspectViews(page, 'you-consents', undefined)
  await row.getByRole('button', { name: /^Revoke access of / }).click()
  assert.equal(await ask(), 200)
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await row.waitFor({ state: 'detached' })
  assert.equal(await ask(), 401)
  await assert.rejects(openid.refreshTokenGrant(config, tokens.refresh_token ?? ''))
  await end()
})

test('General: title and description are in the workspace file afterwards, and members see them', async () => {
  const { page, open, end } = await visitAsOperator('/w/library/settings/general')
  const title = page.getByLabel('Title')
  assert.equal(await title.inputValue(), 'The library')
  await title.fill('The city library')
  await page.getByLabel('Description').fill('Books of the city, old and new')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByRole('status').getByText('Saved.').waitFor()
  const log = page.getByRole('form', { name: 'Query log' })
  await log.getByLabel('Texts of searches').selectOption('hashed')
  await log.getByLabel('Keep usage and searches for (days)').fill('7')
  await log.getByRole('button', { name: 'Save' }).click()
  await log.getByText('Saved.').waitFor()
  const generations = page.getByRole('form', { name: 'Generations' })
  await generations.getByLabel('Earlier generations to keep').fill('2')
  await generations.getByRole('button', { name: 'Save' }).click()
  await generations.getByText('Saved.').waitFor()
  await page.getByRole('button', { name: 'The city library' }).waitFor()
  await inspectViews(page, 'general-saved', undefined)
  await open('/w/library')
  await page.getByText('Books of the city, old and new').waitFor()
  const file = parse(await server.exportWorkspace('library')) as WorkspaceFile
  assert.deepEqual(
    [file.title, file.description, file.settings?.keepGenerations, file.settings?.queryLog],
    ['The city library', 'Books of the city, old and new', 2, { parameters: 'hashed', keep: '7d' }],
  )
  await open('/w/library/settings/general')
  await title.fill('The library')
  await page.getByLabel('Description').fill('')
  await title.press('Enter')
  await page.getByRole('status').getByText('Saved.').waitFor()
  await end()
})

test('a number that is not allowed stays in its field, which says the allowed ones, and nothing is saved', async () => {
  const { page, end } = await visitAsOperator('/w/library/settings/general')
  const savedFile = parse(await server.exportWorkspace('library')) as WorkspaceFile
  const refuse = async (form: string, label: string, texts: readonly string[], sentence: string) => {
    const region = page.getByRole('form', { name: form })
    const field = region.getByLabel(label)
    for (const text of texts) {
      await field.fill(text)
      await region.getByRole('button', { name: 'Save' }).click()
      await region.getByText(sentence).waitFor()
      assert.equal(await field.inputValue(), text)
      assert.equal(await field.getAttribute('aria-invalid'), 'true')
      assert.equal(await region.getByText('Saved.').count(), 0)
    }
  }
  await refuse(
    'Query log',
    'Keep usage and searches for (days)',
    ['99999', '7.5', '0', '-5', 'a week', ''],
    'Type a whole number from 1 to 3,650',
  )
  await refuse(
    'Generations',
    'Earlier generations to keep',
    ['250', '-1', '1.5'],
    'Type a whole number from 0 to 100',
  )
  await inspectViews(page, 'general-numbers', undefined)
  assert.deepEqual(parse(await server.exportWorkspace('library')), savedFile)
  const log = page.getByRole('form', { name: 'Query log' })
  await log.getByLabel('Keep usage and searches for (days)').fill('3,650')
  await log.getByRole('button', { name: 'Save' }).click()
  await log.getByText('Saved.').waitFor()
  const file = parse(await server.exportWorkspace('library')) as WorkspaceFile
  assert.equal(file.settings?.queryLog?.keep, '3650d')
  await end()
})

test('removing a workspace needs its name, and leaves other workspaces unchanged', async () => {
  const otherLibrary = await makeLibrary(server, 'other')
  const { page, end } = await visitAsOperator('/w/other/settings/general')
  await page.getByRole('button', { name: 'Delete workspace' }).click()
  const dialog = page.getByRole('dialog')
  const remove = dialog.getByRole('button', { name: 'Delete workspace' })
  await dialog.getByText('It has 200 documents, 1 collection, and 2 APIs.').waitFor()
  assert.ok(await remove.isDisabled())
  await dialog.getByLabel('Type other to confirm').fill('library')
  assert.ok(await remove.isDisabled())
  await dialog.getByLabel('Type other to confirm').fill('other')
  await inspectViews(page, 'remove-workspace', undefined)
  assert.equal((await otherLibrary.get('library/e/all/count')).status, 200)
  await remove.click()
  await page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor()
  await page.getByRole('cell', { name: 'other', exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('cell', { name: 'library', exact: true }).waitFor()
  assert.equal((await otherLibrary.get('library/e/all/count')).status, 401)
  await waitUntilSettled(page)
  await end()
})

test('You: ends a session elsewhere and changes the password, and a wrong password gets an error at its field', async () => {
  await (await visitAsOperator('/you')).end()
  const { page, open, expectRefused, end } = await visitAsOperator('/you')
  const sessions = page.getByRole('region', { name: 'Sessions' }).getByRole('button', { name: /^Sign out/ })
  const countBefore = await sessions.count()
  assert.ok(countBefore >= 2)
  const currentSession = page
    .getByRole('region', { name: 'Sessions' })
    .getByRole('row')
    .filter({ hasText: 'this device' })
  const findCell = (heading: string) => currentSession.locator(`[data-heading="${heading}"]`)
  assert.equal(await findCell('IP address').textContent(), '127.0.0.1')
  for (const heading of ['Signed in', 'Last used']) {
    const datetime = (await findCell(heading).locator('time').getAttribute('datetime')) ?? ''
    assert.ok(Math.abs(Date.now() - Date.parse(datetime)) < 5 * 60_000, `${heading} ${datetime}`)
  }
  await inspectViews(page, 'you-sessions', undefined)
  const otherSessionButtons = page
    .getByRole('region', { name: 'Sessions' })
    .getByRole('row')
    .filter({ hasNotText: 'this device' })
    .getByRole('button')
  await otherSessionButtons.first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await waitForCount(sessions, countBefore - 1)

  const next = 'seven purple walruses hum'
  const send = async (current: string) => {
    await page.getByLabel('Current password').fill(current)
    await page.getByLabel('New password').fill(next)
    await page.getByRole('button', { name: 'Change password' }).click()
  }
  await expectRefused([400], async () => {
    await send('wrong')
    await page.getByRole('alert').waitFor()
  })
  await page.getByRole('alert').getByText('The input is not valid').waitFor()
  await inspectViews(page, 'you-wrong', undefined)
  await send(password)
  await page.getByText('Password changed.').waitFor()
  await expectRefused([400], async () => {
    await send(next)
    await page.getByText(/is your password already/).waitFor()
  })
  await open('/you')
  await end()
})
