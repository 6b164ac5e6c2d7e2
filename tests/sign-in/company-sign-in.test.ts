/** A company's OpenID provider, a second oidc-provider: a person in Chromium goes there and back, queries, and loses the role with the group. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { managementApi } from '@querent/client/manage'
import Provider from 'oidc-provider'
import type { Browser, Page } from 'playwright-core'
import { openTestDns } from '#server/accounts/test-dns'
import { openChromium, stepMsMax } from '#tests/support/chromium'
import { register } from '#tests/support/examples'
import { workspaceFile } from '#tests/support/library'
import { moveToPostgres } from '#tests/support/move'
import { inspect } from '#tests/support/pages-inspect'
import { makeMember } from '#tests/support/person'
import { type ServerProcess, startServerProcess } from '#tests/support/started-server'
import { adminEmail, adminPassword } from '#tests/support/template-folder'

const email = 'grace@corp.example'
const secret = randomBytes(32).toString('base64url')
const claims: Record<string, unknown> = {
  email,
  email_verified: true,
  name: 'Grace Hopper',
  groups: ['staff'],
}

let isEmployed = true
/** Account that the button of the provider signs in. */
let subject = 'grace'
const signInAs = (name: string, address: string): void => {
  subject = name
  claims.email = address
}
const dns = await openTestDns()

let server: ServerProcess
let browser: Browser
let providerServer: Server
let issuer: string
let application: Server
let applicationUrl: string
let clientId: string

const listen = async (listening: Server): Promise<string> => {
  await new Promise<void>(resolve => listening.listen(0, '127.0.0.1', resolve))
  // A TCP server has an address of this form once it listens.
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
}

/** The company's provider: one page with a button, no consent. */
const openProvider = (querent: string): Provider => {
  const provider: Provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'querent',
        client_secret: secret,
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [`${querent}/provider/library/callback`],
        backchannel_logout_uri: `${querent}/provider/library/backchannel-logout`,
        backchannel_logout_session_required: true,
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    features: { backchannelLogout: { enabled: true }, devInteractions: { enabled: false } },
    findAccount: (_ctx, accountId) =>
      isEmployed ? { accountId, claims: () => ({ sub: accountId, ...claims }) } : undefined,
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.account?.accountId ?? '',
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    // The library refuses private addresses, by an option of its own.
    fetch: (url, { method, headers, body } = {}) =>
      fetch(url, { ...(method && { method }), ...(headers && { headers }), ...(body && { body }) }),
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ['a key of the test'] },
  })
  return provider
}

before(async () => {
  server = await startServerProcess(['--dns-servers', dns.server])
  providerServer = createServer()
  // Cookies don't know ports, so it needs a name of its own.
  issuer = (await listen(providerServer)).replace('127.0.0.1', 'localhost')
  const provider = openProvider(server.authUrl)
  const answer = provider.callback()
  providerServer.on('request', async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return answer(request, response)
    if (request.method === 'POST')
      return provider.interactionFinished(request, response, { login: { accountId: subject, amr: ['pwd'] } })
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>Corp</title><form method="post"><button>Sign in as Grace</button></form>')
  })
  await server.applyWorkspace(makeDefinition('corp.example'))
  await server.run(['provider', 'set-secret', 'library', '--secret-stdin'], { input: `${secret}\n` })
  application = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Finder</title>'),
  )
  applicationUrl = `${await listen(application)}/back`
  clientId = (await register(server, 'Finder', 'browser', applicationUrl)).clientId
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
  application?.close()
  providerServer?.closeAllConnections()
  providerServer?.close()
  await dns.close()
})

const makeDefinition = (...domains: string[]): string => `${workspaceFile('library')}
identityProvider:
  issuer: ${issuer}
  clientId: querent
  name: Corp
  domains: [${domains.join(', ')}]
  roles: { staff: [api] }
`

const newRequest = (parameters: Record<string, string> = {}) => {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: applicationUrl,
    response_type: 'code',
    scope: 'openid email',
    audience: server.baseUrl,
    state: 's',
    // Also after another test.
    prompt: 'consent',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...parameters,
  })
  const exchangeAll = async (page: Page): Promise<Tokens> => {
    await page.waitForURL(`${applicationUrl}?**`)
    const { status, tokens } = await fetchTokens({
      grant_type: 'authorization_code',
      redirect_uri: applicationUrl,
      code: new URL(page.url()).searchParams.get('code') ?? '',
      code_verifier: verifier,
    })
    assert.equal(status, 200)
    return tokens
  }
  const exchange = async (page: Page): Promise<string> => (await exchangeAll(page)).access_token
  return { url: `${server.authUrl}/authorize?${query}`, exchange, exchangeAll }
}

