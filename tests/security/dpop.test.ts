/** DPoP (RFC 9449): a bound token is worth nothing without a fresh proof by its key. Each test is an attack, or what a client does. */
import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { decodeJwt, exportJWK } from 'jose'
import { createDpopKey, type DpopKey, fetchBoundToken, type ProofOptions } from '#tests/support/dpop'
import { type Library, makeLibrary } from '#tests/support/library'
import { makeMember } from '#tests/support/person'
import { consoleToken } from '#tests/support/query-sign-in'
import { type ServerProcess, startServerProcess } from '#tests/support/started-server'

let server: ServerProcess
let library: Library
let key: DpopKey
let otherKey: DpopKey
/** Bound to `key`. */
let token: string
let url: string
before(async () => {
  server = await startServerProcess()
  library = await makeLibrary(server)
  key = await createDpopKey()
  otherKey = await createDpopKey()
  token = await fetchBoundToken(server, library, server.baseUrl, key)
  url = `${server.baseUrl}/4/library/api/library/e/all/count`
})
after(() => server.stop())

interface Outcome {
  status: number
  code: string | undefined
  message: string
  requestId: string
  challenge: string
}
const send = async (
  headers: Record<string, string>,
  { method = 'GET', address = url, body }: { method?: string; address?: string; body?: string } = {},
): Promise<Outcome> => {
  const reply = await fetch(address, { method, headers, ...(body === undefined ? {} : { body }) })
  const content = await reply.text()
  const json = content.startsWith('{') ? JSON.parse(content) : {}
  return {
    status: reply.status,
    code: json.code,
    message: json.message ?? '',
    requestId: json.requestId,
    challenge: reply.headers.get('www-authenticate') ?? '',
  }
}
/** Sends the token with a proof. */
const sendProof = (proof: string | undefined): Promise<Outcome> =>
  send({ authorization: `DPoP ${token}`, ...(proof === undefined ? {} : { dpop: proof }) })
const prove = (change: Partial<ProofOptions> = {}, by = key) => by.proof({ url, token, ...change })

const assertRefused = (outcome: Outcome): void => {
  assert.deepEqual([outcome.status, outcome.code], [401, 'invalid-token'], outcome.message)
  assert.match(
    outcome.challenge,
    /^DPoP realm="querent", error="invalid_token", error_description="[^"]+", algs="ES256 [^"]+", resource_metadata=/,
  )
}
const nowSeconds = () => Math.floor(Date.now() / 1000)

test('a bound token with a fresh proof opens queries, in any spelling of the scheme and with a query string', async () => {
  assert.deepEqual(decodeJwt(token).cnf, { jkt: key.thumbprint })
  for (const scheme of ['DPoP', 'dpop', 'DPOP'])
    assert.equal((await send({ authorization: `${scheme} ${token}`, dpop: await prove() })).status, 200)
  const address = `${server.baseUrl}/4/library/api/library/e/search/p/query/the%20river/results`
  const options = { address: `${address}?count=2` }
  assert.equal((await send(await key.headers({ url: address, token }), options)).status, 200)
  // Clients may leave query and fragment in htu, and spell the host in capitals (RFC 9449, section 4.3).
  const spelled = `${address.replace('http:', 'HTTP:')}?count=2#part`
  assert.equal((await send(await key.headers({ url: spelled, token }), options)).status, 200)
  const encoded = { address: address.replace('river', '%72iver%2Fbank') }
  const sendFor = async (path: string) =>
    send(await key.headers({ url: address.replace('river', path), token }), encoded)
  assert.equal((await sendFor('river%2fbank')).status, 200)
  assertRefused(await sendFor('river/bank'))
  // A base address that ends with a slash.
  const doubled = url.replace('/4/', '//4/')
  const proven = await key.headers({ url: doubled, token })
  assert.equal((await send(proven, { address: doubled })).status, 200)
  assert.equal(
    (await fetch(url, { method: 'HEAD', headers: await key.headers({ url, token, method: 'HEAD' }) })).status,
    200,
  )
})

test('every algorithm of the metadata proves a key, and no other does', async () => {
  const metadata = await fetch(`${server.authUrl}/.well-known/oauth-authorization-server`)
  const { dpop_signing_alg_values_supported: algorithms } = (await metadata.json()) as Record<
    string,
    string[]
  >
  assert.deepEqual(algorithms?.toSorted(), ['ES256', 'Ed25519', 'EdDSA', 'PS256'])
  for (const algorithm of algorithms) {
    const owner = await createDpopKey(algorithm)
    const bound = await fetchBoundToken(server, library, server.baseUrl, owner)
    assert.equal((await send(await owner.headers({ url, token: bound }))).status, 200, algorithm)
    assertRefused(await send({ ...(await key.headers({ url, token: bound })) }))
  }
  for (const algorithm of ['ES384', 'RS256'])
    assertRefused(await sendProof(await prove({}, await createDpopKey(algorithm))))
})

