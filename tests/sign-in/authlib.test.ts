/** PyPI's Authlib, an independent client, runs the whole flow (authlib-client.py). It needs Python with `venv`. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Library, makeLibrary } from '#tests/support/library'
import { makeMember, type Person, registerApplication } from '#tests/support/person'
import { runPython } from '#tests/support/python'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
let person: Person
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
  person = await makeMember(server, library.workspace, 'hedy@example.org', 'user')
})
after(() => server.stop())

for (const [type, methods] of [
  ['browser', ['none']],
  ['server', ['client_secret_basic', 'client_secret_post']],
] as const)
  test(`Authlib, ${type} application by ${methods.join(' and ')}: everything from sign-in to logout`, async () => {
    const home = 'https://authlib.example'
    const redirectUri = `${home}/callback`
    const application = await registerApplication(server, library.workspace, type, redirectUri)
    const { email, password } = person
    const settings = {
      ...application,
      authUrl: server.authUrl,
      baseUrl: server.baseUrl,
      workspace: library.workspace,
      ...{ email, password, redirectUri, home, methods },
    }
    // Only the script prints this.
    const { pages } = (await runPython('authlib-client.py', [], JSON.stringify(settings))) as {
      pages: string[]
    }
    assert.equal(pages.length, 2, 'one sign-in, one consent')
  })
