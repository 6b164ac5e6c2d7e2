import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { AccessToken } from './access-token.ts'
import { openAuthorizationCache } from './authorization-cache.ts'

const makeToken = (name: string): AccessToken => ({
  issuer: 'https://auth.example/',
  subject: name,
  clientId: name,
  audience: ['https://api.example'],
  scope: '',
  keyThumbprint: undefined,
  jti: name,
  grantId: undefined,
  acr: undefined,
  workspaceId: undefined,
  issuedAt: 0,
  expiresAt: 0,
})

test('a change removes older entries, and a living token does not keep them in memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  let changes = 0
  const tokens = new Map(['ada', 'ben'].map(name => [name, makeToken(name)]))
  const connection = {}
  const cache = openAuthorizationCache({
    bearer: { tokenOfConnection: name => tokens.get(name ?? '') },
    directory: { isCurrent: version => version === changes },
    origin: 'https://api.example',
  })
  const setCached = (name: string, version: number, value: object) =>
    cache.set(tokens.get(name) ?? assert.fail(), '/4/a/api/b', version, value, Number.POSITIVE_INFINITY)
  const getCached = (name: string) => cache.get(name, connection, '/4/a/api/b')

  const adaReference = (() => {
    const value = { definition: 'large' }
    setCached('ada', 0, value)
    assert.equal(getCached('ada'), value)
    return new WeakRef(value)
  })()
  changes = 1
  assert.equal(getCached('ada'), undefined)
  const ofBen = {}
  setCached('ben', 0, {})
  assert.equal(getCached('ben'), undefined, 'it changed while it was looked at')
  setCached('ben', 1, ofBen)
  assert.equal(getCached('ben'), ofBen)
  // The engine keeps a new or read reference alive until the end of the turn.
  await new Promise(resolve => setImmediate(resolve))
  collect()
  assert.equal(adaReference.deref(), undefined)
  assert.equal(getCached('ada'), undefined)
  assert.equal(getCached('ben'), ofBen)
})

test('an entry ends when the decision changes by itself', t => {
  t.mock.timers.enable({ apis: ['Date'], now: 1000 })
  const token = makeToken('ada')
  const cache = openAuthorizationCache({
    bearer: { tokenOfConnection: () => token },
    directory: { isCurrent: () => true },
    origin: 'https://api.example',
  })
  const value = {}
  cache.set(token, '/4/a/api/b', 1, value, 2000)
  t.mock.timers.tick(999)
  assert.equal(cache.get('ada', {}, '/4/a/api/b'), value)
  t.mock.timers.tick(1)
  assert.equal(cache.get('ada', {}, '/4/a/api/b'), undefined)
})