test('a replayed proof is refused, one after the other and at the same time, on every connection', async () => {
  const proof = await prove()
  assert.equal((await sendProof(proof)).status, 200)
  assertRefused(await sendProof(proof))
  const raced = await prove()
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => sendProof(raced)))
  assert.equal(outcomes.filter(({ status }) => status === 200).length, 1)
  for (const outcome of outcomes) if (outcome.status !== 200) assertRefused(outcome)
})

test('a replay is refused after the server was killed and started again', async () => {
  const proof = await prove()
  assert.equal((await sendProof(proof)).status, 200)
  await server.kill()
  await server.restart()
  assertRefused(await sendProof(proof))
})

test('a proof for another method, URL, key or token is refused', async () => {
  const changes: Partial<ProofOptions>[] = [
    { method: 'POST' },
    { method: 'get' },
    { url: `${url}/` },
    { url: url.replace('/all/', '/search/') },
    { url: url.replace('127.0.0.1', 'localhost') },
    { url: url.replace('http:', 'https:') },
    { url: '/4/library/api/library/e/all/count' },
    { token: library.token },
    { token: undefined },
    { claims: { ath: '' } },
    { claims: { htu: undefined } },
    { claims: { htm: undefined } },
    { claims: { htu: [url] } },
  ]
  for (const change of changes) assertRefused(await sendProof(await prove(change)))
  assertRefused(await sendProof(await prove({}, otherKey)))
  // Its own signature with the key of somebody else.
  assertRefused(await sendProof(await prove({ header: { jwk: key.jwk } }, otherKey)))
})

test('a path that a URL parser would shorten is not the path of its proof', async () => {
  const proof = await prove()
  const { host, port, hostname } = new URL(server.baseUrl)
  const path = '/4/library/api/library/e/book/../all/count'
  const request = get({
    hostname,
    port,
    path,
    headers: { host, authorization: `DPoP ${token}`, dpop: proof },
  })
  const status = await new Promise(resolve =>
    request.on('response', reply => resolve(reply.resume().statusCode)),
  )
  assert.equal(status, 401)
})

test('a proof that is too old, from the future, expired or without a time or an id is refused', async () => {
  for (const claims of [
    { iat: nowSeconds() - 65 },
    { iat: nowSeconds() + 65 },
    { iat: undefined },
    { iat: String(nowSeconds()) },
    { iat: 1e300 },
    { exp: nowSeconds() - 61 },
    { jti: undefined },
    { jti: '' },
    { jti: 7 },
    { jti: 'a'.repeat(513) },
  ])
    assertRefused(await sendProof(await prove({ claims })))
  // Clocks differ by up to a minute.
  for (const seconds of [-55, 55])
    assert.equal((await sendProof(await prove({ claims: { iat: nowSeconds() + seconds } }))).status, 200)
})

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

