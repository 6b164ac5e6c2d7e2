/** Clients whose tokens are always bound to a key (`dpop: true`): a token request without a proof gets no token. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { updateClient } from '#storage/clients'
import { openTestApplication } from './test-application.ts'
import { openTestProver } from './test-proof.ts'
import { type Reply, startTestServer } from './test-server.ts'

const assertRefused = ({ status, json }: Reply) => {
  assert.deepEqual([status, json.error], [400, 'invalid_dpop_proof'], JSON.stringify(json))
  assert.ok(json.error_description)
}
const assertBound = ({ status, json }: Reply, thumbprint: string) => {
  assert.deepEqual([status, json.token_type], [200, 'DPoP'], JSON.stringify(json))
  assert.deepEqual(decodeJwt(String(json.access_token)).cnf, { jkt: thumbprint })
}

for (const tokenShortcut of ['on', 'off'] as const)
  describe(`a System-to-System account with --token-shortcut ${tokenShortcut}`, async () => {
    const server = await startTestServer({ tokenShortcut })
    after(() => server.close())
    const endpoint = `${server.authUrl}/oauth/token`
    const prover = await openTestProver()

    test('gets no token without a proof, however it authenticates', async () => {
      const { id, secret } = await server.newAccount({ dpop: true })
      assertRefused(await server.token({ id, secret }))
      const basic = Buffer.from(`${id}:${secret}`).toString('base64')
      assertRefused(
        await server.form('/oauth/token', 'grant_type=client_credentials', `Authorization: Basic ${basic}`),
      )
      const { privateKey, publicKey } = await generateKeyPair('ES256')
      const keys = [{ ...(await exportJWK(publicKey)), kid: 'k' }]
      const account = await server.newAccount({ dpop: true, publicKeys: { keys } })
      const assertion = await new SignJWT({ jti: 'once' })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .setIssuer(account.id)
        .setSubject(account.id)
        .setAudience(`${server.authUrl}/`)
        .setIssuedAt()
        .setExpirationTime('1m')
        .sign(privateKey)
      const form = new URLSearchParams({
        grant_type: 'client_credentials',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
      })
      assertRefused(await server.form('/oauth/token', form.toString()))
    })

    test('gets a token that is bound to the key of its proof, and useless without it', async () => {
      const { id, secret } = await server.newAccount({ dpop: true })
      const reply = await server.form(
        '/oauth/token',
        `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`,
        await prover.prove('POST', endpoint),
      )
      assertBound(reply, prover.thumbprint)
      assert.equal(await server.query(String(reply.json.access_token)), 401)
    })

    test('a wrong secret stays a wrong secret, and the setting holds from the next request on', async () => {
      const { id, secret } = await server.newAccount()
      assert.equal((await server.token({ id, secret })).json.token_type, 'Bearer')
      await server.storage.write(writer =>
        updateClient(writer, id, { settings: { addresses: [], dpop: true } }),
      )
      assertRefused(await server.token({ id, secret }))
      const { status, json } = await server.token({ id, secret: 'wrong' })
      assert.deepEqual([status, json.error], [401, 'invalid_client'])
      await server.storage.write(writer => updateClient(writer, id, { settings: { addresses: [] } }))
      assert.equal((await server.token({ id, secret })).json.token_type, 'Bearer')
    })
  })

describe('an application', async () => {
  const server = await startTestServer()
  after(() => server.close())
  const endpoint = `${server.authUrl}/oauth/token`
  const prover = await openTestProver()
  const person = await server.newPerson()
  for (const type of ['browser', 'server', 'native'] as const)
    test(`of type ${type} gets bound tokens only, for its code and each refresh`, async () => {
      const application = await openTestApplication(server, { type, dpop: true })
      const send = async (form: Record<string, string>, ...fields: string[]) =>
        server.form(
          '/oauth/token',
          new URLSearchParams({
            client_id: application.id,
            ...(application.secret ? { client_secret: application.secret } : {}),
            ...form,
          }).toString(),
          ...fields,
        )
      const { parameters, verifier } = await application.authorize(person.id, {
        scope: 'openid offline_access',
        audience: server.baseUrl,
      })
      const code = {
        grant_type: 'authorization_code',
        code: parameters.code ?? '',
        code_verifier: verifier,
        redirect_uri: application.redirectUri,
      }
      assertRefused(await send(code))
      const tokens = await send(code, await prover.prove('POST', endpoint))
      assertBound(tokens, prover.thumbprint)
      const refresh = { grant_type: 'refresh_token', refresh_token: String(tokens.json.refresh_token) }
      assertRefused(await send(refresh))
      assertBound(await send(refresh, await prover.prove('POST', endpoint)), prover.thumbprint)
    })
})
