/** Second factors in real Chromium with its virtual authenticator (Chrome DevTools Protocol, domain WebAuthn). */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { decodeJwt } from 'jose'
import { Secret, TOTP } from 'otpauth'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { freePort } from '#bench/peers/start'
import { chooseRuns } from '#server/test-runs'
import { openChromium, stepMsMax } from '#tests/support/chromium'
import { adminEmail } from '#tests/support/console-visit'
import { register } from '#tests/support/examples'
import { workspaceFile } from '#tests/support/library'
import { moveToPostgres } from '#tests/support/move'
import { inspect } from '#tests/support/pages-inspect'
import { type ServerProcess, startServerProcess } from '#tests/support/started-server'

const password = 'correct horse battery staple'

let server: ServerProcess
let browser: Browser
let application: Server
let applicationUrl: string
let clientId: string

before(async () => {
  const port = await freePort()
  // Browsers have no passkeys for IP addresses.
  server = await startServerProcess(['--auth-port', String(port), '--auth-url', `http://localhost:${port}`])
  const definition = join(server.data, '..', 'workspace.yaml')
  await writeFile(definition, workspaceFile('library'))
  await server.applyFile(definition)
  application = createServer((_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>Finder</title><h1>Finder</h1>'),
  )
  await new Promise<void>(resolve => application.listen(0, '127.0.0.1', resolve))
  const { port: applicationPort } = application.address() as AddressInfo
  applicationUrl = `http://localhost:${applicationPort}/back`
  clientId = (await register(server, 'Finder', 'browser', applicationUrl)).clientId
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
  application?.close()
})

const newMember = async (name: string): Promise<string> => {
  const email = `${name}@example.org`
  await server.run(['users', 'create', email, '--name', 'Ada Lovelace', '--password-stdin'], {
    input: `${password}\n`,
  })
  await server.call('setMember', { params: { workspace: 'library', email }, input: { roles: ['api'] } })
  return email
}

/** An authorization request, and the exchange of its code for an ID token. */
const newRequest = (extraParameters: Record<string, string> = {}) => {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: applicationUrl,
    response_type: 'code',
    scope: 'openid',
    audience: server.baseUrl,
    state: 's',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...extraParameters,
  })
  const exchange = async (code: string): Promise<string> => {
    const reply = await fetch(`${server.authUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        redirect_uri: applicationUrl,
        code,
        code_verifier: verifier,
      }),
    })
    // RFC 6749, section 5.1.
    return ((await reply.json()) as { id_token: string }).id_token
  }
  return { url: `${server.authUrl}/authorize?${query}`, exchange }
}
const authorizeUrl = (): string => newRequest().url

/** Opens a page in a fresh profile that is closed at the end. Collects policy violations from its console. */
const withPage = async (
  options: Parameters<Browser['newContext']>[0],
  use: (page: Page, policyViolations: string[], context: BrowserContext) => Promise<void>,
) => {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(stepMsMax)
  const page = await context.newPage()
  const policyViolations: string[] = []
  page.on('console', message => {
    if (/Content Security Policy|Refused/.test(message.text())) policyViolations.push(message.text())
  })
  try {
    await use(page, policyViolations, context)
  } finally {
    await context.close()
  }
}

interface Authenticator {
  session: CDPSession
  authenticatorId: string
  /** Whether somebody touches it whenever it asks. */
  setPresence(enabled: boolean): Promise<unknown>
}

/** Gives the page an authenticator such as a laptop with a fingerprint reader. */
const addAuthenticator = async (page: Page): Promise<Authenticator> => {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    session,
    authenticatorId,
    setPresence: enabled =>
      session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
  }
}

const press = (page: Page, action: string) => page.locator(`button[value=${action}]:visible`).click()
const signIn = async (page: Page, email: string) => {
  await page.locator('[name=email]').fill(email)
  await page.locator('[name=password]').fill(password)
  await press(page, 'sign-in')
}
/** Consents where asked, and waits for the application's page. Returns the parameters that it got. */
const finish = async (page: Page): Promise<URLSearchParams> => {
  const heading = page.getByRole('heading', { name: 'Finder', exact: true })
  const allow = page.locator('button[value=allow]')
  await heading.or(allow).first().waitFor()
  if (await allow.isVisible()) await allow.click()
  await heading.waitFor()
  return new URL(page.url()).searchParams
}
const readSecret = async (page: Page) =>
  ((await page.locator('.secret').textContent()) ?? '').replaceAll(' ', '')
const makeCode = (secret: string, stepsLater = 0) =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.now() + stepsLater * 30_000 })
const setUpApp = async (page: Page): Promise<string> => {
  const secret = await readSecret(page)
  await page.locator('[name=code]').fill(makeCode(secret))
  await press(page, 'confirm')
  await page.locator('.codes li').first().waitFor()
  return secret
}

for (const locale of chooseRuns(['en'], ['en', 'nl']))
  test(`pages about second factors in "${locale}": axe finds nothing, nothing overflows, and no policy is violated`, async () => {
    const inspectPage = (page: Page, name: string) =>
      inspect(page, locale === 'en' ? name : `${name} (${locale})`)
    const email = await newMember(`pages.${locale}`)
    await withPage({ locale }, async (page, policyViolations) => {
      const authenticator = await addAuthenticator(page)
      await page.goto(`${server.authUrl}/factors`)
      await page.locator('form[data-passkey]').waitFor()
      await inspectPage(page, 'login-passkey')
      await signIn(page, email)
      await page.locator('.links').first().waitFor()
      await inspectPage(page, 'factors-none')
      await page.goto(`${server.authUrl}/factors/app`)
      await inspectPage(page, 'factors-app')
      await page.locator('[name=code]').fill('000000')
      await press(page, 'confirm')
      await page.locator('[aria-invalid]').waitFor()
      await inspectPage(page, 'factors-app-wrong')
      await setUpApp(page)
      await page.locator('[data-print]').waitFor()
      await inspectPage(page, 'recovery-codes')
      await press(page, 'saved')
      await page.goto(`${server.authUrl}/factors/passkeys/add`)
      await page.locator('form[data-passkey]').waitFor()
      await inspectPage(page, 'passkey-add')
      await page.locator('[name=name]').fill('Laptop')
      await press(page, 'passkey')
      await page.locator('.factors li').waitFor()
      await inspectPage(page, 'factors')
      await page.locator('.factors a').click()
      await inspectPage(page, 'passkey')
      await page.goto(`${server.authUrl}/factors/app/remove`)
      await inspectPage(page, 'factors-app-remove')
      await page.goto(`${server.authUrl}/factors/recovery-codes`)
      await inspectPage(page, 'recovery-codes-new')
      // Otherwise the browser's suggestion signs in at once.
      await authenticator.setPresence(false)
      await page.context().clearCookies()
      await page.goto(authorizeUrl())
      await signIn(page, email)
      await page.locator('form[data-passkey]').waitFor()
      await inspectPage(page, 'second-factor')
      await page.locator('[name=code]').fill('000000')
      await press(page, 'verify')
      await inspectPage(page, 'second-factor-wrong')
      await page.getByRole('link', { name: /recovery code|herstelcode/ }).click()
      await inspectPage(page, 'second-factor-recovery')
      assert.deepEqual(policyViolations, [])
    })
  })

test('a passkey: created at setup, then signs in without an address, from the button or the suggestion of the browser', async () => {
  const email = await newMember('passkey')
  await withPage({}, async (page, policyViolations) => {
    const authenticator = await addAuthenticator(page)
    await page.goto(`${server.authUrl}/factors/passkeys/add`)
    await signIn(page, email)
    await press(page, 'passkey')
    await page.locator('.codes li').first().waitFor()
    await press(page, 'saved')
    const { credentials } = await authenticator.session.send('WebAuthn.getCredentials', {
      authenticatorId: authenticator.authenticatorId,
    })
    assert.deepEqual(
      credentials.map(({ isResidentCredential, rpId }) => [isResidentCredential, rpId]),
      [[true, 'localhost']],
    )
    await authenticator.setPresence(false)
    await page.context().clearCookies()
    const { url, exchange } = newRequest({ acr_values: 'urn:querent:acr:mfa' })
    await page.goto(url)
    assert.equal(await page.locator('[name=email]').inputValue(), '')
    await authenticator.setPresence(true)
    await press(page, 'passkey')
    const parameters = await finish(page)
    const identity = decodeJwt(await exchange(parameters.get('code') ?? ''))
    assert.equal(identity.acr, 'urn:querent:acr:mfa')
    assert.deepEqual(identity.amr, ['hwk', 'user', 'mfa'])
    await page.context().clearCookies()
    // The authenticator answers the suggestion in the address field at once.
    await page.goto(authorizeUrl())
    assert.ok((await finish(page)).get('code'))
    assert.deepEqual(policyViolations, [])
  })
})

test('a passkey that is removed on the page leaves the browser too', async () => {
  const email = await newMember('removed-passkey')
  await withPage({}, async (page, policyViolations) => {
    const { session, authenticatorId } = await addAuthenticator(page)
    await page.goto(`${server.authUrl}/factors/passkeys/add`)
    await signIn(page, email)
    await press(page, 'passkey')
    await page.locator('.codes li').first().waitFor()
    await press(page, 'saved')
    const deleted = new Promise(resolve => session.once('WebAuthn.credentialDeleted', resolve))
    await page.locator('.factors a').click()
    await press(page, 'remove')
    await deleted
    const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId })
    assert.deepEqual([credentials, policyViolations], [[], []])
  })
})

test('a passkey that the person cancels leaves the page usable, with the reason', async () => {
  await withPage({}, async page => {
    const { session, authenticatorId } = await addAuthenticator(page)
    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await page.goto(authorizeUrl())
    await press(page, 'passkey')
    await page.locator('[data-fault]:visible').waitFor()
    assert.ok(await page.locator('[name=email]').isVisible())
  })
})

test('after a password, a device that can keep a passkey offers one, which leads back to the application', async () => {
  const email = await newMember('offer')
  await withPage({}, async page => {
    await addAuthenticator(page)
    await page.goto(authorizeUrl())
    await page.locator('[name=offer_passkey][value=yes]').waitFor({ state: 'attached' })
    await signIn(page, email)
    await page.locator('a.button[href="/factors/passkeys/add"]').waitFor()
    await inspect(page, 'passkey-offer')
    await page.locator('a.button').click()
    await press(page, 'passkey')
    await page.locator('.codes li').first().waitFor()
    await press(page, 'saved')
    assert.ok((await finish(page)).get('code'))
  })
})

test('without JavaScript: setup, sign-in with a code and with a recovery code; nothing offers a passkey', async () => {
  const email = await newMember('plain')
  await withPage({ javaScriptEnabled: false }, async page => {
    await page.goto(`${server.authUrl}/factors/app`)
    assert.equal(await page.locator('button[value=passkey]:visible').count(), 0)
    await signIn(page, email)
    const secret = await setUpApp(page)
    const [code = ''] = await page.locator('.codes li').allTextContents()
    const download = page.waitForEvent('download')
    await page.locator('a[download]').click()
    assert.equal((await download).suggestedFilename(), 'recovery-codes.txt')
    await press(page, 'saved')
    for (const typed of [makeCode(secret, 1), code.trim()]) {
      await page.context().clearCookies()
      await page.goto(authorizeUrl())
      await signIn(page, email)
      assert.equal(await page.locator('button[value=passkey]:visible').count(), 0)
      await page.locator('[name=code]').fill(typed)
      await press(page, 'verify')
      assert.ok((await finish(page)).get('code'))
    }
  })
})

test('a workspace that starts to require a second factor: the console leads its administrator through setup, and the API refuses weaker sessions', async () => {
  const definition = join(server.data, '..', 'workspace.yaml')
  const adminPage = `${server.authUrl}/console/w/library/settings/security`
  await withPage({}, async page => {
    await page.goto(adminPage)
    await signIn(page, adminEmail)
    await page.getByLabel('Require a second factor').check()
    await page.getByRole('form', { name: 'Sign-in' }).getByRole('button', { name: 'Save' }).click()
    const question = page.getByRole('dialog')
    await question.getByText(/^\d+ members? ha(s|ve) no second factor yet/).waitFor()
    await question.getByText(/You are one of them|That is you/).waitFor()
    await question.getByRole('button', { name: 'Require it' }).click()
    // The settings are read again, which the session may no longer do.
    await page.getByText('A workspace that you open requires a second factor').waitFor()
    await inspect(page, 'factor-required-console')
    await page.getByRole('button', { name: 'Back to Querent Console' }).click()
    await page.getByText('You have not set up a second factor').waitFor()
    await page.goto(adminPage)
    await page.locator('a[href="/factors/app"]').click()
    await setUpApp(page)
    await press(page, 'saved')
    await page.getByLabel('Require a second factor').waitFor()
    assert.equal(await page.getByLabel('Require a second factor').isChecked(), true)
    await page.goto(`${server.authUrl}/console/you`)
    await page.getByRole('heading', { name: 'Second factors' }).waitFor()
    await page.getByText('10 unused recovery codes').waitFor()
    const email = await newMember('member')
    await withPage({}, async memberPage => {
      await memberPage.goto(authorizeUrl())
      await signIn(memberPage, email)
      await memberPage.locator('a[href="/factors/app"]').waitFor()
      await inspect(memberPage, 'factor-required')
      await memberPage.locator('a[href="/factors/app"]').click()
      await setUpApp(memberPage)
      await press(memberPage, 'saved')
      assert.ok((await finish(memberPage)).get('code'))
    })
    await server.run(['users', 'remove-factors', email])
    await server.applyFile(definition)
  })
})

test('a move to PostgreSQL keeps authenticator apps, recovery codes and passkeys', async () => {
  const email = await newMember('moved')
  await withPage({}, async page => {
    const authenticator = await addAuthenticator(page)
    await page.goto(`${server.authUrl}/factors/app`)
    await signIn(page, email)
    const secret = await setUpApp(page)
    const [recoveryCode = ''] = await page.locator('.codes li').allTextContents()
    await press(page, 'saved')
    await page.goto(`${server.authUrl}/factors/passkeys/add`)
    await press(page, 'passkey')
    await page.locator('.factors li').waitFor()
    await authenticator.setPresence(false)
    await moveToPostgres(server)
    for (const typed of [makeCode(secret, 1), recoveryCode.trim()]) {
      await page.context().clearCookies()
      await page.goto(authorizeUrl())
      await signIn(page, email)
      await page.locator('form[data-passkey]').waitFor()
      if (typed === recoveryCode.trim()) await page.getByRole('link', { name: /recovery code/ }).click()
      await page.locator('[name=code]').fill(typed)
      await press(page, 'verify')
      assert.ok((await finish(page)).get('code'))
    }
    await page.context().clearCookies()
    const { url, exchange } = newRequest({ acr_values: 'urn:querent:acr:mfa' })
    // The browser's suggestion signs in.
    await authenticator.setPresence(true)
    await page.goto(url)
    const identity = decodeJwt(await exchange((await finish(page)).get('code') ?? ''))
    assert.deepEqual(identity.amr, ['hwk', 'user', 'mfa'])
  })
})
