import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { publicKeyFaults } from './public-keys.ts'

const odd = (bytes: number): string => {
  const number = randomBytes(bytes)
  number[0] = 0x80 | (number[0] ?? 0)
  number[bytes - 1] = 1 | (number[bytes - 1] ?? 0)
  return number.toString('base64url')
}
const faultsOfRsa = (n: string, e: string) => publicKeyFaults({ keys: [{ kty: 'RSA', n, e }] }).length

test('RSA keys are of a size that assertions are verified with in bounded time', () => {
  const usual = Buffer.from([1, 0, 1]).toString('base64url')
  const { n = '' } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
  for (const [description, modulus, exponent, count] of [
    ['usual', n, usual, 0],
    ['exponent 3', n, Buffer.from([3]).toString('base64url'), 0],
    ['8,192 bits', odd(1024), usual, 0],
    ['1,024 bits', odd(128), usual, 1],
    ['16,384 bits', odd(2048), usual, 1],
    ['65,536 bits', odd(8192), usual, 1],
    ['an exponent of 33 bits', n, odd(5), 1],
    ['an exponent of 2 KB', n, odd(2048), 1],
    ['an even exponent', n, Buffer.from([4]).toString('base64url'), 1],
    ['an exponent of 1', n, Buffer.from([1]).toString('base64url'), 1],
  ] as const)
    assert.equal(faultsOfRsa(modulus, exponent), count, description)
})
