/** The workspace file in real Chromium: it applies to the workspace that it names, and unapplied text is not lost without a question. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openChromium } from '#tests/support/chromium'
import {
  adminEmail,
  password,
  readDownload,
  signIn,
  signOut,
  visitSignedIn,
  waitForRequests,
} from '#tests/support/console-visit'
import { makeLibrary } from '#tests/support/library'
import { inspectViews } from '#tests/support/pages-inspect'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let browser: Browser
before(async () => {
  server = await startServer()
  await makeLibrary(server)
  await server.applyWorkspace('workspace: archive\ntitle: The archive\n')
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

test('a file that names another workspace is applied to neither, and can be taken to the workspace that it names', async () => {
  const { page, end } = await visitSignedIn(browser, server, fileAddress)
  const titlesBefore = await titles()
  await write(page, 'workspace: archive\ntitle: The great archive\n')
  const dialog = page.getByRole('dialog', { name: 'The file names another workspace' })
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await dialog.getByText('The file describes archive, but library is open.').waitFor()
  await inspectViews(page, 'workspace-file-other', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await textIn(page).getByText('The great archive').waitFor()

  await page.getByRole('button', { name: 'Apply' }).click()
  await dialog.getByRole('button', { name: 'Open archive' }).click()
  await page.waitForURL(/\/w\/archive\/settings\/workspace-file$/)
  await textIn(page).getByText('The great archive').waitFor()
  assert.deepEqual(await titles(), titlesBefore)
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('status').getByText('Applied').waitFor()
  assert.deepEqual(await titles(), { ...titlesBefore, archive: 'The great archive' })
  await page.goBack()
  await page.waitForURL(/\/w\/library\//)
  await textIn(page).getByText('The library').waitFor()
  await end()
})

test('a file of a missing workspace creates nothing, and the page keeps its text', async () => {
  const { page, end } = await visitSignedIn(browser, server, fileAddress)
  await write(page, 'workspace: new-one\ntitle: The new one\n')
  await page.getByRole('button', { name: 'Apply' }).click()
  const dialog = page.getByRole('dialog', { name: 'The file names another workspace' })
  await dialog.getByText('The workspace new-one does not exist yet.').waitFor()
  await dialog.getByRole('button', { name: 'Go to Workspaces' }).click()
  await page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor()
  assert.equal((await titles())['new-one'], undefined)
  await page.getByRole('button', { name: 'Create workspace' }).click()
  await page.getByLabel('Title').fill('New one')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('link', { name: 'Workspace file', exact: true }).click()
  await textIn(page).getByText('The new one').waitFor()
  await end()
})

test('a person who may not change the named workspace is told that the file names it', async () => {
  const carol = 'carol@example.org'
  await server.call('createUser', { input: { email: carol, password } })
  await server.call('setMember', {
    params: { workspace: 'library', email: carol },
    input: { roles: ['administrator'] },
  })
  const { page, expectRefused, end } = await visitSignedIn(browser, server, fileAddress, carol)
  await write(page, 'workspace: archive\ntitle: Taken over\n')
  await expectRefused([403], async () => {
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('The file names the workspace archive, but library is open').waitFor()
  })
  assert.notEqual((await titles()).archive, 'Taken over')
  await end()
})

test('the file is downloaded, and another one is opened in the editor; comments alone are saved, and it says so', async () => {
  const { page, end } = await visitSignedIn(browser, server, fileAddress)
  await textIn(page).getByText('The library').waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  const download = await downloading
  assert.equal(download.suggestedFilename(), 'library.yaml')
  const source = await readDownload(download)
  assert.match(source, /title: The library/)

  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Open a file' }).click()
  const text = `# Reviewed in November.\n${source}`
  await (await choosing).setFiles({ name: 'mine.yaml', mimeType: 'text/yaml', buffer: Buffer.from(text) })
  await page.getByText('The editor has the text of mine.yaml').waitFor()
  await textIn(page).getByText('# Reviewed in November.').waitFor()
  await page.getByText('No errors, only comments or layout change').waitFor()
  await inspectViews(page, 'workspace-file-opened', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('Saved: only comments or layout changed').waitFor()
  const { source: stored } = await server.call('exportWorkspaceFile', { params: { workspace: 'library' } })
  assert.equal(stored, text)
  await end()
})

test('closing the page with unapplied changes asks first, and without changes does not ask', async () => {
  const { page, end } = await visitSignedIn(browser, server, fileAddress)
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

test('the text can be edited before the editor is loaded, which takes over the text and the cursor', async () => {
  const { page, context, end } = await visitSignedIn(browser, server, '/w/library')
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

test('the page explains types and kinds in the words of the documentation', async () => {
  const docs = await readFile(
    join(import.meta.dirname, '..', '..', 'docs', 'describe-your-search.md'),
    'utf8',
  )
  const rowsBelow = (heading: RegExp) => {
    const [, , ...rows] = docs.slice(docs.search(heading)).split('\n\n')[0]?.split('\n') ?? []
    return rows.map(row => row.replaceAll(/[`\\]/g, '').split('|').slice(1, -1))
  }
  const { page, end } = await visitSignedIn(browser, server, fileAddress)
  await page.getByRole('button', { name: 'Types and kinds' }).click()
  for (const [name, heading] of [
    ['Types of fields', /^\| type +\|/m],
    ['Kinds of endpoints', /^\| kind +\|/m],
  ] as const) {
    const table = page.getByRole('table', { name })
    await table.waitFor()
    const tableCells = await table
      .locator('tbody tr')
      .evaluateAll(rows => rows.map(row => [...row.children].map(cell => cell.textContent)))
    assert.deepEqual(
      tableCells,
      rowsBelow(heading).map(cells => cells.map(cell => cell.trim())),
    )
  }
  await inspectViews(page, 'workspace-file-help', undefined)
  await end()
})

/** Returns the token that the tab's next request to the management API carries. */
const readToken = async (page: Page, use: () => Promise<unknown>) => {
  const [request] = await Promise.all([
    page.waitForRequest(sent => sent.url().includes('/manage/v1/') && sent.method() !== 'OPTIONS'),
    use(),
  ])
  return String((await request.allHeaders()).authorization)
}
const applyWith = (authorization: string) =>
  fetch(`${server.authUrl}/manage/v1/apply`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ source: 'workspace: library\ntitle: After signing out\n' }),
  })

