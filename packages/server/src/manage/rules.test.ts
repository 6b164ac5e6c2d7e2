/** Promises of the operations, besides permissions. */
import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { checkNames, operations } from '@querent/contract/manage'
import { hashPassword, verifyPassword } from '#accounts/password-hash'
import { makeHashesOfProduction } from '#accounts/test-password-hash'
import { findClient, hashSecret, listSecrets } from '#storage/clients'
import { findMember } from '#storage/members'
import { findUserByEmail, setPassword } from '#storage/users'
import { openTestServer, type Person } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const book = '/manage/v1/workspaces/books'
const audience = 'http://127.0.0.1:4001/manage/'
const audited = (action: string) =>
  server.storage.db.selectFrom('audit').selectAll().where('action', '=', action).execute()
const newAccount = async (name: string, options: object = {}) =>
  (await server.call('ada', 'POST', `${book}/system-to-system`, { name, roles: ['api'], ...options })).body
const fetchStatus = async (person: Person, method: string, path: string, body?: unknown) =>
  (await server.call(person, method, path, body)).status

describe('users', () => {
  it('are known by their address in lower case, once; the password is kept as argon2id', async () => {
    using _ = makeHashesOfProduction()
    const created = await server.call('operator', 'POST', '/manage/v1/users', {
      email: 'Grace@Example.org',
      password: 'a long password',
    })
    assert.deepEqual(
      [created.body.email, created.body.name, created.body.operator],
      ['grace@example.org', 'grace@example.org', false],
    )
    assert.doesNotMatch(JSON.stringify(created.body), /argon2|password/)
    const row = await findUserByEmail(server.storage.db, 'grace@example.org')
    assert.match(row?.password_hash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.ok(await verifyPassword(row?.password_hash ?? '', 'a long password'))
    const duplicate = await server.call('operator', 'POST', '/manage/v1/users', {
      email: 'GRACE@example.org',
    })
    assert.deepEqual([duplicate.status, duplicate.body.code], [409, 'conflict'])
  })
  it('have addresses of one syntax, wherever one comes in', async () => {
    const wrong = [
      'a\u0000b@example.org',
      'a\nb@example.org',
      'a@example.org,z',
      'a,b@example.org',
      'victim@example.org(.evil.example',
      'a(b)@example.org',
      '"a"@example.org',
      'a;b@example.org',
      'a@-example.org',
      'a@example..org',
      'a@b@example.org',
      'a\u200bb@example.org',
      'a\u202eb@example.org',
      `${'a'.repeat(250)}@example.org`,
    ]
    for (const email of wrong) {
      const path = encodeURIComponent(email)
      const replies = await Promise.all([
        server.call('operator', 'POST', '/manage/v1/users', { email }),
        server.call('ada', 'POST', `${book}/invitations`, { email, roles: ['api'] }),
        server.call('ada', 'PUT', `${book}/members/${path}`, { roles: ['api'] }),
      ])
      for (const { status, body } of replies)
        assert.deepEqual([status, body.code], [400, 'bad-parameter'], JSON.stringify(email))
      const source = `{"workspace":"books","members":{${JSON.stringify(email)}:["api"]}}`
      const applied = await server.call('ada', 'POST', '/manage/v1/apply', { source })
      assert.deepEqual(
        [applied.status, applied.body.code],
        [400, 'bad-workspace-file'],
        JSON.stringify(email),
      )
    }
    for (const email of [
      "o'neil+search@example.org",
      'müller@bücher.example',
      'ada@localhost',
      'a.b@xn--d1acufc.example',
    ])
      assert.equal((await server.call('operator', 'POST', '/manage/v1/users', { email })).status, 201, email)
  })
  it('have no password that is short or their address', async () => {
    for (const password of ['seven77', 'weak@example.org', 'WEAK@example.org']) {
      const { status, body } = await server.call('operator', 'POST', '/manage/v1/users', {
        email: 'weak@example.org',
        password,
      })
      assert.deepEqual([status, body.errors[0].path], [400, 'body.password'])
    }
  })
  it('have as many characters in their passwords as the operator requires, also when they change them', async () => {
    const strict = await openTestServer({ passwordLengthMin: 15 })
    try {
      const user = (password: string) => ({ email: 'long@example.org', password })
      const create = (password: string) => strict.call('operator', 'POST', '/manage/v1/users', user(password))
      const refusedReply = await create('pl3nty of 7ime')
      assert.deepEqual(
        [refusedReply.status, refusedReply.body.errors[0].code, refusedReply.body.errors[0].values.min],
        [400, 'password-too-short', 15],
      )
      assert.equal((await create('pl3nty of 7imes')).status, 201)
      const passwordHash = await hashPassword('an earlier one')
      await strict.storage.write(writer => setPassword(writer, strict.ids.ada, passwordHash))
      const ada = await strict.signedInNow('ada')
      const change = (chosen: string) =>
        strict.call(ada, 'PUT', '/manage/v1/me/password', { current: 'an earlier one', new: chosen })
      const unchanged = await change('pl3nty of 7ime')
      assert.deepEqual(
        [unchanged.status, unchanged.body.errors[0].code, unchanged.body.errors[0].path],
        [400, 'password-too-short', 'body.new'],
      )
      assert.equal((await change('pl3nty of 7imes')).status, 204)
    } finally {
      await strict.close()
    }
  })
  it('are listed in pages', async () => {
    const emails: string[] = []
    let afterParameter = ''
    do {
      const { body } = await server.call('operator', 'GET', `/manage/v1/users?count=3${afterParameter}`)
      emails.push(...body.items.map((item: { email: string }) => item.email))
      afterParameter = body.next === null ? '' : `&after=${encodeURIComponent(body.next)}`
    } while (afterParameter !== '')
    assert.deepEqual(emails, emails.toSorted())
    assert.equal(new Set(emails).size, emails.length)
    for (const query of ['count=0', 'count=x', 'count=1001', 'count=1&count=2'])
      assert.equal(await fetchStatus('operator', 'GET', `/manage/v1/users?${query}`), 400, query)
    assert.equal(await fetchStatus('operator', 'GET', '/manage/v1/users?colour=red'), 200)
  })
  it('that are disabled are refused at once; operators do not disable themselves', async () => {
    const path = '/manage/v1/users/apollo@example.org'
    await server.call('operator', 'PATCH', path, { disabled: true })
    assert.equal(await fetchStatus('apollo', 'GET', '/manage/v1/workspaces'), 401)
    await server.call('operator', 'PATCH', path, { disabled: false })
    assert.equal(await fetchStatus('apollo', 'GET', '/manage/v1/workspaces'), 200)
    const self = '/manage/v1/users/operator@example.org'
    assert.equal(await fetchStatus('operator', 'PATCH', self, { disabled: true }), 409)
  })
})

describe('workspaces', () => {
  it('are listed to their members, with their roles; all of them to operators', async () => {
    const list = async (person: Person) =>
      (await server.call(person, 'GET', '/manage/v1/workspaces')).body.items
    const summarize = (items: { workspace: string; roles: string[] }[]) =>
      items.map(({ workspace, roles }) => `${workspace}: ${roles}`)
    assert.deepEqual(summarize(await list('ursula')), ['books: user'])
    assert.deepEqual(summarize(await list('operator')), ['books: ', 'films: '])
  })
  it('of an application are its own only, whoever signed in through it', async () => {
    const application = await server.call('ada', 'POST', `${book}/applications`, {
      name: 'reader',
      redirectUris: ['https://example.org/'],
    })
    const { clientId } = application.body
    await server.call('eve', 'PUT', '/manage/v1/workspaces/films/members/ada@example.org', {
      roles: ['administrator'],
    })
    const token = await server.issueToken('ada', clientId)
    const { body } = await server.call({ token }, 'GET', '/manage/v1/workspaces')
    assert.deepEqual(
      body.items.map((item: { workspace: string }) => item.workspace),
      ['books'],
    )
    assert.equal((await server.call({ token }, 'GET', '/manage/v1/workspaces/films/members')).status, 403)
    const operator = await server.issueToken('operator', clientId)
    assert.equal((await server.call({ token: operator }, 'GET', '/manage/v1/users')).status, 403)
  })
})

describe('members', () => {
  it('keep their row filter when only roles are set, and lose it when told', async () => {
    const path = `${book}/members/nobody@example.org`
    const putMember = async (body: unknown) => (await server.call('ada', 'PUT', path, body)).body.filter
    assert.deepEqual(await putMember({ roles: ['api'], filter: { genre: 'crime' } }), { genre: 'crime' })
    assert.deepEqual(await putMember({ roles: ['user'] }), { genre: 'crime' })
    assert.equal(await putMember({ roles: ['user'], filter: null }), undefined)
    const bad = await server.call('ada', 'PUT', path, { roles: ['user'], filter: { colour: 'red' } })
    assert.equal(bad.status, 400)
    assert.match(bad.body.message, /^filter\.colour: no field "colour"; a row filter works on: genre/)
  })
  it('are of both kinds', async () => {
    await newAccount('lister')
    const { body } = await server.call('ada', 'GET', `${book}/members`)
    const lister = body.items.find((item: { name: string }) => item.name === 'lister')
    assert.deepEqual(
      [lister.kind, lister.roles, typeof lister.clientId],
      ['system-to-system', ['api'], 'string'],
    )
    assert.ok(body.items.some((item: { email?: string }) => item.email === 'ada@example.org'))
  })
  it('always have an administrator among them', async () => {
    const ada = `${book}/members/ada@example.org`
    assert.equal(await fetchStatus('ada', 'DELETE', ada), 409)
    assert.equal(await fetchStatus('ada', 'PUT', ada, { roles: ['user'] }), 409)
  })
  it('who are removed are refused at once', async () => {
    await server.call('ada', 'PUT', `${book}/members/dora@example.org`, { roles: ['administrator'] })
    assert.equal(await fetchStatus('dora', 'GET', `${book}/members`), 200)
    assert.equal(await fetchStatus('ada', 'DELETE', `${book}/members/dora@example.org`), 204)
    assert.equal(await fetchStatus('dora', 'GET', `${book}/members`), 403)
  })
})

describe('System-to-System accounts', () => {
  it('get a secret that is shown once and kept as a hash', async () => {
    const { clientId, clientSecret, secrets } = await newAccount('secretive')
    assert.match(clientId, /^[A-Za-z0-9_-]{20,}$/)
    assert.match(clientSecret, /^qrs_[A-Za-z0-9_-]{47}$/)
    const [remainingSecret] = await listSecrets(server.storage.db, [clientId])
    assert.equal(remainingSecret?.hash, hashSecret(clientSecret))
    assert.equal(secrets.length, 1)
    const list = await server.call('ada', 'GET', `${book}/system-to-system`)
    assert.equal(secrets[0].hint, clientSecret.slice(0, 'qrs_'.length + 4))
    assert.doesNotMatch(
      JSON.stringify(list.body),
      /clientSecret|qrs_[\w-]{5}/,
      'of a secret only how it begins',
    )
    const entries = JSON.stringify(await audited('createSystemToSystem'))
    assert.ok(entries.includes(clientId) && !entries.includes('qrs_'))
  })
  it('have several secrets at a time, ten at most, with expiry', async () => {
    const { clientId } = await newAccount('rotating')
    const path = `${book}/system-to-system/${clientId}/secrets`
    const added = await server.call('ada', 'POST', path, { expiresInSeconds: 90 * 86_400 })
    assert.equal(added.body.clientId, clientId)
    for (let count = 2; count < 10; count += 1) assert.equal(await fetchStatus('ada', 'POST', path, {}), 201)
    assert.equal(await fetchStatus('ada', 'POST', path, {}), 409)
    assert.equal(await fetchStatus('ada', 'DELETE', `${path}/${added.body.secretId}`), 204)
    assert.equal(await fetchStatus('ada', 'POST', path, {}), 201)
  })
  it('have roles api and data-provider only, names of their own, addresses that are some', async () => {
    await newAccount('taken')
    const create = (body: object) =>
      server.call('ada', 'POST', `${book}/system-to-system`, { name: 'x', roles: ['api'], ...body })
    assert.equal((await create({ name: 'taken' })).status, 409)
    assert.match((await create({ roles: ['user'] })).body.message, /^roles\.0: found "user", allowed: api/)
    assert.match(
      (await create({ addresses: ['10.0.0.0/33'] })).body.message,
      /^addresses\.0: found "10\.0\.0\.0\/33"/,
    )
    const account = await newAccount('renamed')
    const path = `${book}/system-to-system/${account.clientId}`
    assert.equal(await fetchStatus('ada', 'PATCH', path, { name: 'taken' }), 409)
    const renamed = await server.call('ada', 'PATCH', path, { name: 'renamed', filter: { genre: ['crime'] } })
    assert.deepEqual([renamed.status, renamed.body.roles], [200, ['api']])
    const { items } = (await server.call('ada', 'GET', `${book}/system-to-system`)).body
    const listed = items.find((item: { clientId: string }) => item.clientId === account.clientId)
    assert.deepEqual(listed.filter, { genre: ['crime'] })
  })
  it('with public keys have no secret, and never a private key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const create = (name: string, key: object) =>
      server.call('ada', 'POST', `${book}/system-to-system`, {
        name,
        roles: ['api'],
        publicKeys: { keys: [key] },
      })
    const good = await create('signer', publicKey.export({ format: 'jwk' }))
    assert.deepEqual([good.status, good.body.publicKeys, good.body.clientSecret], [201, true, undefined])
    assert.equal(
      await fetchStatus('ada', 'POST', `${book}/system-to-system/${good.body.clientId}/secrets`, {}),
      409,
    )
    assert.match(
      (await create('leak', privateKey.export({ format: 'jwk' }))).body.message,
      /"d" belongs to a private key/,
    )
    assert.match((await create('odd', { kty: 'oct' })).body.message, /not a public key/)
  })
  it('have keys that an assertion can be verified with, each of its own name', async () => {
    const pair = (kind: 'rsa' | 'ec' | 'ed25519' | 'x25519', options = {}) =>
      // The types give each operation its own signature.
      generateKeyPairSync(kind as 'ec', options as { namedCurve: string }).publicKey.export({ format: 'jwk' })
    const p256 = pair('ec', { namedCurve: 'P-256' })
    const ed25519 = pair('ed25519')
    const create = (...keys: object[]) =>
      server.call('ada', 'POST', `${book}/system-to-system`, {
        name: `by-key-${randomUUID()}`,
        roles: ['api'],
        publicKeys: { keys },
      })
    for (const [message, ...keys] of [
      [/"P-384" verifies none of RS256, PS256, ES256, Ed25519, EdDSA/, pair('ec', { namedCurve: 'P-384' })],
      [/"X25519" verifies none/, pair('x25519')],
      [/must have 2048 to 8192 bits; this one has 1024/, pair('rsa', { modulusLength: 1024 })],
      [
        /alg: found "RS512", allowed for this key: RS256, PS256/,
        { ...pair('rsa', { modulusLength: 2048 }), alg: 'RS512' },
      ],
      [/alg: found "RS256", allowed for this key: ES256/, { ...p256, alg: 'RS256' }],
      [/use: found "enc", allowed: "sig"/, { ...p256, use: 'enc' }],
      [/key_ops: found \["sign"\], allowed: \["verify"\]/, { ...p256, key_ops: ['sign'] }],
      [/keys\.1: kid: another key also has "a"/, { ...p256, kid: 'a' }, { ...ed25519, kid: 'a' }],
    ] as [RegExp, ...object[]][]) {
      const { status, body } = await create(...keys)
      assert.equal(status, 400, String(message))
      assert.match(body.message, message)
    }
    const good = { ...p256, kid: 'a', alg: 'ES256', use: 'sig', key_ops: ['verify'] }
    assert.equal(
      (await create(good, { ...ed25519, alg: 'Ed25519' }, { ...ed25519, alg: 'EdDSA' })).status,
      201,
    )
  })
  it('that are disabled or removed are refused at once, and their membership goes with them', async () => {
    const { clientId } = await newAccount('short-lived')
    const path = `${book}/system-to-system/${clientId}`
    const token = await server.token({ subject: clientId, clientId, audience })
    const ask = async () => (await server.call({ token }, 'GET', '/manage/v1/workspaces')).status
    assert.equal(await ask(), 200)
    await server.call('ada', 'PATCH', path, { disabled: true })
    assert.equal(await ask(), 401)
    await server.call('ada', 'PATCH', path, { disabled: false })
    assert.equal(await ask(), 200)
    assert.equal(await fetchStatus('ada', 'DELETE', path), 204)
    assert.equal(await ask(), 401)
    assert.equal(await findMember(server.storage.db, server.books.id, clientId), undefined)
  })
  it('of another workspace are not there', async () => {
    const { clientId } = await newAccount('ours')
    const theirs = `/manage/v1/workspaces/films/system-to-system/${clientId}`
    assert.equal(await fetchStatus('eve', 'PATCH', theirs, { disabled: true }), 404)
    assert.equal(await fetchStatus('eve', 'DELETE', theirs), 404)
    assert.equal((await findClient(server.storage.db, clientId))?.disabled, false)
  })
})

