import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { AccessToken } from './access-token.ts'
import { openAdmitted } from './admitted.ts'

const tokenOf = (name: string): AccessToken => ({
  issuer: 'https://auth.example/',
  subject: name,
  clientId: name,
  audience: ['https://api.example'],
  scope: '',
  jti: name,
  grantId: undefined,
  issuedAt: 0,
  expiresAt: 0,
})

test('what was kept before a change is not found after it, nor kept alive by a token that is', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  let changes = 0
  const tokens = new Map(['ada', 'ben'].map(name => [name, tokenOf(name)]))
  const connection = {}
  const admitted = openAdmitted({
    bearer: { again: name => tokens.get(name ?? '') },
    directory: { holds: mark => mark === changes },
    origin: 'https://api.example',
  })
  const keep = (name: string, mark: number, value: object) =>
    admitted.keep(tokens.get(name) ?? assert.fail(), '/4/a/api/b', mark, value)
  const again = (name: string) => admitted.again(name, connection, '/4/a/api/b')

  const ofAda = (() => {
    const value = { definition: 'large' }
    keep('ada', 0, value)
    assert.equal(again('ada'), value)
    return new WeakRef(value)
  })()
  changes = 1
  assert.equal(again('ada'), undefined)
  const ofBen = {}
  keep('ben', 0, {})
  assert.equal(again('ben'), undefined, 'it changed while it was looked at')
  keep('ben', 1, ofBen)
  assert.equal(again('ben'), ofBen)
  // A reference that was made or read is kept alive until the turn is over.
  await new Promise(resolve => setImmediate(resolve))
  collect()
  assert.equal(ofAda.deref(), undefined)
  assert.equal(again('ada'), undefined)
  assert.equal(again('ben'), ofBen)
})