test('signing out in one tab leads the other to the login, ends its token, and keeps its text for the same person', async () => {
  const { page, context, end } = await visitSignedIn(browser, server, fileAddress)
  const text = 'workspace: library\ntitle: Not applied yet\n'
  await write(page, text)
  const authorization = await readToken(page, () =>
    page.getByRole('button', { name: 'Preview changes' }).click(),
  )
  await page.getByText('Applying makes these changes').waitFor()
  const otherPage = await context.newPage()
  await otherPage.goto(`${server.authUrl}/console/you`)
  await otherPage.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
  await signOut(otherPage)
  await page.locator('[name=password]').waitFor()
  assert.equal((await applyWith(authorization)).status, 401)
  assert.notEqual((await titles()).library, 'After signing out')
  await signIn(page, adminEmail)
  assert.equal(page.url(), `${server.authUrl}/console${fileAddress}`)
  await textIn(page).getByText('Not applied yet').waitFor()
  // The next visit shows the stored text.
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('button', { name: 'Leave' }).click()
  // Until the other page is there, the link would lead from the text to itself.
  await page.getByRole('heading', { level: 1, name: 'The library' }).waitFor()
  await page.getByRole('link', { name: 'Workspace file', exact: true }).click()
  await textIn(page).getByText('The library').waitFor()
  await end()
})

test('if the session ends elsewhere, the page says so, and signing in again leads back to the text', async () => {
  const { page, expectRefused, end } = await visitSignedIn(browser, server, fileAddress)
  await write(page, 'workspace: library\ntitle: Still here\n')
  const authorization = await readToken(page, () =>
    page.getByRole('button', { name: 'Preview changes' }).click(),
  )
  await page.getByText('Applying makes these changes').waitFor()
  const sessions = `${server.authUrl}/manage/v1/me/sessions`
  const listed = await fetch(sessions, { headers: { authorization } })
  const { items } = (await listed.json()) as { items: { id: string; current: boolean }[] }
  const current = items.find(session => session.current)
  const deleteReply = await fetch(`${sessions}/${current?.id}`, {
    method: 'DELETE',
    headers: { authorization },
  })
  assert.equal(deleteReply.status, 204)
  await waitForRequests(page)
  await expectRefused([401], async () => {
    await page.getByRole('button', { name: 'Preview changes' }).click()
    await page.getByRole('alert').getByText('You were signed out').waitFor()
  })
  await inspectViews(page, 'signed-out', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'Sign in again' }).click()
  await page.locator('[name=password]').waitFor()
  await signIn(page, adminEmail)
  await textIn(page).getByText('Still here').waitFor()
  await end()
})