describe('applications', () => {
  it('have redirect URIs that are exact and safe', async () => {
    const create = (redirectUri: string, type = 'browser') =>
      server.call('ada', 'POST', `${book}/applications`, {
        name: redirectUri,
        type,
        redirectUris: [redirectUri],
      })
    for (const [uri, type] of [
      ['https://example.org/callback', 'browser'],
      ['http://127.0.0.1/callback', 'native'],
      ['org.example.app:/callback', 'native'],
    ] as const)
      assert.equal((await create(uri, type)).status, 201, uri)
    for (const uri of [
      '/callback',
      'https://example.org/#x',
      'http://example.org/',
      'https://*.example.org/',
      'javascript:alert(1)',
      'org.example.app:/x',
    ])
      assert.match((await create(uri)).body.message, /^redirectUris\.0: /, uri)
    assert.equal((await create('https://example.org/callback')).status, 409, 'the name is taken')
  })
  it('have origins without wildcards, which no browser sends', async () => {
    for (const origin of [
      'https://*.x',
      'https://*',
      'https://a.*.example.org',
      'http://*.example.org:8080',
    ]) {
      const { status, body } = await server.call('ada', 'POST', `${book}/applications`, {
        name: 'wild',
        redirectUris: ['https://example.org/callback'],
        origins: [origin],
      })
      assert.deepEqual(
        [status, body.code, body.errors?.[0]?.path],
        [400, 'bad-parameter', 'body.origins.0'],
        origin,
      )
      const settings = await server.call('ada', 'PATCH', `${book}/settings`, { origins: [origin] })
      assert.deepEqual([settings.status, settings.body.code], [400, 'bad-parameter'], origin)
    }
  })
  it('of type server get a secret, others none', async () => {
    const create = async (name: string, type: string) =>
      (
        await server.call('ada', 'POST', `${book}/applications`, {
          name,
          type,
          redirectUris: ['https://example.org/'],
        })
      ).body
    const backend = await create('backend', 'server')
    assert.match(backend.clientSecret, /^qrs_/)
    assert.equal((await create('phone', 'native')).clientSecret, undefined)
    assert.equal(
      await fetchStatus('ada', 'POST', `${book}/system-to-system/${backend.clientId}/secrets`, {}),
      201,
    )
  })
})

