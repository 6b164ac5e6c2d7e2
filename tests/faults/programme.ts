/** Starts a service and its load, runs scenarios on it, and reports the results. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startOpenSearchCluster, startTestOpenSearch } from '#bench/peers/opensearch'
import { freshDatabase, startCluster } from '#server/storage/test-postgres'
import { type Nodes, startNodes } from '#tests/support/nodes'
import { makeMember, type Person } from '#tests/support/person'
import { consoleToken } from '#tests/support/query-sign-in'
import { fetchToken } from '#tests/support/started-server'
import { startTcpProxy, type TcpProxy } from '#tests/support/tcp-proxy'
import {
  type Credentials,
  collection,
  type Load,
  type PhaseResult,
  startLoad,
  workspace,
  workspaceFile,
} from './load.ts'
import type { FaultTargets, Scenario } from './scenarios.ts'

const staleSeconds = 5
const recoveryMsMax = 60_000

/** The result of one scenario. */
export interface Outcome extends PhaseResult {
  scenario: string
  /** Time from the repair until every kind of request succeeded again. */
  recoveryMs: number
}

export interface Report {
  outcomes: Outcome[]
  acknowledged: number
  /** Acknowledged documents that are missing at the end. */
  lost: string[]
  removals: number
  /** Requests of removed accounts that were answered although they were sent later than `--stale-seconds` after the removal. */
  lateGrants: number
}

const createAccount = async (nodes: Nodes, name: string, role: string): Promise<Credentials> =>
  // The contract's reply to `s2s create`.
  (await nodes.run(['s2s', 'create', workspace, name, '--role', role])) as Credentials

const proxyTo = (url: string): Promise<TcpProxy> => {
  const { hostname, port } = new URL(url)
  return startTcpProxy({ host: hostname, port: Number(port) })
}

/** `searchNodes` is 3, or 1 if no scenario kills a search node. */
export const runScenarios = async (
  scenarios: readonly Scenario[],
  { searchNodes, say }: { searchNodes: 1 | 3; say: (text: string) => void },
): Promise<Report> => {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'querent-faults-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const postgres = await startCluster()
  stack.defer(() => postgres.stop())
  const search = searchNodes === 1 ? undefined : stack.use(await startOpenSearchCluster(searchNodes))
  const urls = search ? search.urls : [stack.use(await startTestOpenSearch()).url]
  const storage = await freshDatabase(postgres)
  const storageProxy = stack.use(await proxyTo(storage))
  const engineProxies: TcpProxy[] = []
  for (const url of urls) engineProxies.push(stack.use(await proxyTo(url)))

  const nodes = await startNodes({
    nodes: [{ only: 'authorization' }],
    storage: storageProxy.rewriteUrl(storage),
    engine: urls.map((url, index) => engineProxies[index]?.rewriteUrl(url) ?? url).join(','),
    // All nodes lose PostgreSQL at once, so none could take over.
    flags: [
      '--stale-seconds',
      String(staleSeconds),
      '--when-cut-off',
      'serve',
      '--engine-replicas',
      search ? '1' : '0',
    ],
    readyPath: '/readyz',
  })
  stack.defer(() => nodes.stop())
  const clockFile = join(folder, 'clock')
  const clock = pathToFileURL(join(import.meta.dirname, 'clock.ts')).href
  const clockEnvironment = { NODE_OPTIONS: `--import=${clock}`, QUERENT_TEST_CLOCK: clockFile }
  const [first] = nodes.nodes
  if (!first) throw new Error('no node')
  const targets: FaultTargets = {
    nodes,
    authorization: [first, await nodes.add({ only: 'authorization' })],
    query: [
      await nodes.add({ only: 'query', environment: clockEnvironment }),
      await nodes.add({ only: 'query' }),
    ],
    postgres,
    storageProxy,
    engineProxies,
    search,
    clockFile,
  }
  await nodes.run(['apply', '-'], { input: workspaceFile })
  const api = await createAccount(nodes, 'asks', 'api')
  const loader = await createAccount(nodes, 'loads', 'data-provider')
  const reader = await makeMember(nodes, workspace, 'reader@example.org', 'user')
  const leaving: (Credentials & { token: string })[] = []
  for (let index = 0; index < scenarios.length; index++) {
    const credentials = await createAccount(nodes, `leaves ${leaving.length}`, 'api')
    leaving.push({ ...credentials, token: await fetchToken(nodes, credentials) })
  }

  const load = startLoad(nodes, api, loader)
  try {
    await load.waitUntilHealthy(recoveryMsMax)
    const outcomes: Outcome[] = []
    for (const [index, scenario] of scenarios.entries()) {
      const one = leaving[index]
      outcomes.push(await runScenario(scenario, targets, load, one))
      say(JSON.stringify(outcomes.at(-1)))
    }
    await load.stop()
    const lostIds = await findLostDocuments(nodes, reader, load)
    return {
      outcomes,
      acknowledged: load.acknowledged().size,
      lost: lostIds,
      removals: load.removals(),
      lateGrants: load.lateGrants(),
    }
  } finally {
    await load.stop()
  }
}

const runScenario = async (
  scenario: Scenario,
  targets: FaultTargets,
  load: Load,
  leaving: (Credentials & { token: string }) | undefined,
): Promise<Outcome> => {
  load.resetPhase()
  if (leaving) {
    const management = await targets.nodes.management()
    const params = { workspace, clientId: leaving.clientId }
    const remove = () => management.call('removeSystemToSystem', { params })
    // It was removed just before, so nodes that are cut off have not received the notification.
    await load.remove({ ...leaving, remove }, staleSeconds * 1000)
  }
  await scenario.run(targets)
  const repairedAt = performance.now()
  await load.waitUntilHealthy(recoveryMsMax)
  const recoveryMs = performance.now() - repairedAt
  return { scenario: scenario.name, ...load.phaseResult(), recoveryMs }
}

/** Acknowledged documents that a listing does not contain. */
const findLostDocuments = async (nodes: Nodes, reader: Person, load: Load): Promise<string[]> => {
  const token = await consoleToken(nodes, reader, nodes.baseUrl)
  const listedIds = new Set<string>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = `count=1000${cursor && `&after=${encodeURIComponent(cursor)}`}`
    const reply = await fetch(`${nodes.baseUrl}/4/${workspace}/collections/${collection}/documents?${page}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    if (reply.status !== 200) throw new Error(`${reply.status} ${await reply.text()}`)
    // The contract's reply to a listing.
    const { items, next } = (await reply.json()) as { items: { id: string }[]; next: string | null }
    for (const { id } of items) listedIds.add(id)
    cursor = next
  }
  return [...load.acknowledged()].filter(id => !listedIds.has(id))
}
