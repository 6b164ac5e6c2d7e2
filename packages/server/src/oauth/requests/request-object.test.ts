/**
 * Modelled on oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported of the OpenID conformance suite: the refusal of
 * a request object reaches the application with the `state` and by the `response_mode` inside the object.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SignJWT, UnsecuredJWT } from 'jose'
import { openTestApplication } from '#oauth/test-application'
import { startTestServer } from '#oauth/test-server'
import { openBrowser } from '#oauth/test-sign-in'

const server = await startTestServer()
after(() => server.close())
const application = await openTestApplication(server)

/** All parameters of the request are in the object; the query repeats those that OpenID Connect Core, section 6.1, requires. */
const unsignedObject = (parameters: Record<string, string> = {}) =>
  new UnsecuredJWT({
    client_id: application.id,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: application.redirectUri,
    state: 'inner',
    nonce: 'n',
    ...parameters,
  }).encode()

const send = (request: string, query: Record<string, string | undefined> = {}) =>
  openBrowser(server.authUrl).go(
    `/authorize?${application.query({ scope: 'openid', state: undefined, request, ...query })}`,
  )

for (const redirectUri of [application.redirectUri, undefined])
  for (const mode of [undefined, 'query', 'fragment', 'form_post'])
    test(`an unsigned request object is refused by ${mode ?? 'the default response mode'}, redirect_uri ${redirectUri ? 'in the query too' : 'only in the object'}`, async () => {
      const request = unsignedObject(mode === undefined ? {} : { response_mode: mode })
      const landed = await send(request, { redirect_uri: redirectUri, state: undefined })
      if (mode === 'form_post') {
        assert.match(landed.text, new RegExp(`<form method="post" action="${application.redirectUri}"`))
        assert.match(landed.text, /name="error" value="request_not_supported"/)
        assert.match(landed.text, /name="state" value="inner"/)
        return
      }
      const parameters =
        mode === 'fragment'
          ? new URLSearchParams(landed.applicationUrl?.hash.slice(1))
          : landed.applicationUrl?.searchParams
      assert.equal(
        `${landed.applicationUrl?.origin}${landed.applicationUrl?.pathname}`,
        application.redirectUri,
      )
      assert.deepEqual(
        ['error', 'state', 'code'].map(name => parameters?.get(name) ?? undefined),
        ['request_not_supported', 'inner', undefined],
      )
    })

test('the state and response_mode of the object win over those of the query, of a signed object too', async () => {
  const landed = await send(unsignedObject({ response_mode: 'query' }), {
    state: 'outer',
    response_mode: 'form_post',
  })
  assert.equal(landed.parameters.state, 'inner')
  const signed = await new SignJWT({ state: 'inner' })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode('x'.repeat(32)))
  assert.equal((await send(signed, { state: 'outer' })).parameters.state, 'inner')
})

test('an object that cannot be read leaves the parameters of the query', async () => {
  for (const request of ['x', 'x.y.z', `${unsignedObject()}x.y`]) {
    const { parameters } = await send(request, { state: 'outer' })
    assert.deepEqual([parameters.error, parameters.state], ['request_not_supported', 'outer'], request)
  }
})

test('a redirect_uri in the object that is not registered leads nowhere', async () => {
  for (const evil of ['https://evil.example/', `${application.redirectUri}/x`, 'javascript:alert(1)']) {
    const landed = await send(unsignedObject({ redirect_uri: evil }), { redirect_uri: undefined })
    assert.equal(landed.applicationUrl, undefined, evil)
    assert.equal(landed.status, 400)
  }
  const unsignedReply = await send(unsignedObject({ redirect_uri: 'https://evil.example/' }))
  assert.equal(
    `${unsignedReply.applicationUrl?.origin}${unsignedReply.applicationUrl?.pathname}`,
    application.redirectUri,
  )
})
