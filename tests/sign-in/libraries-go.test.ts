/** The example of docs/libraries.md in Go, built with the modules in the user's cache. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type LibrarySite, openLibrarySite, runExample, writeExample } from '#tests/support/library-examples'

/** The newest that Go 1.19 of Debian 12 builds. */
const modules = ['github.com/coreos/go-oidc/v3@v3.9.0', 'golang.org/x/oauth2@v0.15.0']

let site: LibrarySite
before(async () => {
  site = await openLibrarySite()
})
after(() => site?.close())

test('x/oauth2 and go-oidc', async () => {
  const { folder, account: client } = site
  await writeExample(folder, 'main.go', site.readExample('Go', 'go'))
  const go = (...args: string[]) => runExample('go', { args, folder, client })
  await go('mod', 'init', 'example.org/app')
  await go('get', ...modules)
  await go('mod', 'tidy')
  assert.equal(await go('run', '.'), '{"total":0}\n')
})