test('a proof without a signature, with a symmetric one, or with another type of JWT is refused', async () => {
  const claims = { ...decodeJwt(await prove()), jti: randomUUID() }
  const header = { typ: 'dpop+jwt', jwk: key.jwk }
  const unsigned = `${encode({ ...header, alg: 'none' })}.${encode(claims)}.`
  const input = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`
  const secret = createHmac('sha256', JSON.stringify(key.jwk)).update(input).digest('base64url')
  const proof = await prove()
  const [head, body, signature = ''] = proof.split('.')
  for (const wrong of [
    undefined,
    '',
    'x',
    'a.b.c',
    unsigned,
    `${unsigned}AA`,
    `${input}.${secret}`,
    `${head}.${body}.${signature.slice(0, -2)}`,
    `${head}.${encode(claims)}.${signature}`,
    `${proof}.${signature}`,
    'e30.e30.e30',
    await prove({ header: { typ: 'JWT' } }),
    await prove({ header: { jwk: undefined } }),
    await prove({ header: { jwk: 'x' } }),
    await prove({ header: { jwk: { ...key.jwk, crv: 'P-384' } } }),
    await prove({ claims: { padding: 'x'.repeat(9000) } }),
  ])
    assertRefused(await sendProof(wrong))
})

test('a proof that contains a private or a symmetric key is refused', async () => {
  const privateProof = await prove({ header: { jwk: key.privateJwk } })
  assertRefused(await sendProof(privateProof))
  assertRefused(await sendProof(await prove({ header: { jwk: { kty: 'oct', k: 'AAAA' } } })))
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  assertRefused(
    await sendProof(await prove({ header: { alg: 'ES256', jwk: await exportJWK(rsa.publicKey) } })),
  )
})

test('two DPoP headers are refused, even if one is good', async () => {
  const [first, second] = [await prove(), await prove()]
  const headers = ['Host', new URL(url).host, 'Authorization', `DPoP ${token}`, 'DPoP', first, 'DPoP', second]
  const request = get(url, { headers })
  const reply = await new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    request.on('error', reject)
    request.on('response', response =>
      text(response).then(body => resolve({ status: response.statusCode, body }), reject),
    )
  })
  assert.equal(reply.status, 401, reply.body)
  assert.match(reply.body, /"invalid-token"/)
})

test('a bound token sent as Bearer is refused, with a proof or without', async () => {
  assertRefused(await send({ authorization: `Bearer ${token}` }))
  assertRefused(await send({ authorization: `Bearer ${token}`, dpop: await prove() }))
})

test('the scheme DPoP with a token that is bound to no key is refused', async () => {
  const proof = await prove({ token: library.token })
  assertRefused(await send({ authorization: `DPoP ${library.token}`, dpop: proof }))
  assertRefused(await send({ authorization: `DPoP ${library.token}` }))
})

test('no cache lets a bound token pass without its own proof: same connection, same URL, conditional requests', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { host } = new URL(url)
  const ask = (address: string, headers: Record<string, string>) =>
    new Promise<{ status: number | undefined; tag: string; reused: boolean }>((resolve, reject) => {
      const request = get(address, { agent, headers: { host, ...headers } })
      request.on('error', reject)
      request.on('response', response => {
        const tag = String(response.headers.etag)
        text(response).then(
          () => resolve({ status: response.statusCode, tag, reused: request.reusedSocket }),
          reject,
        )
      })
    })
  const address = `${server.baseUrl}/4/library/api/library/e/all/results`
  const authorization = `DPoP ${token}`
  const dpop = await key.proof({ url: address, token })
  const first = await ask(address, { authorization, dpop })
  assert.equal(first.status, 200)
  const conditional = { 'if-none-match': first.tag }
  for (const headers of [
    { authorization },
    { authorization, dpop },
    { authorization: `Bearer ${token}` },
    { authorization: `Bearer ${token}`, dpop },
    { authorization, dpop: await otherKey.proof({ url: address, token }) },
  ])
    for (const condition of [{}, conditional]) {
      const outcome = await ask(address, { ...headers, ...condition })
      assert.deepEqual([outcome.status, outcome.reused], [401, true], JSON.stringify(headers))
    }
  const fresh = { authorization, dpop: await key.proof({ url: address, token }), ...conditional }
  assert.equal((await ask(address, fresh)).status, 304)
  assert.equal((await ask(address, fresh)).status, 401)
  // A Bearer request warms every cache of this URL.
  const bearer = { authorization: `Bearer ${library.token}` }
  assert.equal((await ask(address, bearer)).status, 200)
  assert.equal((await ask(address, { ...bearer, ...conditional })).status, 304)
  assert.equal((await ask(address, { authorization, ...conditional })).status, 401)
  agent.destroy()
})

test('a batch needs one proof for its own URL, although the server checks the caller twice', async () => {
  const address = `${server.baseUrl}/4/library/api/library/batch`
  const body = JSON.stringify({ requests: ['e/all/count', 'e/all/count'] })
  const options = { method: 'POST', address, body }
  const sendBatch = async (headers: Record<string, string>) =>
    send({ ...headers, 'content-type': 'application/json' }, options)
  const headers = await key.headers({ url: address, token, method: 'POST' })
  const reply = await sendBatch(headers)
  assert.equal(reply.status, 200, reply.message)
  assertRefused(await sendBatch(headers))
  assertRefused(await sendBatch(await key.headers({ url, token, method: 'POST' })))
})

test('documents paths and the management API check proofs as queries do', async () => {
  const { clientId, clientSecret } = (await server.run([
    ...['s2s', 'create', 'library', 'loader', '--role', 'data-provider'],
  ])) as { clientId: string; clientSecret: string }
  const bound = await fetchBoundToken(server, { clientId, clientSecret }, server.baseUrl, key)
  const documents = `${server.baseUrl}/4/library/collections/books/documents`
  const id = encodeURIComponent('https://library.example/books/b000')
  for (const [method, address] of [
    ['GET', documents],
    ['DELETE', `${documents}/${id}`],
  ] as const) {
    const headers = await key.headers({ method, url: address, token: bound })
    assertRefused(await send({ authorization: `Bearer ${bound}` }, { method, address }))
    assertRefused(await send({ authorization: `DPoP ${bound}` }, { method, address }))
    assertRefused(await send(await key.headers({ url, method, token: bound }), { method, address }))
    assert.notEqual((await send(headers, { method, address })).status, 401)
    assertRefused(await send(headers, { method, address }))
  }
  const manage = `${server.authUrl}/manage/`
  // The server writes this file.
  const operator = JSON.parse(await readFile(join(server.data, 'operator.json'), 'utf8')) as Library
  const managementToken = await fetchBoundToken(server, operator, manage, key)
  const address = `${server.authUrl}/manage/v1/workspaces/library/members`
  const headers = await key.headers({ url: address, token: managementToken })
  assertRefused(await send({ authorization: `Bearer ${managementToken}` }, { address }))
  assertRefused(await send({ authorization: `DPoP ${managementToken}` }, { address }))
  assertRefused(await send(await key.headers({ url, token: managementToken }), { address }))
  assert.equal((await send(headers, { address })).status, 200)
  assertRefused(await send(headers, { address }))
})

test('an administrator sees why a proof was refused, with the values that differ and without search terms', async () => {
  const person = await makeMember(server, 'library', 'keeper@example.org', 'administrator')
  const administrator = await consoleToken(server, person)
  const secretUrl = `${server.baseUrl}/4/library/api/library/e/search/p/query/secret/count`
  const { requestId } = await sendProof(await prove({ url: secretUrl }))
  const reply = await fetch(`${server.authUrl}/manage/v1/refusals/${requestId}`, {
    headers: { authorization: `Bearer ${administrator}` },
  })
  const { checks } = (await reply.json()) as {
    checks: { name: string; passed: boolean | null; expected?: string; found?: string }[]
  }
  const failed = checks.filter(({ passed }) => passed === false)
  assert.deepEqual(
    failed.map(({ name, expected, found }) => [name, expected, found]),
    [['proof', url, secretUrl.replace('secret', '…')]],
  )
})

test('the token endpoint refuses proofs that are old, replayed or for another URL, in the form of RFC 9449', async () => {
  const tokenUrl = `${server.authUrl}/oauth/token`
  const request = async (dpop: string) => {
    const reply = await fetch(tokenUrl, {
      method: 'POST',
      headers: { dpop },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: library.clientId,
        client_secret: library.clientSecret,
        audience: server.baseUrl,
      }),
    })
    const { error } = (await reply.json()) as { error?: string }
    return [reply.status, error]
  }
  const refusal = [400, 'invalid_dpop_proof']
  const good = { method: 'POST', url: tokenUrl }
  const proof = await key.proof(good)
  assert.deepEqual(await request(proof), [200, undefined])
  assert.deepEqual(await request(proof), refusal)
  const raced = await key.proof(good)
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => request(raced)))
  assert.equal(outcomes.filter(([status]) => status === 200).length, 1)
  for (const outcome of outcomes) if (outcome[0] !== 200) assert.deepEqual(outcome, refusal)
  for (const wrong of [
    'x',
    await key.proof({ ...good, method: 'GET' }),
    await key.proof({ ...good, url }),
    await key.proof({ ...good, claims: { iat: nowSeconds() - 65 } }),
    await key.proof({ ...good, claims: { iat: nowSeconds() + 65 } }),
    await key.proof({ ...good, header: { jwk: key.privateJwk } }),
    await otherKey.proof({ ...good, header: { jwk: key.jwk } }),
    `${await key.proof(good)}, ${await key.proof(good)}`,
  ])
    assert.deepEqual(await request(wrong), refusal)
})

test('introspection names the key and the type of a bound token', async () => {
  const reply = await fetch(`${server.authUrl}/oauth/introspect`, {
    method: 'POST',
    body: new URLSearchParams({ token, client_id: library.clientId, client_secret: library.clientSecret }),
  })
  const { active, token_type, cnf } = (await reply.json()) as Record<string, unknown>
  assert.deepEqual([active, token_type, cnf], [true, 'DPoP', { jkt: key.thumbprint }])
})