describe('applications that prove who they are by a key', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicJwk = publicKey.export({ format: 'jwk' })
  const create = (input: object) =>
    server.call('ada', 'POST', `${book}/applications`, {
      redirectUris: ['https://example.org/'],
      ...input,
    })
  it('have no secret, and choose the signature of their ID tokens', async () => {
    const publicKeys = { keys: [publicJwk] }
    const signer = await create({ name: 'signer', type: 'server', publicKeys, idTokenAlgorithm: 'ES256' })
    assert.equal(signer.status, 201)
    const { clientSecret, clientId, ...rest } = signer.body
    assert.deepEqual([clientSecret, rest.publicKeys, rest.idTokenAlgorithm], [undefined, true, 'ES256'])
    assert.equal(await fetchStatus('ada', 'POST', `${book}/system-to-system/${clientId}/secrets`, {}), 409)
    const { body } = await create({ name: 'plain', type: 'server' })
    assert.deepEqual([body.publicKeys, body.idTokenAlgorithm], [false, 'RS256'])
  })
  it('are of type server, and never send the private one', async () => {
    const publicKeys = { keys: [publicJwk] }
    assert.match((await create({ name: 'page', publicKeys })).body.message, /^publicKeys: .*type server/)
    const leaked = { keys: [privateKey.export({ format: 'jwk' })] }
    const refusal = await create({ name: 'leak', type: 'server', publicKeys: leaked })
    assert.match(refusal.body.message, /"d" belongs to a private key/)
    const unknown = await create({ name: 'other', idTokenAlgorithm: 'HS256' })
    assert.deepEqual([unknown.status, /RS256/.test(unknown.body.message)], [400, true])
  })
})

