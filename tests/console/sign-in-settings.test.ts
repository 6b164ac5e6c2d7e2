/** Settings > Sign-in in Chromium: forms for branding and the OpenID provider, and what people see of them. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { chooseAccentColors } from '@querent/contract/accent-colors'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import type { Browser, Page } from 'playwright-core'
import { openTestProvider, type TestProvider } from '#server/oauth/identity-provider/test-provider'
import { openChromium } from '#tests/support/chromium'
import { runQuerent } from '#tests/support/command-line'
import { password, visitSignedIn } from '#tests/support/console-visit'
import { inspectNarrowest, inspectViews } from '#tests/support/pages-inspect'
import { type StartedServer, startServer } from '#tests/support/started-server'

const source = `# The shop of Ada
workspace: shop
title: A shop   # for now
members: { ada@example.org: [administrator], eve@example.org: [user] }
applications:
  finder: { title: Finder, type: browser, redirectUris: ["https://app.example.org/callback"] }

branding:
  # As on the website
  name:  Old name   # until spring
  color: "#0b5"
  termsUrl: https://example.org/terms
# The end
`

let server: StartedServer
let company: TestProvider
let browser: Browser
before(async () => {
  server = await startServer()
  await server.call('createUser', { input: { email: 'eve@example.org', password } })
  await server.applyWorkspace(source)
  company = await openTestProvider()
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
  await company?.close()
})
beforeEach(() => server.applyWorkspace(source))

const exported = async (): Promise<string> =>
  (await runQuerent(['export', 'shop', '--data', server.data])).stdout
const exportedFile = async (): Promise<WorkspaceFile> =>
  (await server.run(['export', 'shop'])) as WorkspaceFile
const visitSettings = () => visitSignedIn(browser, server, '/w/shop/settings/sign-in')
const branding = (page: Page) => page.getByRole('region', { name: 'Branding' })
const provider = (page: Page) => page.getByRole('region', { name: 'OpenID provider' })
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
const closed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached' })

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
    await buttonColors(page, '.sign-in-preview .button:not(.second)'),
    expectedColors('#00bb55'),
  )
  await form.getByLabel('Color', { exact: true }).fill('#ffee00')
  const { accent } = chooseAccentColors('#ffee00', 'light')
  await form.getByRole('status').getByText(accent).waitFor()
  assert.doesNotMatch((await form.getByRole('status').first().textContent()) ?? '', /Dark pages/)
  assert.deepEqual(
    await buttonColors(page, '.sign-in-preview .button:not(.second)'),
    expectedColors('#ffee00'),
  )
  await form.getByLabel('Pick a color').fill('#0b5fff')
  assert.equal(await form.getByLabel('Color', { exact: true }).inputValue(), '#0b5fff')
  await form.getByLabel('Color', { exact: true }).fill('#ffee00')

  const privacy = form.getByLabel('Privacy statement URL')
  await privacy.fill('http://example.org/privacy')
  await form.getByRole('button', { name: 'Save' }).click()
  await privacy.and(page.locator('[aria-invalid=true]:focus')).waitFor()
  assert.equal(await exported(), source)
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
    source
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

test('an emptied form leaves no branding in the file, and a change of somebody else is not overwritten', async () => {
  const { page, end } = await visitSettings()
  const form = branding(page)
  await form.getByLabel('Name').fill('Mine')
  await server.applyWorkspace(source.replace('Old name', 'Theirs'))
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('alert').waitFor()
  assert.equal((await exportedFile()).branding?.name, 'Theirs')
  await form.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('img', { name: 'Sign-in page, Dark' }).getByText('Theirs').waitFor()

  for (const label of ['Name', 'Color', 'Terms of use URL'])
    await form.getByLabel(label, { exact: true }).fill('')
  await page.getByRole('img', { name: 'Sign-in page, Dark' }).getByText('Querent').waitFor()
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('status').getByText('Saved.').waitFor()
  assert.equal((await exportedFile()).branding, undefined)
  await end()
})

test('leaving the page asks while the branding is not saved', async () => {
  const { page, end } = await visitSettings()
  const form = branding(page)
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await form.getByLabel('Name').fill('Reading room')
  await page.getByRole('link', { name: 'Team Members' }).click()
  await question.getByRole('button', { name: 'Stay' }).click()
  await question.waitFor({ state: 'detached' })
  assert.equal(await form.getByLabel('Name').inputValue(), 'Reading room')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('status').getByText('Saved.').waitFor()
  await page.getByRole('link', { name: 'Team Members' }).click()
  await page.getByRole('heading', { level: 1, name: 'Team Members' }).waitFor()

  await page.getByRole('link', { name: 'General', exact: true }).click()
  await page.getByLabel('Description').fill('Books')
  await page.getByRole('link', { name: 'Team Members' }).click()
  await question.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { level: 1, name: 'Team Members' }).waitFor()
  await end()
})

test('a logo is not loaded by the console, but linked', async () => {
  const { page, end } = await visitSettings()
  const requests: string[] = []
  page.on('request', request => requests.push(request.url()))
  const form = branding(page)
  await form.getByLabel('Logo URL').fill('https://cdn.example.org/logo.svg')
  const link = form.getByRole('link', { name: 'Open the logo' })
  assert.equal(await link.getAttribute('href'), 'https://cdn.example.org/logo.svg')
  await form.getByLabel('Logo URL').fill('javascript:alert(1)')
  await link.waitFor({ state: 'detached' })
  assert.deepEqual(
    requests.filter(url => !url.startsWith(server.authUrl)),
    [],
  )
  await end()
})

const added = {
  issuer: 'https://login.example.org/realms/staff',
  clientId: 'querent',
  domains: ['example.org', 'example.com'],
  name: 'Example',
  roles: { librarians: ['user'] },
}

test('a provider is added, edited and deleted, its secret is set and never shown, and people see it at their sign-in', async () => {
  const { page, end } = await visitSettings()
  const section = provider(page)
  await section.getByText(`${server.authUrl}/provider/shop/callback`).waitFor()
  await section.getByText(`${server.authUrl}/provider/shop/backchannel-logout`).waitFor()
  await section.getByRole('button', { name: 'Add provider' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Issuer').fill('http://login.example.org')
  await dialog.getByLabel('Client ID').fill('querent')
  await dialog.getByLabel('E-mail domains').fill('example org')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  assert.equal(await dialog.locator('[aria-invalid=true]').count(), 2)
  await dialog.getByLabel('Issuer').fill('https://login.example.org/realms/staff')
  await dialog.getByLabel('E-mail domains').fill('example.org\n\nexample.com')
  await dialog.getByLabel('Name on the sign-in page').fill('Example')
  await dialog.getByRole('button', { name: 'Add role mapping' }).click()
  await dialog.getByLabel(/^Value 1/).fill('librarians')
  const roles = dialog.getByRole('group', { name: 'Roles for value 1' })
  await roles.getByLabel('Search only').uncheck()
  await dialog.getByText('Choose at least one role').waitFor()
  await roles.getByLabel('Editor').check()
  await inspectViews(page, 'provider-dialog', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  // An operator's file proves its domains, so the dialog says so first.
  const review = dialog.getByRole('group', { name: 'What this changes' })
  await review.getByText('proves the domain example.com').waitFor()
  // The provider of this test does not exist. It can be saved before it runs.
  await review.getByText('the provider does not answer').waitFor()
  assert.equal((await exportedFile()).identityProvider, undefined)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await closed(page)
  await section.getByText('https://login.example.org/realms/staff').waitFor()
  for (const domain of added.domains)
    await section.getByRole('region', { name: domain }).getByText('by an operator').waitFor()
  assert.deepEqual((await exportedFile()).identityProvider, added)
  assert.ok((await exported()).startsWith(source.slice(0, source.indexOf('# The end'))))

  await section.getByRole('button', { name: 'Set client secret' }).click()
  await dialog.getByLabel('Client secret').first().fill('s3cret of the provider')
  await inspectViews(page, 'provider-secret', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await closed(page)
  await section.getByRole('button', { name: 'Delete the client secret' }).waitFor()
  assert.doesNotMatch(await page.content(), /s3cret/)
  await inspectViews(page, 'provider', undefined)
  await inspectNarrowest(page, 'provider')
  await page.setViewportSize({ width: 1280, height: 800 })

  // The secret belongs to its issuer and Client ID.
  await section.getByRole('button', { name: 'Edit the provider' }).click()
  await dialog.getByLabel('Client ID').fill('another')
  await dialog.getByLabel(/^Value 1/).fill('*')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await closed(page)
  await section.getByText('Set the client secret again').waitFor()
  assert.deepEqual((await exportedFile()).identityProvider, {
    ...added,
    clientId: 'another',
    roles: { '*': ['user'] },
  })
  const [signInPage] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Open the saved sign-in page of' }).click(),
  ])
  await signInPage.getByRole('button', { name: /Example/ }).waitFor()
  await signInPage.close()

  await section.getByRole('button', { name: 'Delete the provider' }).click()
  await dialog.getByText('the sessions that began there end').waitFor()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await closed(page)
  await section.getByText('No OpenID provider yet').waitFor()
  const withoutBlankLines = (text: string) => text.replaceAll(/\n{2,}/g, '\n')
  assert.equal(withoutBlankLines(await exported()), withoutBlankLines(source))
  await end()
})

test('an administrator adds a provider at once, sees that its domains are not proved, and edits other parts without a question', async () => {
  await server.run(['users', 'create', 'bo@example.org', '--password-stdin'], { input: password })
  await server.run(['members', 'add', 'shop', 'bo@example.org', '--role', 'administrator'])
  const { page, end, expectRefused } = await visitSignedIn(
    browser,
    server,
    '/w/shop/settings/sign-in',
    'bo@example.org',
  )
  const section = provider(page)
  await section.getByRole('button', { name: 'Add provider' }).click()
  const dialog = page.getByRole('dialog')
  const issuer = dialog.getByLabel('Issuer')
  await issuer.fill(company.issuer.replace('127.0.0.1', 'localhost'))
  await dialog.getByLabel('Client ID').fill(added.clientId)
  await dialog.getByLabel('E-mail domains').fill('example.org')
  // Its metadata name another issuer, which the message at the field has.
  await expectRefused([400], async () => {
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await issuer.and(page.locator('[aria-invalid=true]:focus')).waitFor()
  })
  await dialog.getByText(`names the issuer ${company.issuer}`).first().waitFor()
  assert.equal((await exportedFile()).identityProvider, undefined)
  await issuer.fill(company.issuer)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await closed(page)
  await section.getByRole('region', { name: 'example.org' }).getByText('not proved').waitFor()
  await section.getByRole('button', { name: 'Edit the provider' }).click()
  await dialog.getByLabel('Name on the sign-in page').fill('Example')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await closed(page)
  assert.equal((await exportedFile()).identityProvider?.name, 'Example')
  await end()
})

test('the page is for administrators: an editor does not see it in the navigation, and its address says for whom it is', async () => {
  const { page, end } = await visitSignedIn(browser, server, '/w/shop/settings/sign-in', 'eve@example.org')
  await page.getByRole('heading', { name: "You don't have access to this page" }).waitFor()
  assert.equal(await page.getByRole('navigation').getByRole('link', { name: 'Sign-in' }).count(), 0)
  await end()
})
