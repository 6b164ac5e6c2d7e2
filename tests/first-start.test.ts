/** The first start: a link from the server's output makes the first operator; no default password exists (issue 7). */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openChromium } from './chromium.ts'
import { adminEmail, settled, signIn, visitConsole } from './console-visit.ts'
import { querent, type StartedServer, startServer } from './started-server.ts'

const chosen = 'a long phrase of the first operator'
const later = 'another phrase, chosen when locked out'

let server: StartedServer
let browser: Browser
before(async () => {
  server = await startServer([], { password: undefined })
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

const link = (): string => {
  const first = server.firstOperator()
  assert.ok(first, 'no link was printed')
  assert.equal(first.email, adminEmail)
  const lastsMs = Date.parse(first.expiresAt) - Date.now()
  assert.ok(lastsMs > 50 * 60_000 && lastsMs <= 60 * 60_000, first.expiresAt)
  assert.ok(first.url.startsWith(`${server.authUrl}/password/reset/`))
  return first.url
}
const statusOf = async (url: string): Promise<number> =>
  (await fetch(url, { headers: { accept: 'text/html' } })).status

test('without a password nobody signs in; each start prints the link that is good', async () => {
  const first = link()
  assert.equal(await statusOf(first), 200)
  await server.kill()
  await server.restart()
  assert.equal(link(), first)
  assert.equal(await statusOf(first), 200)
})

test('the link leads to a password, and that to the console; it works once, and no start prints another', async () => {
  const visit = await visitConsole(browser, server)
  const { page } = visit
  const used = link()
  await page.goto(used)
  await page.getByRole('heading', { level: 1, name: 'Choose a password' }).waitFor()
  assert.equal(await page.locator('[name=email]').inputValue(), adminEmail)
  await visit.expectRefused([422], async () => {
    await page.locator('[name=password]').fill('password')
    await page.locator('[value=save]').click()
    await page.locator('[name=password][aria-invalid=true]').waitFor()
  })
  await page.locator('[name=password]').fill(chosen)
  await page.locator('[value=save]').click()
  await page.getByRole('heading', { level: 1, name: 'Your password is saved' }).waitFor()
  await page.getByText(`Signed in as ${adminEmail}`).waitFor()
  await page.locator('a.button').click()
  // Nobody asks for the password that was just chosen.
  await settled(page)
  assert.match(page.url(), /\/console\//)
  await visit.end()

  assert.equal(await statusOf(used), 410)
  await server.kill()
  await server.restart()
  assert.equal(server.firstOperator(), undefined)
  assert.doesNotMatch(server.log(), /password/)
})

test('a link stands in no file of the data folder', async () => {
  const fresh = await startServer([], { password: undefined })
  try {
    const token = new URL(fresh.firstOperator()?.url ?? '').pathname.split('/').at(-1) ?? ''
    assert.match(token, /^qrl_/)
    for (const name of await readdir(fresh.data, { recursive: true })) {
      const bytes = await readFile(join(fresh.data, name)).catch(() => Buffer.alloc(0))
      assert.ok(!bytes.includes(token), name)
    }
  } finally {
    await fresh.stop()
  }
})

test('an operator who is locked out gets a link from the command line on the server, and is in again', async () => {
  const { url } = (await server.run(['users', 'reset', adminEmail])) as { url: string }
  const visit = await visitConsole(browser, server)
  const { page } = visit
  await page.goto(url)
  await page.getByRole('heading', { level: 1, name: 'Choose a new password' }).waitFor()
  await page.locator('[name=password]').fill(later)
  await page.locator('[value=save]').click()
  await page.locator('a.button').click()
  await signIn(page, adminEmail, later)
  await settled(page)
  assert.match(page.url(), /\/console\//)
  await visit.end()
})

test('a folder that is not there, or empty, is no data folder: serve names the command that makes one', async () => {
  const none = join(server.data, 'none')
  const ran = await querent(['serve', '--data', none])
  assert.equal(ran.code, 1)
  assert.match(
    ran.stderr,
    /there is no data folder .*none: make it with `querent init --data .*none --admin EMAIL`/,
  )
})
