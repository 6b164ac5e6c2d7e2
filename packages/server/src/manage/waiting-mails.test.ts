/** Mails that wait for the mail server, and whose links end meanwhile. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { createRecordEncryption } from '#keys/record-encryption'
import { waitUntil } from '#test-wait'
import { openTestServer } from './test-server.ts'

const server = await openTestServer()
const book = '/manage/v1/workspaces/books'
const encryption = createRecordEncryption(server.keyring, 'mails')

const readWaiting = async () => {
  const rows = await server.storage.db.selectFrom('mails').select(['id', 'sealed', 'attempts']).execute()
  return Promise.all(
    rows.map(async ({ id, sealed, attempts }) => {
      const message = await encryption.decrypt(id, sealed)
      return { to: String(message?.to), attempts }
    }),
  )
}
const makeDue = () => server.storage.db.updateTable('mails').set({ due_at: Date.now() }).execute()
/** An address that the mail server does not take now. */
const newBusyAddress = () => `${randomUUID().slice(0, 8)}@busy-${randomUUID().slice(0, 8)}.example`

describe('a mail that waits for the mail server', () => {
  after(() => server.close())

  test('is sent no more once its invitation is withdrawn or replaced; others are tried again', async () => {
    const [withdrawn, replaced, open] = [newBusyAddress(), newBusyAddress(), newBusyAddress()]
    const invite = async (email: string) =>
      (await server.call('ada', 'POST', `${book}/invitations`, { email, roles: ['api'] })).body
    const invitation = await invite(withdrawn)
    assert.equal(invitation.mail, 'waiting')
    await invite(replaced)
    await invite(open)
    await server.call('ada', 'DELETE', `${book}/invitations/${invitation.id}`)
    await invite(replaced)
    await makeDue()
    await waitUntil(async () => (await readWaiting()).length === 2)
    await waitUntil(async () => (await readWaiting()).every(({ attempts }) => attempts === 2))
    assert.deepEqual((await readWaiting()).map(({ to }) => to).toSorted(), [open, replaced].toSorted())
    await server.storage.db.deleteFrom('mails').execute()
  })

  test('is sent no more once another link for the new address was asked for', async () => {
    const [former, latter] = [newBusyAddress(), newBusyAddress()]
    const ada = await server.signedInNow('ada')
    for (const email of [former, latter]) {
      const { status, body } = await server.call(ada, 'POST', '/manage/v1/me/email', { email })
      assert.equal(status, 201, JSON.stringify(body))
    }
    await waitUntil(async () => (await readWaiting()).length === 2)
    await waitUntil(async () => {
      // An attempt that ends now sets its own time for the next one.
      await makeDue()
      return (await readWaiting()).length === 1
    })
    assert.deepEqual(
      (await readWaiting()).map(({ to }) => to),
      [latter],
    )
    await server.storage.db.deleteFrom('mails').execute()
  })

  test('is sent no more once another link for the domain was asked for', async () => {
    const domain = `busy-${randomUUID().slice(0, 8)}.example`
    const identityProvider = { issuer: 'https://login.example.org', clientId: 'q', domains: [domain] }
    const source = JSON.stringify({ workspace: 'books', identityProvider })
    assert.equal((await server.call('ada', 'POST', '/manage/v1/apply', { source })).status, 200)
    const sendLink = (to: string) =>
      server.call('ada', 'POST', `${book}/identity-provider/domains/${domain}/link`, { to })
    await sendLink('postmaster')
    await sendLink('admin')
    await waitUntil(async () => (await readWaiting()).length === 2)
    await waitUntil(async () => {
      // An attempt that ends now sets its own time for the next one.
      await makeDue()
      return (await readWaiting()).length === 1
    })
    assert.deepEqual(
      (await readWaiting()).map(({ to }) => to),
      [`admin@${domain}`],
    )
  })
})
