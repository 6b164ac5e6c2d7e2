/**
 * Ory Hydra, from its Go module, on PostgreSQL, with its defaults except that access tokens are JWTs signed with ES256. It needs `go` and
 * PostgreSQL. The first run builds it in some minutes and keeps it in the user's cache folder.
 */
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { serverCore, startPinned } from '#bench/http/pinned'
import type { Account } from '#bench/http/querent'
import { startPostgres } from '#bench/peers/postgres'
import { cachedFolder, freePort, run, send, untilAnswers } from '#bench/peers/start'
import { type Contender, newAccounts, tokenRequest } from './contender.ts'

const version = 'v2.3.0'
const module = 'github.com/ory/hydra/v2'
/** Its go.mod takes this module from a folder that the published module does not contain. */
const replaced = 'github.com/ory/hydra-client-go/v2'
/**
 * Each request takes a second connection while it holds one. With Hydra's default of two on one core, three concurrent requests deadlock.
 * So there are two for each of the 64 concurrent requests, and some spare.
 */
const connections = 150
const warmSeconds = 10
const roundSeconds = 4
const upMsMax = 120_000
/** The newest key of this set signs access tokens. */
const keySet = 'hydra.jwt.access-token'

export const startHydra = async (clients: number): Promise<Contender> => {
  const folder = await cachedFolder(`hydra-${version}`, build)
  const program = join(folder, 'hydra')
  await using disposables = new AsyncDisposableStack()
  const database = disposables.use(await startPostgres())
  const [port, adminPort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}`
  const adminUrl = `http://127.0.0.1:${adminPort}`
  const env = {
    ...process.env,
    DSN: `${database.url}?sslmode=disable&max_conns=${connections}`,
    SECRETS_SYSTEM: 'only for the bench, at least 16 letters',
    SERVE_PUBLIC_HOST: '127.0.0.1',
    SERVE_PUBLIC_PORT: String(port),
    SERVE_ADMIN_HOST: '127.0.0.1',
    SERVE_ADMIN_PORT: String(adminPort),
    URLS_SELF_ISSUER: url,
    STRATEGIES_ACCESS_TOKEN: 'jwt',
  }
  await run(program, ['migrate', 'sql', '--read-from-env', '--yes'], { env })
  // --dev allows http.
  const server = disposables.use(startPinned(serverCore, program, ['serve', 'all', '--dev'], { env }))
  await untilAnswers(`${adminUrl}/health/ready`, server, upMsMax)
  await send(`${adminUrl}/admin/keys/${keySet}`, undefined, { alg: 'ES256', use: 'sig', kid: 'bench' })
  const accounts = newAccounts(clients)
  for (const account of accounts) await send(`${adminUrl}/admin/clients`, undefined, makeMetadata(account))
  const running = disposables.move()
  return {
    name: `Ory Hydra ${version}`,
    url,
    issuer: url,
    jwksUrl: `${url}/.well-known/jwks.json`,
    requests: accounts.map(account => tokenRequest('/oauth2/token', account)),
    warmSeconds,
    roundSeconds,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

const build = async (folder: string): Promise<void> => {
  const moduleInfo = await run('go', ['mod', 'download', '-json', `${module}@${version}`], { cwd: folder })
  // The output that `go help mod download` documents.
  const { Dir } = JSON.parse(moduleInfo.stdout) as { Dir: string }
  const source = join(folder, 'source')
  await cp(Dir, source, { recursive: true })
  // Go keeps modules read-only.
  await run('chmod', ['-R', 'u+w', source])
  await run('go', ['mod', 'edit', `-dropreplace=${replaced}`], { cwd: source })
  await run('go', ['build', '-mod=mod', '-buildvcs=false', '-o', join(folder, 'hydra'), '.'], { cwd: source })
  await rm(source, { recursive: true })
}

const makeMetadata = ({ clientId, clientSecret }: Account) => ({
  client_id: clientId,
  client_secret: clientSecret,
  grant_types: ['client_credentials'],
  token_endpoint_auth_method: 'client_secret_post',
})
