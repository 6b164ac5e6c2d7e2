/** Settings > Sign-in in the fake DOM: forms for branding and the OpenID provider, and what people see of them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { parse } from 'yaml'
import { openTestProvider, type TestProvider } from '#server/oauth/identity-provider/test-provider'
import { inspectNarrowest, inspectViews } from '#tests/support/console-dom/inspect'
import type { Page } from '#tests/support/console-dom/page'
import { visitSignedIn } from '#tests/support/console-dom/visit'
import { brandedShop } from '#tests/support/console-examples'
import { password } from '#tests/support/console-visit'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let company: TestProvider
before(async () => {
  server = await startServer()
  await server.call('createUser', { input: { email: 'eve@example.org', password } })
  await server.applyWorkspace(brandedShop)
  company = await openTestProvider()
})
after(async () => {
  await server?.stop()
  await company?.close()
})
/** Undoes what the test before has changed. */
const reset = () => server.applyWorkspace(brandedShop)

const exported = () => server.exportWorkspace('shop')
const exportedFile = async (): Promise<WorkspaceFile> =>
  parse(await server.exportWorkspace('shop')) as WorkspaceFile
const visitSettings = () => visitSignedIn(server, '/w/shop/settings/sign-in')
const branding = (page: Page) => page.getByRole('region', { name: 'Branding' })
const provider = (page: Page) => page.getByRole('region', { name: 'OpenID provider' })
const closed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached' })

test('an emptied form leaves no branding in the file, and a change of somebody else is not overwritten', async () => {
  await reset()
  const { page, end } = await visitSettings()
  const form = branding(page)
  await form.getByLabel('Name').fill('Mine')
  await server.applyWorkspace(brandedShop.replace('Old name', 'Theirs'))
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('alert').waitFor()
  assert.equal((await exportedFile()).branding?.name, 'Theirs')
  await form.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('img', { name: 'Sign-in page, Dark' }).getByText('Theirs').waitFor()

  for (const label of ['Name', 'Color', 'Terms of use URL'])
    await form.getByLabel(label, { exact: true }).fill('')
  await page.getByRole('img', { name: 'Sign-in page, Dark' }).getByText('Querent').waitFor()
  await page.getByText('At the top of the pages. Empty: Querent.').waitFor()
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('status').getByText('Saved.').waitFor()
  assert.equal((await exportedFile()).branding, undefined)
  await end()
})

test('leaving the page asks while the branding is not saved', async () => {
  await reset()
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
  await reset()
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
  await reset()
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
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  // An operator's file proves its domains, so the dialog says so first.
  const review = dialog.getByRole('group', { name: 'What this changes' })
  await review.getByText('everybody with an address at example.com will be able to sign in').waitFor()
  // The provider of this test does not exist. It can be saved before it runs.
  await review.getByText('the provider does not answer').waitFor()
  assert.equal((await exportedFile()).identityProvider, undefined)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await closed(page)
  await section.getByText('https://login.example.org/realms/staff').waitFor()
  for (const domain of added.domains)
    await section.getByRole('region', { name: domain }).getByText('by an operator').waitFor()
  assert.deepEqual((await exportedFile()).identityProvider, added)
  assert.ok((await exported()).startsWith(brandedShop.slice(0, brandedShop.indexOf('# The end'))))

  await section.getByRole('button', { name: 'Set client secret' }).click()
  await dialog.getByLabel('Client secret').first().fill('s3cret of the provider')
  await inspectViews(page, 'provider-secret', undefined)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await closed(page)
  await section.getByRole('button', { name: 'Delete the client secret' }).waitFor()
  assert.doesNotMatch(await page.content(), /s3cret/)
  await inspectViews(page, 'provider', undefined)
  await inspectNarrowest(page, 'provider')

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
  const link = await page.getByRole('link', { name: 'Open the saved sign-in page of' }).getAttribute('href')
  const address = new URL(link ?? '', server.authUrl)
  const started = await fetch(address, { redirect: 'manual' })
  const cookie = started.headers
    .getSetCookie()
    .map(it => it.split(';')[0])
    .join('; ')
  const signInAddress = new URL(started.headers.get('location') ?? '', address)
  const signInReply = await fetch(signInAddress, { headers: { cookie } })
  assert.match(await signInReply.text(), /<button[^>]*>[^<]*Example/)

  await section.getByRole('button', { name: 'Delete the provider' }).click()
  await dialog.getByText('the sessions that began there end').waitFor()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await closed(page)
  await section.getByText('No OpenID provider yet').waitFor()
  const withoutBlankLines = (text: string) => text.replaceAll(/\n{2,}/g, '\n')
  assert.equal(withoutBlankLines(await exported()), withoutBlankLines(brandedShop))
  await end()
})

test('an administrator adds a provider at once, sees that its domains are not proved, and edits other parts without a question', async () => {
  await reset()
  await server.call('createUser', { input: { email: 'bo@example.org', password } })
  await server.call('setMember', {
    params: { workspace: 'shop', email: 'bo@example.org' },
    input: { roles: ['administrator'] },
  })
  const { page, end, expectRefused } = await visitSignedIn(
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
  await reset()
  const { page, end } = await visitSignedIn(server, '/w/shop/settings/sign-in', 'eve@example.org')
  await page.getByRole('heading', { name: "You don't have access to this page" }).waitFor()
  assert.equal(await page.getByRole('navigation').getByRole('link', { name: 'Sign-in' }).count(), 0)
  await end()
})
