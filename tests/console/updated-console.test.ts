/** A page of the console that stays open while the server is updated: its build then has other files. */
import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { openChromium } from '#tests/support/chromium'
import { visitSignedIn } from '#tests/support/console-visit'
import { makeLibrary } from '#tests/support/library'
import { type ServerProcess, startServerProcess } from '#tests/support/started-server'

let server: ServerProcess
let browser: Browser
let folder: string
before(async () => {
  server = await startServerProcess()
  await makeLibrary(server)
  browser = await openChromium()
  folder = await mkdtemp(join(tmpdir(), 'querent-console-'))
})
after(async () => {
  await browser?.close()
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Names of built files end with a hash of their content. */
const hashed = /([\w.-]+)-([\w-]{8})\.(js|css)\b/g

/** Copies the console as a build in which every file has another hash. Returns its `index.html`. */
const makeChangedBuild = async (): Promise<string> => {
  const build = join(folder, 'dist')
  const page = fileURLToPath(import.meta.resolve('@querent/console/dist/index.html'))
  await cp(join(page, '..'), build, { recursive: true, filter: path => !/\.(br|gz|map)$/.test(path) })
  const assets = join(build, 'assets')
  const names = new Set(await readdir(assets))
  const changeNames = (text: string) =>
    text.replaceAll(hashed, (name, start, hash, end) =>
      names.has(name) ? `${start}-${[...hash].reverse().join('')}.${end}` : name,
    )
  for (const path of [join(build, 'index.html'), ...[...names].map(name => join(assets, name))])
    if (/\.(js|css|html)$/.test(path)) await writeFile(path, changeNames(await readFile(path, 'utf8')))
  for (const name of names) await rename(join(assets, name), join(assets, changeNames(name)))
  return join(build, 'index.html')
}

/** Puts the console of this checkout in place of the changed one. */
const replaceBuild = async (): Promise<void> => {
  const build = join(folder, 'dist')
  await rm(join(build, 'assets'), { recursive: true })
  await cp(join(fileURLToPath(import.meta.resolve('@querent/console/dist/index.html')), '..'), build, {
    recursive: true,
  })
}

/** Starts the server again with this build of the console. Nothing else of the server changes. */
const updateConsole = async (page: string): Promise<void> => {
  const hook = join(folder, 'hook.mjs')
  await writeFile(
    hook,
    `import { registerHooks } from 'node:module'
registerHooks({
  resolve: (name, context, next) =>
    name === '@querent/console/dist/index.html'
      ? { url: ${JSON.stringify(pathToFileURL(page).href)}, shortCircuit: true }
      : next(name, context),
})`,
  )
  const { NODE_OPTIONS: options } = process.env
  process.env.NODE_OPTIONS = `${options ?? ''} --import=${pathToFileURL(hook)}`
  try {
    await server.shutDown()
    await server.restart()
  } finally {
    if (options === undefined) delete process.env.NODE_OPTIONS
    else process.env.NODE_OPTIONS = options
  }
}

test('after an update of the server, an open page loads again on the way to another page, and says so before it loses a form', async () => {
  const members = await visitSignedIn(browser, server, '/w/library/settings/team-members')
  const overview = await visitSignedIn(browser, server, '/w/library')
  await updateConsole(await makeChangedBuild())

  await overview.page.getByRole('link', { name: 'Audit log' }).click()
  await overview.page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
  assert.equal(await overview.page.getByText('Querent was updated').count(), 0)

  const { page } = members
  await page.getByRole('searchbox', { name: 'Search' }).fill('ada')
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByRole('alert').getByText('Querent was updated').waitFor()
  await page.getByRole('button', { name: 'Load the page again' }).click()
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByRole('dialog').getByLabel('E-mail').waitFor()
  // Files that are replaced below a running server are the next page's.
  await replaceBuild()
  await overview.page.getByRole('link', { name: 'Usage' }).click()
  await overview.page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
  await overview.page.reload()
  await overview.page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
  for (const { context } of [members, overview]) await context.close()
})
