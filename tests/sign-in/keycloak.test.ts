/** Keycloak as a company's provider: a person signs in there, gets the role of a group, and signing out there ends the tokens here. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { findJava } from '#bench/peers/java'
import { cachedFolder, freePort, run } from '#bench/peers/start'
import { commandMsMax, waitUntil } from '#server/test-wait'
import { openChromium, stepMsMax } from '#tests/support/chromium'
import { register } from '#tests/support/examples'
import { workspaceFile } from '#tests/support/library'
import { type ServerProcess, startServerProcess } from '#tests/support/started-server'

const version = '26.7.3'
const javaLeast = 21
const email = 'grace@corp.example'
const password = 'correct horse battery staple'
const secret = randomBytes(32).toString('base64url')

let server: ServerProcess
let browser: Browser
let keycloak: { issuer: string; stop(): Promise<void> }
let application: Server
let applicationUrl: string
let clientId: string

/** A realm with one person, one group, and this server as a client. */
const describeRealm = (querent: string) => ({
  realm: 'corp',
  enabled: true,
  groups: [{ name: 'staff' }],
  users: [
    {
      username: 'grace',
      email,
      emailVerified: true,
      firstName: 'Grace',
      lastName: 'Hopper',
      enabled: true,
      groups: ['/staff'],
      credentials: [{ type: 'password', value: password, temporary: false }],
    },
  ],
  clients: [
    {
      clientId: 'querent',
      secret,
      redirectUris: [`${querent}/provider/library/callback`],
      attributes: {
        'backchannel.logout.url': `${querent}/provider/library/backchannel-logout`,
        'backchannel.logout.session.required': 'true',
        'pkce.code.challenge.method': 'S256',
      },
      protocolMappers: [
        {
          name: 'groups',
          protocol: 'openid-connect',
          protocolMapper: 'oidc-group-membership-mapper',
          config: { 'claim.name': 'groups', 'full.path': 'false', 'id.token.claim': 'true' },
        },
      ],
    },
  ],
})

const startKeycloak = async (querent: string) => {
  const java = await findJava('Keycloak', javaLeast)
  const program = await cachedFolder(`keycloak-dist-${version}`, async making => {
    const artifact = `-Dartifact=org.keycloak:keycloak-quarkus-dist:${version}:zip`
    await run('mvn', ['-q', '-B', 'dependency:unpack', artifact, `-DoutputDirectory=${making}`], {
      cwd: making,
    })
  })
  // It writes into its own folder.
  const folder = await mkdtemp(join(tmpdir(), 'querent-keycloak-'))
  await cp(join(program, `keycloak-${version}`), folder, { recursive: true })
  await mkdir(join(folder, 'data', 'import'), { recursive: true })
  await writeFile(join(folder, 'data', 'import', 'corp.json'), JSON.stringify(describeRealm(querent)))
  const port = await freePort()
  const child = spawn(join(folder, 'bin', 'kc.sh'), ['start-dev', '--import-realm'], {
    env: {
      ...process.env,
      JAVA: java,
      KC_HTTP_HOST: '127.0.0.1',
      KC_HTTP_PORT: String(port),
      KC_CACHE: 'local',
    },
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      output += chunk
    })
  const exited = new Promise<void>(resolve => child.once('close', () => resolve()))
  // Cookies don't know ports, so it needs a name of its own.
  const issuer = `http://localhost:${port}/realms/corp`
  await waitUntil(
    () => {
      if (child.exitCode !== null) throw new Error(`Keycloak ended: ${output}`)
      return fetch(`http://127.0.0.1:${port}/realms/corp`).then(
        ({ ok }) => ok,
        () => false,
      )
    },
    () => `Keycloak started: ${output}`,
    commandMsMax,
  )
  return {
    issuer,
    async stop() {
      // The script has started Java as a child of its own.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

before(async () => {
  server = await startServerProcess()
  keycloak = await startKeycloak(server.authUrl)
  const definition = join(server.data, '..', 'workspace.yaml')
  await writeFile(
    definition,
    `${workspaceFile('library')}
identityProvider:
  issuer: ${keycloak.issuer}
  clientId: querent
  name: Corp
  domains: [corp.example]
  roles: { staff: [api] }
`,
  )
  await server.applyFile(definition)
  await server.run(['provider', 'set-secret', 'library', '--secret-stdin'], { input: `${secret}\n` })
  application = createServer((_request, response) => response.end('Finder'))
  await new Promise<void>(resolve => application.listen(0, '127.0.0.1', resolve))
  // A TCP server has an address of this form once it listens.
  applicationUrl = `http://127.0.0.1:${(application.address() as AddressInfo).port}/back`
  clientId = (await register(server, 'Finder', 'browser', applicationUrl)).clientId
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
  await keycloak?.stop()
  application?.close()
})

test('a person of Keycloak signs in, queries by a group, and is out after signing out there', async () => {
  const context = await browser.newContext()
  context.setDefaultTimeout(stepMsMax)
  const page = await context.newPage()
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: applicationUrl,
    response_type: 'code',
    scope: 'openid email offline_access',
    audience: server.baseUrl,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  await page.goto(`${server.authUrl}/authorize?${query}`)
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  // Keycloak fills in `login_hint`.
  await page.locator('#password').fill(password)
  await page.locator('#kc-login').click()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.waitForURL(`${applicationUrl}?**`)
  const fetchTokens = async (parameters: Record<string, string>) => {
    const reply = await fetch(`${server.authUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: clientId, ...parameters }),
    })
    // RFC 6749, section 5.1.
    return (await reply.json()) as { access_token: string; refresh_token: string; error?: string }
  }
  const first = await fetchTokens({
    grant_type: 'authorization_code',
    redirect_uri: applicationUrl,
    code: new URL(page.url()).searchParams.get('code') ?? '',
    code_verifier: verifier,
  })
  // Each asks Keycloak again.
  const second = await fetchTokens({ grant_type: 'refresh_token', refresh_token: first.refresh_token })
  const third = await fetchTokens({ grant_type: 'refresh_token', refresh_token: second.refresh_token })
  assert.doesNotMatch(server.log(), /OpenID provider (could not|refused|no longer)/)
  const { access_token: token } = third
  const queryStatus = async () => {
    const address = `${server.baseUrl}/4/library/api/library/e/all/results`
    return (await fetch(address, { headers: { authorization: `Bearer ${token}` } })).status
  }
  assert.equal(await queryStatus(), 200)
  await page.goto(`${keycloak.issuer}/protocol/openid-connect/logout`)
  await page.locator('#kc-logout').click()
  await page.getByText('You are logged out').first().waitFor()
  assert.equal(await queryStatus(), 401)
  const last = await fetchTokens({ grant_type: 'refresh_token', refresh_token: third.refresh_token })
  assert.equal(last.error, 'invalid_grant')
  await context.close()
})
