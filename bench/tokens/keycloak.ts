/**
 * Keycloak, from Maven, on PostgreSQL, run by its `start` with http and a cache for one node. It needs `mvn`, Java 21 or newer, and
 * PostgreSQL. The distribution is prepared for PostgreSQL once and kept in the user's cache folder.
 */
import { join } from 'node:path'
import { serverCore, startPinned } from '#bench/http/pinned'
import type { Account } from '#bench/http/querent'
import { findJava } from '#bench/peers/java'
import { startPostgres } from '#bench/peers/postgres'
import { cachedFolder, freePort, run, send, untilAnswers } from '#bench/peers/start'
import { type Contender, newAccounts, tokenRequest } from './contender.ts'

const version = '26.7.3'
const javaLeast = 21
const realm = 'bench'
const lifetimeSeconds = 900
/** Accounts per token of the administrator, which is valid for a minute. */
const accountsAToken = 50
const roundSeconds = 4
const upMsMax = 300_000
/** The JVM compiles hot code in this time. */
const warmSeconds = 30

export const startKeycloak = async (clients: number): Promise<Contender> => {
  const java = await findJava('Keycloak', javaLeast)
  const environment = { ...process.env, JAVA: java, KC_DB: 'postgres', KC_CACHE: 'local' }
  const folder = await cachedFolder(`keycloak-${version}`, made => install(made, environment))
  const program = programIn(folder)
  await using disposables = new AsyncDisposableStack()
  const database = disposables.use(await startPostgres())
  const { host, pathname, username, password } = new URL(database.url)
  const port = await freePort()
  const [admin, ...accounts] = newAccounts(1 + clients)
  if (!admin) throw new Error('no administrator')
  const env = {
    ...environment,
    KC_DB_URL: `jdbc:postgresql://${host}${pathname}`,
    KC_DB_USERNAME: username,
    KC_DB_PASSWORD: password,
    KC_HTTP_ENABLED: 'true',
    KC_HTTP_HOST: '127.0.0.1',
    KC_HTTP_PORT: String(port),
    KC_HOSTNAME_STRICT: 'false',
    KC_BOOTSTRAP_ADMIN_CLIENT_ID: admin.clientId,
    KC_BOOTSTRAP_ADMIN_CLIENT_SECRET: admin.clientSecret,
  }
  const server = disposables.use(startPinned(serverCore, program, ['start', '--optimized'], { env }))
  const url = `http://127.0.0.1:${port}`
  await untilAnswers(`${url}/realms/master`, server, upMsMax)
  await makeRealm(url, admin, accounts)
  const running = disposables.move()
  const path = `/realms/${realm}/protocol/openid-connect`
  return {
    name: `Keycloak ${version}`,
    url,
    issuer: `${url}/realms/${realm}`,
    jwksUrl: `${url}${path}/certs`,
    requests: accounts.map(account => tokenRequest(`${path}/token`, account)),
    warmSeconds,
    roundSeconds,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

const programIn = (folder: string) => join(folder, `keycloak-${version}`, 'bin', 'kc.sh')

const install = async (folder: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const artifact = `-Dartifact=org.keycloak:keycloak-quarkus-dist:${version}:zip`
  await run('mvn', ['-q', '-B', 'dependency:unpack', artifact, `-DoutputDirectory=${folder}`], {
    cwd: folder,
  })
  await run(programIn(folder), ['build'], { env })
}

/**
 * Uses its admin API, because an import of the realm with all accounts is one transaction, whose time grows with the square of their
 * number.
 */
const makeRealm = async (url: string, admin: Account, accounts: readonly Account[]): Promise<void> => {
  await send(`${url}/admin/realms`, await adminToken(url, admin), describeRealm())
  for (let start = 0; start < accounts.length; start += accountsAToken) {
    const token = await adminToken(url, admin)
    for (const account of accounts.slice(start, start + accountsAToken))
      await send(`${url}/admin/realms/${realm}/clients`, token, makeClient(account))
  }
}

const adminToken = async (url: string, admin: Account): Promise<string> => {
  const { path, ...request } = tokenRequest('/realms/master/protocol/openid-connect/token', admin)
  const reply = await fetch(url + path, request)
  if (!reply.ok) throw new Error(`${url + path} answered ${reply.status}: ${await reply.text()}`)
  // The reply of RFC 6749, section 5.1.
  const { access_token } = (await reply.json()) as { access_token: string }
  return access_token
}

const describeRealm = () => ({
  realm,
  enabled: true,
  defaultSignatureAlgorithm: 'ES256',
  accessTokenLifespan: lifetimeSeconds,
})

const makeClient = ({ clientId, clientSecret }: Account) => ({
  clientId,
  secret: clientSecret,
  publicClient: false,
  serviceAccountsEnabled: true,
  standardFlowEnabled: false,
  directAccessGrantsEnabled: false,
  attributes: { 'access.token.signed.response.alg': 'ES256' },
})
