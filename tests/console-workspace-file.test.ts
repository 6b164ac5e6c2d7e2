/** The workspace file in real Chromium: it is applied to the workspace that it names, and what is not applied is not lost unasked. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openChromium } from './chromium.ts'
import { arriveAt, password } from './console-visit.ts'
import { makeLibrary } from './library.ts'
import { inspectViews } from './pages-inspect.ts'
import { type StartedServer, startServer } from './started-server.ts'

let server: StartedServer
let browser: Browser
before(async () => {
  server = await startServer()
  await makeLibrary(server)
  await server.run(['apply', '-'], { input: 'workspace: archive\ntitle: The archive\n' })
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

const fileAddress = '/w/library/settings/workspace-file'
const textIn = (page: Page) => page.getByRole('textbox', { name: 'Workspace file' })
const write = async (page: Page, text: string) => {
  await textIn(page).click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}
const titles = async () => {
  const listed = (await server.run(['workspaces', 'list'])) as { workspace: string; title: string }[]
  return Object.fromEntries(listed.map(({ workspace, title }) => [workspace, title]))
}

test('a file that names another workspace is applied to neither, and taken along to the one it names', async () => {
  const { page, end } = await arriveAt(browser, server, fileAddress)
  const before = await titles()
  await write(page, 'workspace: archive\ntitle: The great archive\n')
  const asking = page.getByRole('dialog', { name: 'The file names another workspace' })
  await page.getByRole('button', { name: 'Show what changes' }).click()
  await asking.getByText('It is a file of archive, and library is open.').waitFor()
  await inspectViews(page, 'workspace-file-other', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })
  await asking.getByRole('button', { name: 'Cancel' }).click()
  await asking.waitFor({ state: 'detached' })
  await textIn(page).getByText('The great archive').waitFor()

  await page.getByRole('button', { name: 'Apply' }).click()
  await asking.getByRole('button', { name: 'Open archive' }).click()
  await page.waitForURL(/\/w\/archive\/settings\/workspace-file$/)
  await textIn(page).getByText('The great archive').waitFor()
  assert.deepEqual(await titles(), before)
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('status').getByText('Applied').waitFor()
  assert.deepEqual(await titles(), { ...before, archive: 'The great archive' })
  await page.goBack()
  await page.waitForURL(/\/w\/library\//)
  await textIn(page).getByText('The library').waitFor()
  await end()
})

test('a file of a workspace that is not there makes none, and its text waits for it', async () => {
  const { page, end } = await arriveAt(browser, server, fileAddress)
  await write(page, 'workspace: new-one\ntitle: The new one\n')
  await page.getByRole('button', { name: 'Apply' }).click()
  const asking = page.getByRole('dialog', { name: 'The file names another workspace' })
  await asking.getByText('There is no workspace new-one yet.').waitFor()
  await asking.getByRole('button', { name: 'Go to Workspaces' }).click()
  await page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor()
  assert.equal((await titles())['new-one'], undefined)
  await page.getByRole('button', { name: 'Make a workspace' }).click()
  await page.getByLabel('Title').fill('New one')
  await page.getByRole('button', { name: 'Make', exact: true }).click()
  await page.getByRole('link', { name: 'Workspace file', exact: true }).click()
  await textIn(page).getByText('The new one').waitFor()
  await end()
})

test('who may not change the named workspace is told that the file names it', async () => {
  const carol = 'carol@example.org'
  await server.run(['users', 'create', carol, '--password-stdin'], { input: `${password}\n` })
  await server.run(['members', 'add', 'library', carol, '--role', 'administrator'])
  const { page, expectRefused, end } = await arriveAt(browser, server, fileAddress, carol)
  await write(page, 'workspace: archive\ntitle: Taken over\n')
  await expectRefused([403], async () => {
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('The file names the workspace archive, and library is open').waitFor()
  })
  assert.notEqual((await titles()).archive, 'Taken over')
  await end()
})

test('closing the page with changes that are not applied asks first, and without changes does not', async () => {
  const { page, end } = await arriveAt(browser, server, fileAddress)
  await textIn(page).getByText('The library').waitFor()
  await page.reload()
  await textIn(page).getByText('The library').waitFor()
  await write(page, 'workspace: library\ntitle: Changed\n')
  const closing = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const dialog = await closing
  assert.equal(dialog.type(), 'beforeunload')
  await dialog.dismiss()
  await textIn(page).getByText('Changed').waitFor()
  await end()
})

test('the text can be changed before the editor is loaded, which takes it over with the place in it', async () => {
  const { page, context, end } = await arriveAt(browser, server, '/w/library')
  let release = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  await context.route(/\/assets\/editor-[^/]+\.js$/, async route => {
    await released
    await route.continue()
  })
  await page.getByRole('link', { name: 'Workspace file', exact: true }).click()
  const plain = page.locator('textarea')
  await plain.fill('workspace: library\ntitle: Typed early\n')
  await plain.press('ControlOrMeta+Home')
  release()
  await plain.waitFor({ state: 'detached' })
  await page.keyboard.insertText('# ')
  await textIn(page).getByText('# workspace: library').waitFor()
  await textIn(page).getByText('Typed early').waitFor()
  await end()
})
