/**
 * Keycloak, from Maven, on PostgreSQL; as its `start` runs it, but with http and a cache for one node. It needs `mvn`, a Java of 21 or
 * newer, and PostgreSQL. The distribution, made ready for PostgreSQL once, is kept in the user's cache folder.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverCore, startPinned } from '#bench/http/pinned'
import type { Account } from '#bench/http/querent'
import { findJava } from '#bench/peers/java'
import { startPostgres } from '#bench/peers/postgres'
import { cachedFolder, freePort, run, untilAnswers } from '#bench/peers/start'
import { type Contender, newAccounts, tokenRequest } from './contender.ts'

const version = '26.7.3'
const javaLeast = 21
const realm = 'bench'
const lifetimeSeconds = 900
const upMsMax = 300_000
/** What the JVM compiles in this time is what it runs with. */
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
  const env = {
    ...environment,
    KC_DB_URL: `jdbc:postgresql://${host}${pathname}`,
    KC_DB_USERNAME: username,
    KC_DB_PASSWORD: password,
    KC_HTTP_ENABLED: 'true',
    KC_HTTP_HOST: '127.0.0.1',
    KC_HTTP_PORT: String(port),
    KC_HOSTNAME_STRICT: 'false',
  }
  const accounts = newAccounts(clients)
  await importRealm(program, accounts, env)
  const server = disposables.use(startPinned(serverCore, program, ['start', '--optimized'], { env }))
  const url = `http://127.0.0.1:${port}`
  const issuer = `${url}/realms/${realm}`
  await untilAnswers(issuer, server, upMsMax)
  const running = disposables.move()
  const path = `/realms/${realm}/protocol/openid-connect`
  return {
    name: `Keycloak ${version}`,
    url,
    issuer,
    jwksUrl: `${url}${path}/certs`,
    requests: accounts.map(account => tokenRequest(`${path}/token`, account)),
    warmSeconds,
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

const importRealm = async (program: string, accounts: readonly Account[], env: NodeJS.ProcessEnv) => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-bench-keycloak-'))
  try {
    const file = join(folder, 'realm.json')
    await writeFile(file, JSON.stringify(realmOf(accounts)))
    await run(program, ['import', '--optimized', '--file', file], { env })
  } finally {
    await rm(folder, { recursive: true })
  }
}

const realmOf = (accounts: readonly Account[]) => ({
  realm,
  enabled: true,
  defaultSignatureAlgorithm: 'ES256',
  accessTokenLifespan: lifetimeSeconds,
  clients: accounts.map(({ clientId, clientSecret }) => ({
    clientId,
    secret: clientSecret,
    publicClient: false,
    serviceAccountsEnabled: true,
    standardFlowEnabled: false,
    directAccessGrantsEnabled: false,
    attributes: { 'access.token.signed.response.alg': 'ES256' },
  })),
})
