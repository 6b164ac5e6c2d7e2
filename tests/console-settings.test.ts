/** Applications, Security, Audit log, Workspace file, "Why was I refused?" and You, in real Chromium. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openChromium } from './chromium.ts'
import { adminEmail, password, settled, signIn, type Visit, visitConsole } from './console-visit.ts'
import { type Library, makeLibrary } from './library.ts'
import { inspectViews } from './pages-inspect.ts'
import { type StartedServer, startServer } from './started-server.ts'

let server: StartedServer
let library: Library
let browser: Browser
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

const arrive = async (path: string): Promise<Visit> => {
  const visit = await visitConsole(browser, server)
  await visit.page.goto(`${server.authUrl}/console${path}`)
  await signIn(visit.page, adminEmail)
  return visit
}

test('an application: its redirect URI is checked as typed, its code is shown, it is removed', async () => {
  const { page, end } = await arrive('/w/library/settings/applications')
  await page.getByText('No application yet').waitFor()
  await page.getByRole('button', { name: 'Register an application' }).click()
  await page.getByLabel('Name').fill('Finder')
  const redirects = page.getByLabel('Redirect URIs')
  await redirects.fill('http://app.example.org/back')
  assert.equal(await redirects.getAttribute('aria-invalid'), 'true')
  await inspectViews(page, 'register-application', undefined)
  await redirects.fill('https://app.example.org/back')
  assert.notEqual(await redirects.getAttribute('aria-invalid'), 'true')
  await page.getByRole('button', { name: 'Register', exact: true }).click()
  await page.locator('pre').getByText('https://app.example.org/back').waitFor()
  await inspectViews(page, 'application-code', undefined)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Code for Finder' }).click()
  await page.getByRole('dialog').locator('pre').getByText('UserManager').first().waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Remove Finder' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('No application yet').waitFor()
  await end()
})

test('Security: a change is saved, a bad origin is told at its field', async () => {
  const { page, expectRefused, end } = await arrive('/w/library/settings/security')
  await page.getByLabel('Token lifetime, minutes').fill('5')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  const origins = page.locator('input').and(page.getByLabel('More origins whose pages may query'))
  await origins.fill('nowhere')
  await page.keyboard.press('Enter')
  await expectRefused([400], async () => {
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Mend what is marked in red').waitFor()
  })
  assert.equal(await origins.getAttribute('aria-invalid'), 'true')
  await inspectViews(page, 'security-fault', undefined)
  await end()
})

test('the audit log is filtered by a link that can be passed on, and exported', async () => {
  const { page, end } = await arrive('/w/library/settings/audit-log')
  await page.getByRole('combobox', { name: 'Did what' }).click()
  await page.getByRole('option', { name: 'Make a System-to-System account' }).click()
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.waitForURL('**action=createSystemToSystem')
  await settled(page)
  assert.equal(await page.getByRole('region', { name: 'Audit log' }).getByRole('row').count(), 2)
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export as CSV' }).click()
  const path = await (await saved).path()
  assert.match(await readFile(path, 'utf8'), /^at,actor,action,.*\r\n.*,createSystemToSystem,/)
  await page.getByLabel('Who').fill('nobody@example.org')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
  await end()
})

test('the workspace file: errors by line are jumped to, changes are shown before they hold, removals are asked about', async () => {
  const { page, expectRefused, end } = await arrive('/w/library/settings/workspace-file')
  const editor = page.getByRole('textbox', { name: 'Workspace file' })
  const write = async (text: string) => {
    await editor.click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText(text)
  }
  await expectRefused([400], async () => {
    await write('workspace: library\ntitle: The library\napis:\n  library: { access: everybody }\n')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('alert').getByText('nothing was changed').waitFor()
  })
  await page.getByRole('button', { name: 'line 4, column' }).first().click()
  await inspectViews(page, 'workspace-file-errors', 'console')
  await write('workspace: library\ntitle: The great library\n')
  await page.getByRole('button', { name: 'Show what changes' }).click()
  await page.getByRole('status').getByText('Applying would change this').waitFor()
  await page.getByRole('status').getByText('"The great library"').waitFor()
  await inspectViews(page, 'workspace-file-changes', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })
  await write('workspace: library\ntitle: The great library\ncollections: {}\napis: {}\n')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('gone for good').waitFor()
  await inspectViews(page, 'workspace-file-removals', undefined)
  await page.getByRole('button', { name: 'Cancel' }).click()
  assert.equal((await library.get('library/e/all/count')).status, 200, 'nothing was removed')
  await end()
})

test('"Why was I refused?" explains a request id and a token, check by check', async () => {
  const reply = await fetch(`${server.baseUrl}/4/library/api/library/e/all/count`, {
    headers: { authorization: `Bearer ${library.token.slice(0, -4)}AAAA` },
  })
  assert.equal(reply.status, 401)
  const { page, end } = await arrive('/w/library/refused')
  const field = page.getByLabel('Request id, or access token')
  await field.fill(`Bearer ${library.token}`)
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.getByRole('heading', { name: 'Let through' }).waitFor()
  await field.fill(`${library.token.slice(0, -4)}AAAA`)
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.getByRole('heading', { name: 'Refused:' }).waitFor()
  await inspectViews(page, 'why-refused', 'console')
  await server.run(['users', 'create', 'stranger@example.org', '--password-stdin'], {
    input: `${password}\n`,
  })
  await end()
})

test('You: a session elsewhere is ended, the password is changed, a wrong one is told at its field', async () => {
  const elsewhere = await arrive('/you')
  const { page, open, expectRefused, end } = await arrive('/you')
  const sessions = page.getByRole('region', { name: 'Sessions' }).getByRole('button', { name: /^Sign out/ })
  const before = await sessions.count()
  assert.ok(before >= 2)
  const other = page
    .getByRole('region', { name: 'Sessions' })
    .getByRole('row')
    .filter({ hasNotText: 'this one' })
    .getByRole('button')
  await other.first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await settled(page)
  assert.equal(await sessions.count(), before - 1)

  const next = 'seven purple walruses hum'
  const send = async (current: string) => {
    await page.getByLabel('Present password').fill(current)
    await page.getByLabel('New password').fill(next)
    await page.getByRole('button', { name: 'Change password' }).click()
  }
  await expectRefused([400], async () => {
    await send('wrong')
    await page.getByRole('alert').waitFor()
  })
  await inspectViews(page, 'you-wrong', undefined)
  await send(password)
  await page.getByText('Your password is changed.').waitFor()
  await open('/you')
  await elsewhere.context.close()
  await end()
})
