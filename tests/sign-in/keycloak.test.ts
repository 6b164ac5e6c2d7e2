/** Keycloak as a company's provider: a person signs in there, gets the role of a group, and signing out there ends the tokens here. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
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
const lawyer = 'ada@corp.example'
const password = 'correct horse battery staple'
const secret = randomBytes(32).toString('base64url')

let server: ServerProcess
let browser: Browser
let keycloak: Awaited<ReturnType<typeof startKeycloak>>
let application: Server
let applicationUrl: string
let clientId: string

/** A realm with one person, one group, and this server as a client. */
const describeRealm = (querent: string) => ({
  realm: 'corp',
  enabled: true,
  groups: [{ name: 'staff' }, { name: 'Legal-EU' }, { name: 'Press' }],
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
    {
      username: 'ada',
      email: lawyer,
      emailVerified: true,
      firstName: 'Ada',
      lastName: 'Lovelace',
      enabled: true,
      groups: ['/Legal-EU'],
      credentials: [{ type: 'password', value: password, temporary: false }],
    },
  ],
  clients: [
    {
      clientId: 'querent',
      secret,
      redirectUris: [`${querent}/provider/library/callback`, `${querent}/provider/news/callback`],
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
      KC_BOOTSTRAP_ADMIN_USERNAME: 'admin',
      KC_BOOTSTRAP_ADMIN_PASSWORD: password,
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
    /** Puts a person into a group, or takes them out. */
    changeGroup: (method: 'PUT' | 'DELETE', person: string, group: string) =>
      changeGroup(`http://127.0.0.1:${port}`, method, person, group),
    async stop() {
      // The script has started Java as a child of its own.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Uses Keycloak's own administration API. */
const changeGroup = async (origin: string, method: 'PUT' | 'DELETE', person: string, group: string) => {
  const token = await fetch(`${origin}/realms/master/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: 'admin-cli',
      grant_type: 'password',
      username: 'admin',
      password,
    }),
  })
  // RFC 6749, section 5.1.
  const { access_token } = (await token.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${access_token}` }
  const realm = `${origin}/admin/realms/corp`
  const findId = async (path: string) => {
    // A list of groups or users, each with an id.
    const [first] = (await (await fetch(`${realm}/${path}`, { headers })).json()) as { id: string }[]
    return first?.id ?? assert.fail(path)
  }
  const user = await findId(`users?email=${person}&exact=true`)
  const groupId = await findId(`groups?search=${group}&exact=true`)
  const reply = await fetch(`${realm}/users/${user}/groups/${groupId}`, { method, headers })
  assert.equal(reply.status, 204)
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

/** Signs in to an application through Keycloak in a new browser context, and exchanges the code. */
const signIn = async (application: string, person: string) => {
  const context = await browser.newContext()
  context.setDefaultTimeout(stepMsMax)
  const page = await context.newPage()
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: application,
    redirect_uri: applicationUrl,
    response_type: 'code',
    scope: 'openid email offline_access',
    audience: server.baseUrl,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  await page.goto(`${server.authUrl}/authorize?${query}`)
  await page.getByLabel('E-mail address').fill(person)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  // Keycloak fills in `login_hint`.
  await page.locator('#password').fill(password)
  await page.locator('#kc-login').click()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.waitForURL(`${applicationUrl}?**`)
  const fetchTokens = async (parameters: Record<string, string>) => {
    const reply = await fetch(`${server.authUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: application, ...parameters }),
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
  return { context, page, first, fetchTokens }
}

test('a person of Keycloak signs in, queries by a group, and is out after signing out there', async () => {
  const { context, page, first, fetchTokens } = await signIn(clientId, email)
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

test('from nothing to two groups of Keycloak, as docs/groups.md says', async () => {
  const text = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'groups.md'), 'utf8')
  const blocks = [...text.matchAll(/^```(yaml|ndjson)\n([\s\S]*?)^```$/gm)]
  const findBlock = (language: string, start: string) =>
    blocks.find(([, name, code]) => name === language && code?.startsWith(start))?.[2] ?? assert.fail(start)
  const news = findBlock('yaml', 'workspace: news')
  const provider = findBlock('yaml', 'identityProvider:').replace(
    'https://login.corp.example',
    keycloak.issuer,
  )
  const path = join(server.data, '..', 'news.yaml')
  await writeFile(path, news)
  await server.run(['apply', path])
  await server.run(['import', 'news', 'articles', '-'], { input: findBlock('ndjson', '{"id":"1"') })
  await writeFile(path, `${news}${provider}`)
  await server.run(['apply', path])
  await server.run(['provider', 'set-secret', 'news', '--secret-stdin'], { input: `${secret}\n` })
  const { clientId: finder } = await server.call('createApplication', {
    params: { workspace: 'news' },
    input: { name: 'News finder', type: 'browser', redirectUris: [applicationUrl] },
  })
  const { context, first, fetchTokens } = await signIn(finder, lawyer)
  let tokens = first
  const refresh = async () => {
    tokens = await fetchTokens({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
  }
  const findTitles = async () => {
    const reply = await fetch(`${server.baseUrl}/4/news/api/news/e/everything/results`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    // The contract's results.
    const { items } = (await reply.json()) as { items: { tuple: [{ attributes: { title: string } }] }[] }
    return items.map(({ tuple }) => tuple[0].attributes.title).toSorted()
  }
  assert.deepEqual(await findTitles(), ['The merger'])
  await keycloak.changeGroup('PUT', lawyer, 'Press')
  await refresh()
  assert.deepEqual(await findTitles(), ['The merger', 'The new office'])
  await keycloak.changeGroup('DELETE', lawyer, 'Legal-EU')
  await refresh()
  assert.deepEqual(await findTitles(), ['The new office'])
  await keycloak.changeGroup('DELETE', lawyer, 'Press')
  await refresh()
  assert.deepEqual(await findTitles(), ['Opening hours'])
  const { items } = await server.call('listGroupMembers', { params: { workspace: 'news', group: 'press' } })
  assert.equal(
    items.some(member => member.email === lawyer),
    false,
  )
  await context.close()
})