describe('why a request was refused', () => {
  const inspect = (person: Person, token: string, options: object = { workspace: 'books' }) =>
    server.call(person, 'POST', '/manage/v1/tokens/inspect', { token, ...options })
  it('has every check in its order', async () => {
    const { clientId } = await newAccount('asker')
    const token = await server.token({ subject: clientId, clientId, audience: 'http://127.0.0.1:4000/' })
    const { body } = await inspect('ada', token, { workspace: 'books', api: 'novels' })
    assert.deepEqual(
      body.checks.map((check: { name: string }) => check.name),
      [...checkNames],
    )
    assert.equal(body.allowed, true)
    assert.equal(body.claims.client_id, clientId)
    const missing = await inspect('ada', token, { workspace: 'books', api: 'novel' })
    assert.equal(missing.status, 400)
    assert.match(missing.body.message, /^api: books has no API "novel"; did you mean "novels"\?/)
    const elsewhere = await inspect('operator', token, { workspace: 'films' })
    assert.equal(elsewhere.body.allowed, false)
    const failed = elsewhere.body.checks.find((check: { passed: boolean }) => check.passed === false)
    assert.equal(failed.name, 'client-workspace')
    assert.equal(elsewhere.body.checks.at(-1).passed, null)
  })
  it('names the values that differ', async () => {
    const token = await server.token({
      subject: server.ids.apollo,
      clientId: 'console',
      audience: 'http://localhost:4000',
      expiresInSeconds: -3600,
    })
    const { body } = await inspect('ada', token)
    const failed = body.checks.filter((check: { passed: boolean }) => check.passed === false)
    assert.deepEqual(
      failed.map((check: { name: string }) => check.name),
      ['audience', 'clock'],
    )
    assert.deepEqual(
      [failed[0].expected, failed[0].found],
      ['http://127.0.0.1:4000/4/books', 'http://localhost:4000'],
    )
    assert.equal(body.allowed, false)
  })
  it('looks nothing up for a token that is not ours', async () => {
    const token = `${await server.issueToken('apollo')}x`
    const { body } = await inspect('ada', token)
    const reachedChecks = body.checks.filter((check: { passed: boolean | null }) => check.passed !== null)
    assert.deepEqual(
      reachedChecks.map((check: { name: string }) => check.name),
      ['token', 'issuer', 'signature', 'audience', 'clock', 'proof'],
    )
    const nonsense = await inspect('ada', 'nonsense')
    assert.deepEqual([nonsense.body.header, nonsense.body.claims, nonsense.body.allowed], [null, null, false])
  })
  it('is shown to the account itself, to its workspace’s administrators and to operators', async () => {
    const token = await server.issueToken('apollo')
    assert.equal((await inspect('apollo', token, {})).status, 200)
    assert.equal((await inspect('ada', token, {})).status, 403, 'of no workspace of theirs')
    assert.equal((await inspect('eve', token)).status, 403)
    assert.equal((await inspect('operator', token)).status, 200)
  })
  it('names the account as people know it, beside its id', async () => {
    const findCheck = ({ body }: { body: { checks: { name: string }[] } }, name: string) =>
      body.checks.find(check => check.name === name)
    const refusal = await server.call('eve', 'GET', `${book}/members`)
    const path = `/manage/v1/refusals/${refusal.body.requestId}`
    const account = { id: server.ids.eve, name: 'eve@example.org' }
    for (const person of ['ada', 'eve'] as const) {
      const reply = await server.call(person, 'GET', path)
      assert.deepEqual(findCheck(reply, 'membership'), {
        name: 'membership',
        passed: false,
        message: 'the account is no member of this workspace with the role administrator',
        expected: 'a member with the role administrator',
        found: 'eve@example.org',
        account,
      })
      assert.deepEqual(findCheck(reply, 'role'), { name: 'role', passed: null, message: 'was not reached' })
    }
    const { clientId } = await newAccount('named')
    const token = await server.token({ subject: clientId, clientId, audience: 'http://127.0.0.1:4000/' })
    assert.deepEqual(findCheck(await inspect('ada', token), 'membership'), {
      name: 'membership',
      passed: true,
      message: 'the account is a member',
      account: { id: clientId, name: 'named' },
    })
  })
  it('names the account that is disabled, in what its token and its request were refused for', async () => {
    const { clientId } = await newAccount('stopped')
    const token = await server.token({
      subject: clientId,
      clientId,
      audience: 'http://127.0.0.1:4001/manage/',
    })
    await server.call('ada', 'PATCH', `${book}/system-to-system/${clientId}`, { disabled: true })
    const refusal = await server.call({ token }, 'GET', `${book}/members`)
    assert.equal(refusal.status, 401)
    const explained = await server.call('ada', 'GET', `/manage/v1/refusals/${refusal.body.requestId}`)
    for (const { body } of [explained, await inspect('ada', token)])
      assert.deepEqual(
        body.checks.find(({ name }: { name: string }) => name === 'client'),
        {
          name: 'client',
          passed: false,
          message: 'the account or application of the token is disabled',
          account: { id: clientId, name: 'stopped' },
        },
      )
  })
  it('is found under the requestId, by those same people', async () => {
    const refusal = await server.call('apollo', 'GET', `${book}/members`)
    const path = `/manage/v1/refusals/${refusal.body.requestId}`
    for (const person of ['apollo', 'ada', 'operator'] as const) {
      const { status, body } = await server.call(person, 'GET', path)
      assert.deepEqual([status, body.status, body.workspace], [200, 403, 'books'])
      const failed = body.checks.filter(({ passed }: { passed: boolean | null }) => passed === false)
      assert.deepEqual([failed.length, failed[0]?.name, body.checks.length], [1, 'role', 17])
    }
    for (const person of ['ursula', 'eve'] as const) assert.equal(await fetchStatus(person, 'GET', path), 404)
  })
})