interface Tokens {
  access_token: string
  refresh_token: string
}
const fetchTokens = async (parameters: Record<string, string>) => {
  const reply = await fetch(`${server.authUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: clientId, ...parameters }),
  })
  // RFC 6749, section 5.1.
  return { status: reply.status, tokens: (await reply.json()) as Tokens }
}

const queryStatus = async (token: string): Promise<number> => {
  const { status } = await fetch(`${server.baseUrl}/4/library/api/library/e/all/results`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return status
}

/** Types the address and presses the provider's button, if it does not know the person yet. */
const signInThere = async (page: Page, address = email): Promise<void> => {
  await page.getByLabel('E-mail address').fill(address)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByRole('button', { name: 'Sign in as Grace' }).click()
}

/** Signs in, with a browser of its own, for an application that gets a refresh token. */
const signInWithRefresh = async () => {
  const context = await browser.newContext()
  context.setDefaultTimeout(stepMsMax)
  const page = await context.newPage()
  const request = newRequest({ scope: 'openid email offline_access' })
  await page.goto(request.url)
  await signInThere(page)
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  const tokens = await request.exchangeAll(page)
  return { context, page, tokens }
}

test('a person types an address of the domain, signs in at the provider, queries, and loses the role with the group', async () => {
  const context = await browser.newContext({
    viewport: { width: 360, height: 800 },
    javaScriptEnabled: false,
  })
  context.setDefaultTimeout(stepMsMax)
  const page = await context.newPage()
  const first = newRequest()
  await page.goto(first.url)
  assert.equal(await page.getByLabel('Password').count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Continue with Corp' }).count(), 1)
  await signInThere(page)
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  const token = await first.exchange(page)
  assert.equal(await queryStatus(token), 200)
  const [member] = ((await server.run(['members', 'list', 'library'])) as { email?: string }[]).filter(
    row => row.email === email,
  )
  assert.deepEqual(member && { ...member, createdAt: '', lastActivityAt: null }, {
    kind: 'user',
    email,
    emailVerified: false,
    name: 'Grace Hopper',
    roles: ['api'],
    fromProvider: true,
    createdAt: '',
    lastActivityAt: null,
  })

  claims.groups = []
  await page.goto(newRequest({ prompt: 'login' }).url)
  await signInThere(page)
  await page.getByText('You are not a member').waitFor()
  assert.equal(await queryStatus(token), 403)
  claims.groups = ['staff']
  await context.close()
})

test('the end of the session at the provider ends it here, by back-channel logout', async () => {
  const context = await browser.newContext()
  context.setDefaultTimeout(stepMsMax)
  const page = await context.newPage()
  const request = newRequest()
  await page.goto(request.url)
  await signInThere(page)
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  const token = await request.exchange(page)
  assert.equal(await queryStatus(token), 200)
  await page.goto(`${issuer}/session/end`)
  await page.getByRole('button', { name: /yes/i }).click()
  await page
    .getByText(/success/i)
    .first()
    .waitFor()
  // The provider sent its logout token before it answered; other nodes see it within a second.
  assert.equal(await queryStatus(token), 401)
  await context.close()
})

test('a person whom the provider removes is out at the next refresh', async () => {
  const { context, tokens } = await signInWithRefresh()
  const refresh = (token: string) => fetchTokens({ grant_type: 'refresh_token', refresh_token: token })
  // The provider replaces its own refresh token each time.
  const first = await refresh(tokens.refresh_token)
  const second = await refresh(first.tokens.refresh_token)
  assert.deepEqual([first.status, second.status], [200, 200])
  assert.equal(await queryStatus(second.tokens.access_token), 200)
  isEmployed = false
  const last = await refresh(second.tokens.refresh_token)
  isEmployed = true
  assert.deepEqual([last.status, await queryStatus(second.tokens.access_token)], [400, 401])
  await context.close()
})

test('the page for the address is accessible and fits, in both color schemes', async () => {
  const context = await browser.newContext()
  context.setDefaultTimeout(stepMsMax)
  const page = await context.newPage()
  await page.goto(newRequest().url)
  await inspect(page, 'login-provider')
  await context.close()
})

/** Applies the workspace file as an administrator, whose word proves no domain. */
const applyAsAdministrator = async (source: string): Promise<void> => {
  const administrator = await makeMember(server, 'library', 'owner@example.org', 'administrator')
  const verifier = randomBytes(32).toString('base64url')
  const redirectUri = `${server.authUrl}/console/callback`
  const query = new URLSearchParams({
    client_id: 'console',
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid',
    resource: `${server.authUrl}/manage/`,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const { searchParams } = await administrator.completeFlow(`${server.authUrl}/authorize?${query}`)
  const { tokens } = await fetchTokens({
    client_id: 'console',
    grant_type: 'authorization_code',
    redirect_uri: redirectUri,
    code: searchParams.get('code') ?? '',
    code_verifier: verifier,
  })
  const management = managementApi({ authUrl: server.authUrl, token: async () => tokens.access_token })
  await management.call('applyWorkspaceFile', { input: { source, dryRun: false } })
}

test('addresses of a domain that nobody proved are refused, and work after its TXT record is found', async () => {
  const [address, domain] = ['lin@branch.example', 'branch.example']
  await applyAsAdministrator(makeDefinition('corp.example', domain))
  signInAs('lin', address)
  const context = await browser.newContext()
  context.setDefaultTimeout(stepMsMax)
  const page = await context.newPage()
  await page.goto(newRequest().url)
  await page.getByLabel('E-mail address').fill(address)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByLabel('Password', { exact: true }).waitFor()
  assert.equal(new URL(page.url()).origin, server.authUrl, 'nobody is led to the provider')
  await page.goto(newRequest().url)
  await page.getByRole('button', { name: 'Continue with Corp' }).click()
  await page.getByRole('button', { name: 'Sign in as Grace' }).click()
  await page.getByRole('alert').getByText('Nobody has proved yet').waitFor()
  await inspect(page, 'provider-domain-unproved')

  const params = { workspace: 'library', domain }
  const { domains } = await server.call('getIdentityProvider', { params })
  const record = domains.find(row => row.domain === domain)?.record ?? ''
  dns.answers.set(domain, ['v=spf1 -all', record])
  assert.equal((await server.call('checkProviderDomain', { params })).proof, 'dns')
  await context.clearCookies()
  const request = newRequest()
  await page.goto(request.url)
  await signInThere(page, address)
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  assert.equal(await queryStatus(await request.exchange(page)), 200)
  signInAs('grace', email)
  await context.close()
})

test('an administrator tests the sign-in: the pages are accessible, and nobody gets an account', async () => {
  const context = await browser.newContext()
  context.setDefaultTimeout(stepMsMax)
  const page = await context.newPage()
  const open = () => page.goto(`${server.authUrl}/provider/library/test`)
  await open()
  await page.getByLabel('E-mail address').fill(adminEmail)
  await page.getByLabel('Password', { exact: true }).fill(adminPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Test the sign-in' }).waitFor()
  await inspect(page, 'provider-test')
  signInAs('kim', 'kim@corp.example')
  const visitProvider = async (result: string, name: string) => {
    await context.clearCookies({ domain: 'localhost' })
    await open()
    await page.getByRole('button', { name: 'Continue to the provider' }).click()
    await page.getByRole('button', { name: 'Sign in as Grace' }).click()
    await page.getByRole('heading', { name: result }).waitFor()
    await inspect(page, name)
  }
  await visitProvider('This person would be signed in', 'provider-test-accepted')
  await page.getByText('The first sign-in creates an account with this address.').waitFor()
  claims.groups = []
  await visitProvider('This person would not be signed in', 'provider-test-refused')
  claims.groups = ['staff']
  const setSecret = (value: string) =>
    server.run(['provider', 'set-secret', 'library', '--secret-stdin'], { input: `${value}\n` })
  await setSecret(randomBytes(32).toString('base64url'))
  await visitProvider('The test failed', 'provider-test-failed')
  await page.getByText('invalid_client').waitFor()
  await setSecret(secret)
  assert.ok(!JSON.stringify(await server.run(['users', 'list'])).includes('kim@corp.example'))
  signInAs('grace', email)
  await context.close()
})

test('a move to PostgreSQL keeps who people are at the provider, and its refresh tokens', async () => {
  const { context, page, tokens } = await signInWithRefresh()
  const readIdentities = async () =>
    ((await server.run(['users', 'export', email])) as { user: object; identities: { subject: string }[] })
      .identities
  const [identityBefore, ...others] = await readIdentities()
  assert.deepEqual([identityBefore?.subject, others], ['grace', []])
  await moveToPostgres(server)
  assert.deepEqual(await readIdentities(), [identityBefore])
  const refreshed = await fetchTokens({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
  assert.equal(refreshed.status, 200)
  assert.equal(await queryStatus(refreshed.tokens.access_token), 200)
  // A changed address would be another person, if the identity were lost.
  claims.email = 'hopper@corp.example'
  await page.goto(newRequest({ prompt: 'login' }).url)
  await signInThere(page)
  await page.waitForURL(`${applicationUrl}?**`)
  claims.email = email
  const members = (await server.run(['members', 'list', 'library'])) as { fromProvider?: boolean }[]
  assert.equal(members.filter(({ fromProvider }) => fromProvider).length, 2, 'Grace and Lin')
  await context.close()
})
