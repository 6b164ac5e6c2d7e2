/** The console for people who are not administrators, in the fake DOM. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inspectViews } from '#tests/support/console-dom/inspect'
import { type Visit, visitSignedIn, waitUntilSettled } from '#tests/support/console-dom/visit'
import { adminEmail, password } from '#tests/support/console-visit'
import { makeLibrary } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
const createUser = (email: string) => server.call('createUser', { input: { email, password } })
before(async () => {
  server = await startServer()
  await makeLibrary(server)
  for (const role of ['api', 'user', 'data-provider'] as const) {
    await createUser(`${role}@example.org`)
    await server.call('setMember', {
      params: { workspace: 'library', email: `${role}@example.org` },
      input: { roles: [role] },
    })
  }
  await createUser('stranger@example.org')
})
after(async () => {
  await server?.stop()
})

const visitAs = (email: string, path: string) => visitSignedIn(server, path, email)
const navigation = ({ page }: Visit) => page.getByRole('navigation').getByRole('link').allTextContents()

const offered: Record<string, string[]> = {
  api: ['Overview', 'APIs', 'Why was I refused?'],
  user: [
    'Overview',
    'APIs',
    'Data',
    'Relevance tests',
    'Usage',
    'Requests',
    'Why was I refused?',
    'Workspace file',
  ],
  'data-provider': ['Overview', 'Data', 'Why was I refused?'],
}
/** Names of the roles on the page. */
const roleTitles: Readonly<Record<string, string>> = {
  user: 'Editor',
  api: 'Search only',
  'data-provider': 'Import only',
}
for (const [role, links] of Object.entries(offered))
  test(`the role ${role} sees only its own pages, each of them opens, and the others say which roles may open them`, async () => {
    const visit = await visitAs(`${role}@example.org`, '/')
    const { page, open } = visit
    await page.getByText(`Your role: ${roleTitles[role] ?? 'Administrator'}`).waitFor()
    assert.deepEqual(await navigation(visit), links)
    await inspectViews(page, `overview-${role}`, undefined)
    for (const name of links) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
      await waitUntilSettled(page)
      assert.equal(await page.getByText("You don't have access to this page").count(), 0, name)
      assert.equal(await page.getByRole('alert').count(), 0, name)
    }
    await open('/w/library/settings/team-members')
    await page.getByRole('heading', { name: "You don't have access to this page" }).waitFor()
    await page.getByText('It is available to administrators.').waitFor()
    await visit.end()
  })

test('a person without a membership is told what to do, also at a link into a workspace', async () => {
  const { page, open, end } = await visitAs('stranger@example.org', '/')
  await page.getByRole('heading', { name: "You don't belong to any workspace yet" }).waitFor()
  await inspectViews(page, 'no-workspace', undefined)
  await open('/w/library/data')
  await page.getByRole('heading', { name: "You're not a member of this workspace" }).waitFor()
  await open('/nothing/here')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await inspectViews(page, 'no-page', undefined)
  await end()
})

test('an operator who is not a member can query after adding themselves as a member', async () => {
  await server.call('setMember', {
    params: { workspace: 'library', email: 'user@example.org' },
    input: { roles: ['administrator'] },
  })
  await server.call('removeMember', { params: { workspace: 'library', email: adminEmail } })
  const { page, end } = await visitAs(adminEmail, '/w/library/apis/library?stack=e%2Fall')
  await page.getByRole('button', { name: 'Become an administrator' }).click()
  await page.getByText('200 results').waitFor()
  await end()
})

test('an operator learns that a workspace does not exist, and a link to a missing API says so', async () => {
  const { page, open, end } = await visitAs(adminEmail, '/w/nowhere')
  await page.getByRole('heading', { name: 'Workspace not found' }).waitFor()
  await open('/w/library/apis/none?stack=e%2Fall')
  await page.getByRole('heading', { name: 'API not found' }).waitFor()
  await page.getByRole('link', { name: 'Go to its APIs' }).click()
  await page.getByRole('heading', { level: 1, name: 'APIs' }).waitFor()
  await end()
})
