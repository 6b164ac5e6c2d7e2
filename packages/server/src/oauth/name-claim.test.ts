import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeAccountFinder } from './sessions/accounts.ts'

/** Reads the claims as the library does; the directory returns this row. The casts are safe because nothing else of the two types is used. */
const readAccountClaims = async (name: string) => {
  const user = { id: 'u', email: 'bob@example.org', name, disabled: 0 }
  const find = makeAccountFinder({ directory: { user: async () => user } } as never, async () => undefined)
  const account = await find({ oidc: {} } as never, 'u')
  return account?.claims('id_token', 'openid profile', {}, [])
}

test('without a name, the scope profile alone does not reveal the email address', async () => {
  for (const name of ['', 'bob@example.org', 'Bob@Example.org'])
    assert.ok(!('name' in ((await readAccountClaims(name)) ?? {})))
  assert.equal((await readAccountClaims('Bob'))?.name, 'Bob')
})
