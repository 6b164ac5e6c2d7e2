import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Strength } from './password-estimator.ts'
import { dummyHash, hashPassword, verifyPassword } from './password-hash.ts'
import { passwordStrength } from './password-strength.ts'
import { makeHashesOfProduction } from './test-password-hash.ts'

const person = ['ada.lovelace@engine.example', 'Ada Lovelace']
const cases: [password: string, Strength][] = [
  ['correct horse battery staple', 'good'],
  ['pl3nty of 7ime', 'good'],
  ['regen op het dak van tante', 'good'],
  ['short', 'too-short'],
  ['🦜🦜🦜🦜', 'too-short'],
  [`${'long enough '.repeat(84)}`, 'too-long'],
  ['password', 'common'],
  ['welkom01', 'common'],
  ['qwertyuiop12', 'common'],
  ['aaaaaaaaaaaa', 'repeated'],
  ['abcdefghijklm', 'sequence'],
  ['ada.lovelace', 'personal'],
  ['engine.example', 'personal'],
  ['engine.example-engine', 'personal'],
  ['Engine-Example-Lovelace', 'personal'],
  ['querent-querent', 'personal'],
  ['Querent.Querent.2026!', 'personal'],
  ['querent finds purple walruses', 'good'],
]
test('ASVS 6.2: weak new passwords are refused with the reason, strong ones of any characters taken', async () => {
  for (const [password, expected] of cases)
    assert.equal(await passwordStrength(password, { lengthMin: 8, personal: person }), expected, password)
})

test('NIST 800-63B 3.1.1.2: a password has as many characters as the operator requires, however the keyboard writes them', async () => {
  const rate = (password: string, lengthMin: number) =>
    passwordStrength(password, { lengthMin, personal: person })
  assert.equal(await rate('pl3nty of 7ime', 14), 'good')
  assert.equal(await rate('pl3nty of 7ime', 15), 'too-short')
  assert.equal(await rate('pl3nty of 7imes', 15), 'good')
  // 14 characters, of which the keyboard made 16 code points.
  assert.equal(await rate('pl3nty\u0301 of 7ime\u0301', 15), 'too-short')
  // One code point, of which the hash makes 18.
  assert.equal(await rate('\ufdfa', 15), 'too-short')
})

test('the longest password is judged in bounded time', async () => {
  const started = performance.now()
  await passwordStrength('pa55W0rd!'.repeat(100), { lengthMin: 8, personal: person })
  assert.ok(performance.now() - started < 5000)
})

test('a hash is argon2id with at least the parameters of OWASP, salted', async () => {
  using _ = makeHashesOfProduction()
  const hash = await hashPassword('correct horse battery staple')
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.notEqual(hash, await hashPassword('correct horse battery staple'))
})

test('the same letters from another keyboard are the same password', async () => {
  assert.ok(await verifyPassword(await hashPassword('caf\u00e9 au lait'), 'cafe\u0301 au lait'))
})

test('the dummy hash costs what a real one does, and fits nobody', async () => {
  const readCost = (hash: string) => hash.split('$').slice(0, 4)
  assert.deepEqual(readCost(await dummyHash()), readCost(await hashPassword('correct horse')))
  assert.equal(await verifyPassword(await dummyHash(), ''), false)
})
