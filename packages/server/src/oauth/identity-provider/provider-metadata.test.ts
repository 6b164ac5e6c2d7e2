/** The metadata of an issuer are checked before its settings are saved. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createPublicClientFetch } from '#http/public-fetch'
import { createMetadataCheck } from './provider-metadata.ts'
import { openTestProvider } from './test-provider.ts'

const provider = await openTestProvider()
after(() => provider.close())
const { issuer } = provider

/** Each with a memory of its own. */
const check = (address: string, loopbackToo = true) => {
  const log = { warn() {}, error() {}, info() {}, debug() {} }
  return createMetadataCheck(createPublicClientFetch({ internalHosts: [], loopbackToo }), log)(address)
}

test('nothing is wrong with an issuer that its metadata name', async () => {
  assert.equal(await check(issuer), undefined)
})

test('another issuer, missing metadata and missing endpoints have different errors', async () => {
  const otherIssuer = issuer.replace('127.0.0.1', 'localhost')
  assert.deepEqual(await check(otherIssuer), {
    kind: 'other-issuer',
    url: `${otherIssuer}/.well-known/openid-configuration`,
    found: issuer,
  })
  assert.equal((await check(`${issuer}/realms/staff`))?.kind, 'missing')
  provider.says.metadata = { token_endpoint: undefined, jwks_uri: undefined }
  const incomplete = await check(issuer)
  provider.reset()
  assert.deepEqual([incomplete?.kind, incomplete?.found], ['incomplete', 'token_endpoint, jwks_uri'])
})

test('a provider that is down, or at an address that is not public, says nothing about the issuer', async () => {
  provider.says.isDown = true
  assert.equal((await check(issuer))?.kind, 'unreachable')
  provider.reset()
  assert.equal((await check(issuer, false))?.kind, 'unreachable')
  assert.equal((await check('https://login.invalid'))?.kind, 'unreachable')
})

test('repeated checks ask once', async () => {
  const fetch = createPublicClientFetch({ internalHosts: [], loopbackToo: true })
  const log = { warn() {}, error() {}, info() {}, debug() {} }
  const repeat = createMetadataCheck(fetch, log)
  const countBefore = provider.requests.length
  await Promise.all([repeat(issuer), repeat(issuer)])
  await repeat(issuer)
  assert.equal(provider.requests.length, countBefore + 1)
})
