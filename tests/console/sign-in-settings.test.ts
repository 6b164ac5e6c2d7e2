/** Settings > Sign-in in Chromium: forms for branding and the OpenID provider, and what people see of them. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { chooseAccentColors } from '@querent/contract/accent-colors'
import type { Browser, Page } from 'playwright-core'
import { openTestProvider, type TestProvider } from '#server/oauth/identity-provider/test-provider'
import { openChromium } from '#tests/support/chromium'
import { brandedShop } from '#tests/support/console-examples'
import { password, visitSignedIn } from '#tests/support/console-visit'
import { inspectNarrowest, inspectViews } from '#tests/support/pages-inspect'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let company: TestProvider
let browser: Browser
before(async () => {
  server = await startServer()
  await server.call('createUser', { input: { email: 'eve@example.org', password } })
  await server.applyWorkspace(brandedShop)
  company = await openTestProvider()
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
  await company?.close()
})
beforeEach(() => server.applyWorkspace(brandedShop))

const exported = () => server.exportWorkspace('shop')
const visitSettings = () => visitSignedIn(browser, server, '/w/shop/settings/sign-in')
const branding = (page: Page) => page.getByRole('region', { name: 'Branding' })
/** Text, because it runs in the page: the types of this program include no DOM. */
const buttonColors = (page: Page, selector: string) =>
  page.evaluate<string[]>(`[...document.querySelectorAll(${JSON.stringify(selector)})].map(button => {
    const { backgroundColor, color } = getComputedStyle(button)
    return backgroundColor + ' ' + color
  })`)
const rgb = (hex: string): string =>
  `rgb(${[1, 3, 5].map(start => Number.parseInt(hex.slice(start, start + 2), 16)).join(', ')})`
const expectedColors = (color: string): string[] =>
  (['light', 'dark'] as const).map(scheme => {
    const { accent, onAccent } = chooseAccentColors(color, scheme)
    return `${rgb(accent)} ${rgb(onAccent)}`
  })

test('the form for branding previews what people then see, keeps comments, and says how it corrects a color', async () => {
  const { page, context, end } = await visitSettings()
  const form = branding(page)
  const preview = page.getByRole('img', { name: 'Sign-in page, Light' })
  assert.equal(await form.getByLabel('Name').inputValue(), 'Old name')
  await preview.getByText('Old name').waitFor()
  await form.getByLabel('Name').fill('Reading room')
  await preview.getByText('Reading room').waitFor()

  // While a color is being typed, the preview keeps the last whole one.
  await form.getByLabel('Color', { exact: true }).fill('#ffee0')
  await form.locator('[aria-invalid=true]').waitFor()
  assert.deepEqual(
    await buttonColors(page, '.sign-in-preview .button:not(.second):not(.plain)'),
    expectedColors('#00bb55'),
  )
  await form.getByLabel('Color', { exact: true }).fill('#ffee00')
  const { accent } = chooseAccentColors('#ffee00', 'light')
  await form.getByRole('status').getByText(accent).waitFor()
  assert.doesNotMatch((await form.getByRole('status').first().textContent()) ?? '', /Dark pages/)
  assert.deepEqual(
    await buttonColors(page, '.sign-in-preview .button:not(.second):not(.plain)'),
    expectedColors('#ffee00'),
  )
  await form.getByLabel('Pick a color').fill('#0b5fff')
  assert.equal(await form.getByLabel('Color', { exact: true }).inputValue(), '#0b5fff')
  await form.getByLabel('Color', { exact: true }).fill('#ffee00')

  const privacy = form.getByLabel('Privacy statement URL')
  await privacy.fill('http://example.org/privacy')
  await form.getByRole('button', { name: 'Save' }).click()
  await privacy.and(page.locator('[aria-invalid=true]:focus')).waitFor()
  assert.equal(await exported(), brandedShop)
  await privacy.fill('https://example.org/privacy')
  await preview.getByText('Privacy').waitFor()
  await inspectViews(page, 'branding', undefined)
  await inspectNarrowest(page, 'branding')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ colorScheme: 'light' })
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('status').getByText('Saved.').waitFor()
  assert.equal(
    await exported(),
    brandedShop
      .replace('Old name', 'Reading room')
      .replace('"#0b5"', '"#ffee00"')
      .replace('/terms\n', '/terms\n  privacyUrl: https://example.org/privacy\n'),
  )

  const [signInPage] = await Promise.all([
    context.waitForEvent('page'),
    form.getByRole('link', { name: 'Open the saved sign-in page of' }).click(),
  ])
  await signInPage.locator('.mark').getByText('Reading room').waitFor()
  const [light, dark] = expectedColors('#ffee00')
  assert.deepEqual(await buttonColors(signInPage, '[value=sign-in]'), [light])
  await signInPage.emulateMedia({ colorScheme: 'dark' })
  assert.deepEqual(await buttonColors(signInPage, '[value=sign-in]'), [dark])
  await signInPage.getByRole('link', { name: 'Privacy' }).waitFor()
  await end()
})
