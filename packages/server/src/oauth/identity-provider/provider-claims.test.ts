/** Claims and keys of a workspace's own OpenID provider: which addresses and names count, and how soon a new key does. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, beforeEach, describe, test } from 'node:test'
import { startPages } from '#oauth/interactions/test-pages'
import { findUserByEmail, listUsers } from '#storage/users'
import { makeTestCompany } from './test-company.ts'
import { openTestProvider } from './test-provider.ts'

const pages = await startPages({ signInThrottle: 'off' })
const provider = await openTestProvider()
after(async () => {
  await pages.close()
  await provider.close()
})
const { storage } = pages
const company = makeTestCompany(pages, provider)
const { newEmail, openApplication, open, type, comeBack, signIn } = company

describe('claims and keys of a provider', () => {
  beforeEach(() => {
    provider.reset()
  })

  /** Signs in with exactly these claims. Returns where the browser lands. */
  const arrive = async (claims: Record<string, unknown>, userInfo?: Record<string, unknown>) => {
    const application = await openApplication({ roles: { '*': ['api'] } })
    provider.says.claims = claims
    provider.says.userInfo = userInfo
    const { reader, page } = await open(application)
    const led = await type(reader, page, newEmail())
    return comeBack(reader, led.applicationUrl)
  }

  test('email_verified as the text "true" counts, in the ID token and in UserInfo', async () => {
    const first = await arrive({ sub: randomUUID(), email: newEmail(), email_verified: 'true' })
    assert.ok(first.parameters.code)
    const sub = randomUUID()
    const second = await arrive({ sub }, { sub, email: newEmail(), email_verified: 'true' })
    assert.ok(second.parameters.code)
  })

  for (const verified of [
    'True',
    'TRUE',
    'yes',
    '1',
    ' true',
    'false',
    '',
    1,
    ['true'],
    { true: true },
    null,
  ])
    test(`email_verified ${JSON.stringify(verified)} does not count, and the log has its type`, async () => {
      const email = newEmail()
      const landed = await arrive({ sub: randomUUID(), email, email_verified: verified })
      assert.equal(landed.status, 422)
      assert.equal(await findUserByEmail(storage.db, email), undefined)
      const entry = pages.logged.findLast(line => JSON.stringify(line).includes('email-unverified'))
      assert.match(JSON.stringify(entry), new RegExp(`"email_verified":"${typeof verified}"`))
    })

  test('email_verified of UserInfo belongs to the address of UserInfo', async () => {
    const sub = randomUUID()
    const email = newEmail()
    const landed = await arrive({ sub, email }, { sub, email: newEmail(), email_verified: true })
    assert.equal(landed.status, 422)
    assert.equal(await findUserByEmail(storage.db, email), undefined)
  })

  test('a proof of an address in the ID token does not count for another address of UserInfo', async () => {
    const sub = randomUUID()
    const email = newEmail()
    const landed = await arrive({ sub, email_verified: true }, { sub, email })
    assert.equal(landed.status, 422)
    assert.equal(await findUserByEmail(storage.db, email), undefined)
  })

  test('the clocks of a provider may differ by 50 seconds, and not by 70', async t => {
    const secondsFromNow = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
    const isSignedIn = async (idToken: Record<string, unknown>) => {
      const fast = await openTestProvider()
      t.after(() => fast.close())
      const application = await openApplication({ issuer: fast.issuer, roles: { '*': ['api'] } })
      fast.says.idToken = idToken
      const { landed } = await signIn(application, { sub: randomUUID(), email: newEmail() }, { from: fast })
      return Boolean(landed.parameters.code)
    }
    for (const [idToken, isAccepted] of [
      [{ nbf: secondsFromNow(50) }, true],
      [{ exp: secondsFromNow(-50) }, true],
      [{ nbf: secondsFromNow(75) }, false],
      [{ exp: secondsFromNow(-75) }, false],
    ] as const)
      assert.equal(await isSignedIn(idToken), isAccepted, JSON.stringify(idToken))
  })

  test('a logout token gets 503 while the keys of the provider cannot be read', async t => {
    const broken = await openTestProvider()
    t.after(() => broken.close())
    const failures: [name: string, metadata: Record<string, unknown>][] = [
      ['an error', {}],
      ['no connection', { jwks_uri: 'http://127.0.0.1:1/jwks' }],
    ]
    for (const [name, metadata] of failures) {
      broken.says.metadata = metadata
      const application = await openApplication({
        issuer: broken.issuer,
        clientId: name.replace(' ', '-'),
        roles: { '*': ['api'] },
      })
      broken.says.hasNoKeys = true
      const token = await broken.sign({
        aud: name.replace(' ', '-'),
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
        jti: randomUUID(),
        sub: randomUUID(),
      })
      const path = `/provider/${application.workspace.slug}/backchannel-logout`
      assert.equal((await pages.form(path, `logout_token=${token}`)).status, 503, name)
    }
  })

  const hostile = [
    'x\u0000y@corp.example',
    'c\u0001d@corp.example',
    'b\u202eidi@corp.example',
    'adm\u200b@corp.example',
    'adm\u00ad@corp.example',
    'adm\u0600@corp.example',
    'a,b@corp.example',
    'a;b@corp.example',
    '<script>@corp.example',
    '"a b"@corp.example',
    'a b@corp.example',
    'a\n@corp.example',
    'a@b@corp.example',
    '@corp.example',
  ]
  for (const email of hostile)
    test(`the address ${JSON.stringify(email)} gives no account`, async () => {
      const countBefore = (await listUsers(storage.db, '', 1000)).length
      const landed = await arrive({ sub: randomUUID(), email, email_verified: true })
      assert.equal(landed.status, 422)
      assert.equal((await listUsers(storage.db, '', 1000)).length, countBefore)
    })

  test('names lose characters that hide or reorder others', async () => {
    const email = newEmail()
    const name = 'Ada\u202e \u200b Byron\u0000\n Lovelace'
    await arrive({ sub: randomUUID(), email, email_verified: true, name })
    assert.equal((await findUserByEmail(storage.db, email))?.name, 'Ada Byron Lovelace')
  })

  test('a key that the provider rotates in counts within seconds', async t => {
    const application = await openApplication({ roles: { '*': ['api'] } })
    const attempt = async () => (await signIn(application, { sub: randomUUID(), email: newEmail() })).landed
    assert.ok((await attempt()).parameters.code)
    await provider.rotate()
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 6000 })
    assert.ok((await attempt()).parameters.code)
  })

  test('tokens with made-up keys make the server read the keys every few seconds at most', async () => {
    const application = await openApplication({ roles: { '*': ['api'] } })
    await signIn(application, { sub: randomUUID(), email: newEmail() })
    const startedAt = performance.now()
    const readsBefore = provider.keyReads()
    for (let count = 0; count < 200; count += 1) {
      const token = await provider.sign({ aud: 'querent', jti: randomUUID() }, { kid: randomUUID() })
      const reply = await fetch(
        `${pages.authUrl}/provider/${application.workspace.slug}/backchannel-logout`,
        {
          method: 'POST',
          body: new URLSearchParams({ logout_token: token }),
        },
      )
      assert.equal(reply.status, 400)
    }
    const elapsedMs = performance.now() - startedAt
    assert.ok(provider.keyReads() - readsBefore <= 1 + Math.ceil(elapsedMs / 5000))
  })

  test('a provider whose keys cannot be read is down: the page offers the password', async () => {
    const broken = await openTestProvider()
    const application = await openApplication({ issuer: broken.issuer, roles: { '*': ['api'] } })
    broken.says.hasNoKeys = true
    const { landed } = await signIn(application, { sub: randomUUID(), email: newEmail() }, { from: broken })
    assert.equal(landed.status, 503)
    assert.match(landed.text, /type="password"/)
    await broken.close()
  })
})
