/** Applications, Security, Audit log, Workspace file, "Why was I refused?" and Account, in real Chromium. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { openChromium } from '#tests/support/chromium'
import { visitSignedIn } from '#tests/support/console-visit'
import { type Library, makeLibrary } from '#tests/support/library'
import { inspectViews } from '#tests/support/pages-inspect'
import { type StartedServer, startServer } from '#tests/support/started-server'

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

const visitAsOperator = (path: string) => visitSignedIn(browser, server, path)

test('the code of an application works when it is pasted, on the redirect page and on others', async () => {
  let script = ''
  const answers: Readonly<Record<string, () => Promise<string> | string>> = {
    '/oidc-client-ts.js': () => readFile(fileURLToPath(import.meta.resolve('oidc-client-ts')), 'utf8'),
    '/jwt-decode.js': () => readFile(fileURLToPath(import.meta.resolve('jwt-decode')), 'utf8'),
  }
  const imports = { 'oidc-client-ts': '/oidc-client-ts.js', 'jwt-decode': '/jwt-decode.js' }
  const html = () => `<!doctype html><link rel="icon" href="data:,">
    <script type="importmap">${JSON.stringify({ imports })}</script><script type="module">${script}</script>`
  const site = createServer(async (request, response) => {
    const answer = answers[request.url ?? '']
    response.setHeader('content-type', answer ? 'text/javascript' : 'text/html')
    response.end(await (answer ?? html)())
  })
  await once(site.listen(0, '127.0.0.1'), 'listening')
  site.unref()
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const { page, context, end } = await visitAsOperator('/w/library/settings/applications')
  for (const [name, redirectUri] of [
    ['Itself', `${origin}/search`],
    ['Another', `${origin}/back`],
  ] as const) {
    await page.getByRole('button', { name: 'Register application' }).click()
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Redirect URIs').fill(redirectUri)
    await page.getByLabel('First-party application').check()
    await page.getByRole('button', { name: 'Register', exact: true }).click()
    const code = page.getByRole('dialog').locator('pre')
    // Continue after the first query.
    await code.getByText(/\/p\/query\/\w+\/results/).waitFor()
    script = (await code.textContent()) ?? ''
    await page.getByRole('button', { name: 'Done' }).click()
    const visitor = await context.newPage()
    const logins: string[] = []
    visitor.on('request', request => {
      if (new URL(request.url()).pathname === '/authorize') logins.push(request.url())
    })
    const waitForReply = () =>
      visitor.waitForResponse(reply => reply.url().startsWith(server.baseUrl) && reply.ok())
    const [queried] = await Promise.all([waitForReply(), visitor.goto(`${origin}/search`)])
    assert.equal(queried.status(), 200)
    assert.equal(visitor.url(), redirectUri, 'the code is gone from the address')
    await Promise.all([waitForReply(), visitor.goto(`${origin}/search`)])
    assert.equal(logins.length, 1, `one login: ${logins}`)
    await visitor.close()
    await page.getByRole('button', { name: `Delete ${name}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('row').filter({ hasText: name }).waitFor({ state: 'detached' })
  }
  await end()
  site.close()
})

test('the workspace file links errors to their lines, previews changes, and asks before removals', async () => {
  const { page, expectRefused, end } = await visitAsOperator('/w/library/settings/workspace-file')
  const editor = page.getByRole('textbox', { name: 'Workspace file' })
  const write = async (text: string) => {
    await editor.click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText(text)
  }
  // By the check while typing, and by Apply.
  await expectRefused([400, 400], async () => {
    await write(
      `workspace: library\ntitle: The library\napis:\n  library: { access: everybody }\n${'# end\n'.repeat(60)}`,
    )
    await page.getByRole('button', { name: /^\d+ errors?$/ }).waitFor()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('alert').getByText('nothing was changed').waitFor()
  })
  await page.getByRole('button', { name: /^\d+ errors?$/ }).waitFor()
  await page.getByRole('button', { name: 'line 4, column' }).first().click()
  await inspectViews(page, 'workspace-file-errors', 'console')
  // Below the header and above the end of the window, wherever the file is scrolled.
  const alert = page.getByRole('alert').getByText('nothing was changed')
  await page.setViewportSize({ width: 1280, height: 700 })
  for (const scroll of [0, 400]) {
    await page.evaluate(`scrollTo(0, ${scroll})`)
    const { y = 0, height = 0 } = (await alert.boundingBox()) ?? {}
    assert.ok(y > 56 && y + height < 700, `${y} after scrolling by ${scroll}`)
  }
  await write('workspace: library\ntitle: The great library\n')
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await page.getByRole('status').getByText('Applying makes these changes').waitFor()
  await page.getByRole('status').getByText('The great library').waitFor()
  await inspectViews(page, 'workspace-file-changes', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })
  await write('workspace: library\ntitle: The great library\ncollections: {}\napis: {}\n')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('permanently deletes').waitFor()
  await inspectViews(page, 'workspace-file-removals', undefined)
  await page.getByRole('button', { name: 'Cancel' }).click()
  assert.equal((await library.get('library/e/all/count')).status, 200, 'nothing was removed')
  const leaving = page.getByRole('dialog', { name: 'Leave without applying?' })
  await page.getByRole('link', { name: 'Overview' }).click()
  await leaving.waitFor()
  await inspectViews(page, 'workspace-file-leave', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })
  await leaving.getByRole('button', { name: 'Stay' }).click()
  await leaving.waitFor({ state: 'detached' })
  await editor.getByText('The great library').waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  await leaving.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { level: 1, name: 'The library' }).waitFor()
  await end()
})
