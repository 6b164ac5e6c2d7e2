/** An administrator who loses the right to invite loses open invitations with it, and the console names them before, in the fake DOM. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inspectViews } from '#tests/support/console-dom/inspect'
import { visitSignedIn, waitForCount } from '#tests/support/console-dom/visit'
import { password } from '#tests/support/console-visit'
import { makeLibrary } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

const email = 'mallory@example.org'
const members = '/w/library/settings/team-members'

let server: StartedServer
before(async () => {
  server = await startServer()
  await makeLibrary(server)
  await server.call('createUser', { input: { email, password } })
  const params = { workspace: 'library', email }
  await server.call('setMember', { params, input: { roles: ['administrator'] } })
})
after(() => server?.stop())

test('before an administrator is removed or demoted, the page names the invitations that stop working with it', async () => {
  const inviter = await visitSignedIn(server, members, email)
  await inviter.page.getByRole('button', { name: 'Invite' }).click()
  const invite = inviter.page.getByRole('dialog')
  await invite.getByLabel('E-mail addresses').fill('second@example.org')
  await invite.getByRole('button', { name: 'Invite', exact: true }).click()
  await invite.getByText('Copy the link now').waitFor()
  const link = (await invite.locator('code').textContent()) ?? ''
  await inviter.end()
  // An invitation of somebody else stays.
  const otherInvitation = { email: 'third@example.org', roles: ['api' as const] }
  await server.call('inviteMember', { params: { workspace: 'library' }, input: otherInvitation })

  const { page, end } = await visitSignedIn(server, members)
  const dialog = page.getByRole('dialog')
  const listedInvitations = dialog.getByRole('listitem')
  await page.getByRole('button', { name: `Edit ${email}` }).click()
  await dialog.getByRole('checkbox', { name: 'api' }).check()
  await waitForCount(listedInvitations, 0)
  await dialog.getByRole('checkbox', { name: 'administrator' }).uncheck()
  await waitForCount(listedInvitations, 1)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: `Remove ${email}` }).click()
  await waitForCount(listedInvitations, 1)
  assert.equal(await listedInvitations.textContent(), 'second@example.org')
  // The title of a dialog may come after its content.
  await page.getByRole('dialog', { name: /\S/ }).waitFor()
  await inspectViews(page, 'remove-inviter', undefined)
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('button', { name: `Remove ${email}` }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'New link for second@example.org' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'New link for third@example.org' }).waitFor()
  assert.equal((await fetch(link)).status, 410)
  await end()
})
