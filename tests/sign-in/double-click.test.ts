/** Hands in Chromium: a double click on a form that works once, and an address in the spelling that a browser makes of it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { waitUntil } from '#server/test-wait'
import { openChromium, stepMsMax } from '#tests/support/chromium'
import { type StartedServer, startServer } from '#tests/support/started-server'

const password = 'seven purple walruses hum'

let server: StartedServer
let browser: Browser
before(async () => {
  server = await startServer()
  await server.run(['apply', '-'], { input: 'workspace: shop\n' })
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

const invite = async (email: string): Promise<string> =>
  ((await server.run(['members', 'invite', 'shop', email, '--role', 'user', '--no-mail'])) as { url: string })
    .url

const withPage = async (use: (page: Page) => Promise<void>, { javaScriptEnabled = true } = {}) => {
  const context = await browser.newContext({ javaScriptEnabled })
  context.setDefaultTimeout(stepMsMax)
  await use(await context.newPage())
  await context.close()
}

/** Clicks twice at the same place, whatever is there at the second time. */
const clickTwice = async (page: Page, selector: string): Promise<void> => {
  const box = await page.locator(selector).first().boundingBox()
  assert.ok(box)
  await page.mouse.dblclick(box.x + 9, box.y + 9)
}

/** The second click ends the navigation of the first, which `page.waitForURL` takes for a failure. */
const waitForPath = async (page: Page, path: string): Promise<void> => {
  await waitUntil(() => new URL(page.url()).pathname.endsWith(path))
  await page.waitForLoadState()
}

const join = async (page: Page, url: string): Promise<void> => {
  await page.goto(url)
  await page.locator('[name=name]').fill('Kim')
  await page.locator('[name=password]').fill(password)
}
/** The page is for people who are signed in. Everybody else is led to the sign-in. */
const assertSignedIn = async (page: Page): Promise<void> => {
  await page.goto(`${server.authUrl}/factors`)
  assert.equal(new URL(page.url()).pathname, '/factors')
}

for (const javaScriptEnabled of [true, false]) {
  const suffix = javaScriptEnabled ? '' : ', without JavaScript'

  test(`a double click on an invitation joins and signs in${suffix}`, () =>
    withPage(
      async page => {
        await join(page, await invite(`join${javaScriptEnabled}@example.org`))
        await clickTwice(page, '[value=register]')
        await waitForPath(page, '/joined')
        await assertSignedIn(page)
      },
      { javaScriptEnabled },
    ))

  test(`a double click on a new password changes it and says so${suffix}`, () =>
    withPage(
      async page => {
        const { url } = (await server.run(['users', 'reset', 'ada@example.org'])) as { url: string }
        await page.goto(url)
        await page.locator('[name=password]').fill(`${password} ${javaScriptEnabled}`)
        await clickTwice(page, 'form button[name=action]')
        await waitForPath(page, '/password/changed')
      },
      { javaScriptEnabled },
    ))
}

test('a person with an internationalized domain signs in with either spelling of the address', async () => {
  await withPage(async page => {
    await join(page, await invite('kontakt@bücher.example'))
    await page.locator('[value=register]').click()
    await page.waitForURL('**/joined')
  })
  for (const email of ['kontakt@bücher.example', 'kontakt@xn--bcher-kva.example', 'KONTAKT@BÜCHER.example'])
    await withPage(async page => {
      await page.goto(`${server.authUrl}/factors`)
      await page.locator('[name=email]').fill(email)
      await page.locator('[name=password]').fill(password)
      await page.locator('[value=sign-in]').click()
      await page.waitForURL('**/factors')
    })
})
