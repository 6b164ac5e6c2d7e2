import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countBurst, hashPassword, hashWithSalt, verifyPassword } from './password-hash.ts'
import { makeHashesOfProduction } from './test-password-hash.ts'

test('a password and its hash match, in both forms of a letter, and no other password does', async () => {
  const passwordHash = await hashPassword('caf\u00e9 au lait')
  assert.equal(await verifyPassword(passwordHash, 'cafe\u0301 au lait'), true)
  assert.equal(await verifyPassword(passwordHash, 'cafe au lait'), false)
})

test('many passwords at once leave threads to the signatures of tokens', async () => {
  using _ = makeHashesOfProduction()
  const passwordHash = await hashPassword('right')
  let checked = 0
  const checks = Array.from({ length: 12 }, async () => {
    assert.equal(await verifyPassword(passwordHash, 'wrong'), false)
    checked += 1
  })
  await crypto.subtle.digest('SHA-256', new Uint8Array(8))
  assert.ok(checked < 6, `${checked} passwords were checked first`)
  await Promise.all(checks)
})

test('a password beside another has the same hash in a thread of low priority, and one alone starts none', async () => {
  using _ = makeHashesOfProduction()
  const salt = 'AAAAAAAAAAAAAAAAAAAAAA'
  const alone = hashWithSalt('secret', salt)
  assert.equal(countBurst(), 0)
  const burst = Array.from({ length: 4 }, () => hashWithSalt('secret', salt))
  assert.ok(countBurst() > 0)
  assert.deepEqual(new Set(await Promise.all(burst)), new Set([await alone]))
  assert.equal(countBurst(), 0)
  await assert.rejects(Promise.all(['a', 'b', 'c'].map(password => verifyPassword('no hash', password))))
})
