import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findTimeStep, isAppCode, newSecret } from './authenticator-app.ts'
import { hashRecoveryCode } from './recovery-codes.ts'
import { readTypedCode } from './typed-code.ts'

test('a code is its letters and digits, from any keyboard', async () => {
  for (const text of [
    '123456',
    '123-456',
    '123 456',
    '123\u00a0456',
    '12\u00ad3456',
    '１２３４５６',
    '１２３－４５６',
    '١٢٣٤٥٦',
    '۱۲۳۴۵۶',
    '१२३४५६',
    ' 1 2 3 4 5 6\n',
  ]) {
    assert.equal(readTypedCode(text), '123456', text)
    assert.ok(isAppCode(text), text)
  }
  assert.equal(readTypedCode('ＡＢＣＤ－ＥＦＧＨ'), 'ABCDEFGH')
  assert.ok(!isAppCode('1234567') && !isAppCode('12345') && !isAppCode('abcdef'))
  assert.equal(findTimeStep(newSecret(), 'abcdef'), undefined)
  assert.equal(
    await hashRecoveryCode('ａｂｃｄ–ＥＦＧＨ', 'salt-of-a-test'),
    await hashRecoveryCode('abcd-efgh', 'salt-of-a-test'),
  )
})