describe('the API', () => {
  it('describes itself to everybody', async () => {
    const { status, body } = await server.call(undefined, 'GET', '/manage/v1/openapi.json')
    assert.deepEqual([status, body.openapi], [200, '3.1.0'])
    const ids = Object.values<Record<string, { operationId: string }>>(body.paths).flatMap(methods =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    assert.deepEqual(ids.toSorted(), Object.keys(operations).toSorted())
  })
  it('says 404 of unknown paths, 405 with Allow of methods, and refuses tokens in URLs', async () => {
    const unknown = await server.call(undefined, 'GET', '/manage/v1/nothing')
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'no-such-path'])
    assert.equal((await server.call(undefined, 'GET', '/manage')).body.code, 'no-such-path')
    const method = await server.call(undefined, 'DELETE', `${book}/members`)
    assert.deepEqual(
      [method.status, method.body.code, method.headers.get('allow')],
      [405, 'method-not-allowed', 'GET, HEAD'],
    )
    const token = await server.call('ada', 'GET', `${book}/members?access_token=x`)
    assert.deepEqual([token.status, token.body.code], [400, 'token-in-url'])
  })
  it('takes a token for the management API only', async () => {
    const token = await server.token({
      subject: server.ids.ada,
      clientId: 'console',
      audience: 'http://127.0.0.1:4000/',
    })
    assert.equal((await server.call({ token }, 'GET', `${book}/members`)).status, 401)
  })
  it('takes paths with long addresses, and bodies that are JSON and not too large', async () => {
    const long = `${'x'.repeat(200)}@example.org`
    assert.equal(await fetchStatus('ada', 'DELETE', `${book}/members/${long}`), 404)
    const large = { name: 'x', roles: ['api'], addresses: ['y'.repeat(300 * 1024)] }
    assert.equal(await fetchStatus('ada', 'POST', `${book}/system-to-system`, large), 413)
    const reply = await fetch(`http://127.0.0.1:${server.port}${book}/system-to-system`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await server.issueToken('ada')}`, 'content-type': 'text/plain' },
      body: '{}',
    })
    assert.equal(reply.status, 415)
    assert.match(await reply.text(), /found \\"text\/plain\\", allowed: application\/json/)
  })
  it('records each change with who made it', async () => {
    const [entry] = await audited('removeMember')
    assert.equal(entry?.actor, server.ids.ada)
    assert.equal(entry?.workspace_id, server.books.id)
    assert.match(entry?.address ?? '', /127\.0\.0\.1/)
  })
})