test('applying never undoes what somebody else saved meanwhile, and offers to merge both', async () => {
  await server.applyWorkspace(
    'workspace: shared\ntitle: One\ncollections: { a: { fields: { x: { type: text } } } }\n',
  )
  const params = { workspace: 'shared' }
  const read = async () => (await server.call('exportWorkspaceFile', { params })).source
  const { page, expectRefused, end } = await visitSignedIn(
    browser,
    server,
    '/w/shared/settings/workspace-file',
  )
  const apply = page.getByRole('button', { name: 'Apply' })
  const dialog = page.getByRole('dialog', { name: 'Somebody else has changed this meanwhile' })
  await write(page, `${await read()}# Mine\n`)
  await server.call('updateSettings', { params, input: { title: 'Two' } })
  await expectRefused([409], async () => {
    await apply.click()
    await dialog.getByText(/Changes the title from One to Two/).waitFor()
  })
  assert.match(await read(), /title: Two/)
  await inspectViews(page, 'workspace-file-changed', undefined)
  await dialog.getByRole('button', { name: 'Merge' }).click()
  await page.getByText('Your lines are in the current file.').waitFor()
  assert.doesNotMatch(await read(), /# Mine/, 'nothing is applied yet')
  await apply.click()
  await page.getByText('Saved: only comments or layout changed').waitFor()
  assert.match(await read(), /title: Two[\s\S]*# Mine/)

  await write(page, (await read()).replace('title: Two', 'title: Mine'))
  await server.call('updateSettings', { params, input: { title: 'Three' } })
  await expectRefused([409], async () => {
    await page.getByRole('button', { name: 'Preview changes' }).click()
    await dialog.getByText('You both changed the same lines at 1 place. Lines to keep').waitFor()
  })
  await dialog.getByText('title: Three').waitFor()
  await dialog.getByRole('radio', { name: 'My lines' }).click()
  await dialog.getByText('title: Mine').waitFor()
  await dialog.getByRole('button', { name: 'Discard my changes' }).click()
  await dialog.waitFor({ state: 'detached' })
  await textIn(page).getByText('Three').waitFor()
  await end()
})

test('a file that leaves out a collection with documents is applied only after its name is typed', async () => {
  const rest = 'workspace: shelves\ncollections:\n  maps: { fields: { title: { type: text } } }\n'
  const drafts = '  drafts: { fields: { title: { type: text } } }\n'
  await server.applyWorkspace(`${rest}${drafts}  films: { fields: { title: { type: text } } }\n`)
  await server.importDocuments('shelves', 'films', [
    { id: 'f1', title: 'River' },
    { id: 'f2', title: 'Winter' },
  ])
  const countDocuments = async () => {
    const { items } = await server.call('listCollections', { params: { workspace: 'shelves' } })
    return Object.fromEntries(items.map(({ collection, documents }) => [collection, documents]))
  }
  const { page, end } = await visitSignedIn(browser, server, '/w/shelves/settings/workspace-file')
  const dialog = page.getByRole('dialog', { name: 'Delete everything that the file leaves out?' })
  const applyAll = dialog.getByRole('button', { name: 'Delete and apply' })
  await write(page, `${rest}${drafts}`)
  await page.getByRole('button', { name: 'Apply' }).click()
  await dialog.getByText('This permanently deletes 2 documents of films').waitFor()
  await dialog.getByText('Removes the collection films').waitFor()
  assert.equal(await applyAll.isDisabled(), true)
  await dialog.getByLabel('Type films to confirm').fill('film')
  assert.equal(await applyAll.isDisabled(), true)
  await page.keyboard.press('Enter')
  await inspectViews(page, 'workspace-file-deletes', undefined)
  assert.deepEqual(await countDocuments(), { maps: 0, drafts: 0, films: 2 })
  await page.setViewportSize({ width: 1280, height: 800 })
  await dialog.getByLabel('Type films to confirm').fill('films')
  await applyAll.click()
  await page.getByRole('status').getByText('Applied').waitFor()
  assert.deepEqual(await countDocuments(), { maps: 0, drafts: 0 })

  // An empty collection loses nothing, so a click is enough.
  await write(page, rest)
  await page.getByRole('button', { name: 'Apply' }).click()
  await dialog.getByText('Removes the collection drafts').waitFor()
  assert.equal(await dialog.getByRole('textbox').count(), 0)
  await applyAll.click()
  await page.getByRole('status').getByText('Removes the collection drafts').waitFor()
  assert.deepEqual(await countDocuments(), { maps: 0 })
  await end()
})
