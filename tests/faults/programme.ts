/** Starts a service and its load, does things to it, and tells what came of them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startOpenSearchCluster, startTestOpenSearch } from '#bench/peers/opensearch'
import { freshDatabase, startCluster } from '#server/storage/test-postgres'
import { type Nodes, startNodes } from '#tests/nodes'
import { makeMember, type Person } from '#tests/person'
import { consoleToken } from '#tests/query-sign-in'
import { fetchToken } from '#tests/started-server'
import { startTcpProxy, type TcpProxy } from '#tests/tcp-proxy'
import {
  type Credentials,
  collection,
  type Load,
  type Observed,
  startLoad,
  workspace,
  workspaceFile,
} from './load.ts'
import type { Ground, Scenario } from './scenarios.ts'

const staleSeconds = 5
const recoveryMsMax = 60_000

/** What came of one scenario. */
export interface Outcome extends Observed {
  scenario: string
  /** From when all was mended to when every kind of request had been answered well again. */
  recoveryMs: number
}

export interface Report {
  outcomes: Outcome[]
  acknowledged: number
  /** Acknowledged documents that are not there at the end. */
  lost: string[]
  removals: number
  /** Requests of those who were removed, answered though they were sent later than `--stale-seconds` after. */
  lateYeses: number
}

const account = async (nodes: Nodes, name: string, role: string): Promise<Credentials> =>
  // The reply of `s2s create`, as the contract has it.
  (await nodes.run(['s2s', 'create', workspace, name, '--role', role])) as Credentials

const proxyTo = (url: string): Promise<TcpProxy> => {
  const { hostname, port } = new URL(url)
  return startTcpProxy({ host: hostname, port: Number(port) })
}

/** `searchNodes`: 3, or 1 for what kills none of them. */
export const runProgramme = async (
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
    storage: storageProxy.through(storage),
    engine: urls.map((url, at) => engineProxies[at]?.through(url) ?? url).join(','),
    flags: ['--stale-seconds', String(staleSeconds), '--engine-replicas', search ? '1' : '0'],
    readyPath: '/readyz',
  })
  stack.defer(() => nodes.stop())
  const clockFile = join(folder, 'clock')
  const clock = pathToFileURL(join(import.meta.dirname, 'clock.ts')).href
  const settable = { NODE_OPTIONS: `--import=${clock}`, QUERENT_TEST_CLOCK: clockFile }
  const [first] = nodes.nodes
  if (!first) throw new Error('no node')
  const ground: Ground = {
    nodes,
    authorization: [first, await nodes.add({ only: 'authorization' })],
    query: [await nodes.add({ only: 'query', environment: settable }), await nodes.add({ only: 'query' })],
    postgres,
    storageProxy,
    engineProxies,
    search,
    clockFile,
  }
  await nodes.run(['apply', '-'], { input: workspaceFile })
  const api = await account(nodes, 'asks', 'api')
  const loader = await account(nodes, 'loads', 'data-provider')
  const reader = await makeMember(nodes, workspace, 'reader@example.org', 'user')
  const leaving: (Credentials & { token: string })[] = []
  for (let at = 0; at < scenarios.length; at++) {
    const made = await account(nodes, `leaves ${leaving.length}`, 'api')
    leaving.push({ ...made, token: await fetchToken(nodes, made) })
  }

  const load = startLoad(nodes, api, loader)
  try {
    await load.untilAllWell(recoveryMsMax)
    const outcomes: Outcome[] = []
    for (const [at, scenario] of scenarios.entries()) {
      const one = leaving[at]
      outcomes.push(await runOne(scenario, ground, load, one))
      say(JSON.stringify(outcomes.at(-1)))
    }
    await load.stop()
    const lost = await missing(nodes, reader, load)
    return {
      outcomes,
      acknowledged: load.acknowledged().size,
      lost,
      removals: load.removals(),
      lateYeses: load.lateYeses(),
    }
  } finally {
    await load.stop()
  }
}

const runOne = async (
  scenario: Scenario,
  ground: Ground,
  load: Load,
  leaving: (Credentials & { token: string }) | undefined,
): Promise<Outcome> => {
  load.begin()
  if (leaving) {
    const management = await ground.nodes.management()
    const params = { workspace, clientId: leaving.clientId }
    const remove = () => management.call('removeSystemToSystem', { params })
    // Removed in the moment before: the word of it is still on its way to nodes that are cut off.
    await load.remove({ ...leaving, remove }, staleSeconds * 1000)
  }
  await scenario.run(ground)
  const mendedAt = performance.now()
  await load.untilAllWell(recoveryMsMax)
  const recoveryMs = performance.now() - mendedAt
  return { scenario: scenario.name, ...load.observed(), recoveryMs }
}

/** Acknowledged documents that a listing does not have. */
const missing = async (nodes: Nodes, reader: Person, load: Load): Promise<string[]> => {
  const token = await consoleToken(nodes, reader, nodes.baseUrl)
  const there = new Set<string>()
  for (let after: string | null = ''; after !== null; ) {
    const page = `count=1000${after && `&after=${encodeURIComponent(after)}`}`
    const reply = await fetch(`${nodes.baseUrl}/4/${workspace}/collections/${collection}/documents?${page}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    if (reply.status !== 200) throw new Error(`${reply.status} ${await reply.text()}`)
    // The contract's reply to a listing.
    const { items, next } = (await reply.json()) as { items: { id: string }[]; next: string | null }
    for (const { id } of items) there.add(id)
    after = next
  }
  return [...load.acknowledged()].filter(id => !there.has(id))
}
