import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compactVerify, exportJWK, generateKeyPair, importJWK } from 'jose'
import { createTokenSigner } from './token-signer.ts'

for (const algorithm of ['ES256', 'EdDSA'] as const)
  test(`${algorithm}: every signature verifies, also those whose numbers are short in DER`, async () => {
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
    const jwk = await exportJWK(privateKey)
    const sign = createTokenSigner({ privateJwks: () => [{ ...jwk, kid: 'k', alg: algorithm }] }, algorithm)
    const { d: _, ...published } = jwk
    const key = await importJWK(published, algorithm)
    // One number in 256 begins with a zero byte.
    for (let number = 0; number < 1500; number++) {
      const token = sign({ number })
      const { payload, protectedHeader } = await compactVerify(token, key)
      assert.equal(new TextDecoder().decode(payload), `{"number":${number}}`)
      assert.deepEqual(protectedHeader, { alg: algorithm, typ: 'at+jwt', kid: 'k' })
    }
  })

test('without a key of the algorithm it says so', () => {
  assert.throws(() => createTokenSigner({ privateJwks: () => [] }, 'ES256'), /no key for ES256/)
})
