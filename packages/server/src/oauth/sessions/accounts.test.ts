import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Role } from '@querent/contract/manage'
import { openClients } from '#oauth/clients/clients'
import { openTestApplication } from '#oauth/test-application'
import { startTestServer } from '#oauth/test-server'
import { setMember } from '#storage/members'
import { mayUseClient } from './accounts.ts'

const server = await startTestServer()
after(() => server.close())
const { storage, directory, baseUrl } = server
const clients = openClients(storage, directory, server.authUrl)

test('exactly the members who may query may sign in to an application of the workspace', async () => {
  const application = await openTestApplication(server)
  const client = await clients.find(application.id)
  assert.ok(client)
  const changing = await server.newPerson(['api'])
  const { access_token } = await application.signIn(changing.id, { audience: baseUrl })
  for (const roles of [
    ['administrator'],
    ['user'],
    ['api'],
    ['data-provider'],
    ['data-provider', 'api'],
  ] satisfies Role[][]) {
    // Somebody else stays administrator, so that this one may step down.
    await server.newPerson(['administrator'])
    await storage.write(writer =>
      setMember(writer, {
        workspaceId: server.workspace.id,
        subject: changing.id,
        kind: 'user',
        roles,
        filter: undefined,
      }),
    )
    const queries = (await server.query(String(access_token))) === 200
    assert.equal(await mayUseClient(directory, client, changing.id), queries, roles.join())
  }
})

test("the server's own clients are open to all, System-to-System accounts to nobody", async () => {
  const person = await server.newPerson([])
  const ownClient = await clients.find((await server.newOwnClient()).id)
  const account = await clients.find((await server.newAccount()).id)
  assert.ok(ownClient && account)
  assert.equal(await mayUseClient(directory, ownClient, person.id), true)
  assert.equal(await mayUseClient(directory, account, person.id), false)
})
