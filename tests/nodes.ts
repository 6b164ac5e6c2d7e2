/**
 * Several nodes of one service for black-box tests: real processes that share PostgreSQL and OpenSearch, a balancer before each of the two
 * origins, and, where asked for, a TCP proxy between one node and what it uses.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientCredentials, type Management, managementApi, managementAudience } from '@querent/client'
import { type OpenSearch, startTestOpenSearch } from '#bench/peers/opensearch'
import { freePort } from '#bench/peers/start'
import { freshDatabase } from '#server/storage/test-postgres'
import { type Balancer, startBalancer } from './balancer.ts'
import { faultsIn, launcher, querent, type Ran, ready } from './started-server.ts'

export interface NodeSettings {
  /** Both servers without it. */
  only?: 'query' | 'authorization'
  /** Where this node finds PostgreSQL: through a proxy, say. Default: as all. */
  storage?: string
  /** The same for OpenSearch. */
  engine?: string
  /** Besides those of all. */
  flags?: readonly string[]
  environment?: Readonly<Record<string, string>>
}

/** A process of `querent serve`. */
export interface Node {
  settings: NodeSettings
  /** Its own addresses, past the balancer; undefined: it has no such server. */
  queryUrl: string | undefined
  authUrl: string | undefined
  data: string
  pid(): number
  /** What it has written since it started last, on standard output and standard error. */
  log(): string
  isRunning(): boolean
  /** Ends it without warning. */
  kill(): Promise<void>
  /** Ends it as an operator would. */
  shutDown(): Promise<void>
  /** Any signal: SIGSTOP, SIGCONT. */
  signal(name: NodeJS.Signals): void
  /** Starts it again on its data folder and ports; resolves when it is ready. */
  start(): Promise<void>
}

export interface Nodes {
  /** Of the balancers: the service's public addresses. */
  baseUrl: string
  authUrl: string
  queryBalancer: Balancer
  authBalancer: Balancer
  /** All that were ever started, in their order. */
  nodes: readonly Node[]
  storage: string
  engine: string | undefined
  password: string
  /** Starts one more; resolves when it is ready and the balancers know it. */
  add(settings?: NodeSettings): Promise<Node>
  /** A node that is expected to end by itself: what it said, and its exit code. */
  attempt(settings?: NodeSettings): Promise<Ran>
  /** Runs a command as the operator, with `--json`, by the first authorization node that runs; returns its value. Throws when it fails. */
  run(args: readonly string[], options?: { input?: string | Uint8Array }): Promise<unknown>
  /** The management API as the operator, through the balancer. */
  management(): Promise<Management>
  /** Ends all processes and deletes their data. */
  stop(): Promise<void>
}

export interface NodesSettings {
  /** Started at the same time. */
  nodes: readonly NodeSettings[]
  /** Connection string; default: a new database of the tests' PostgreSQL. */
  storage?: string
  /**
   * `opensearch`: one that is started for these nodes, and ends with them. Or addresses of OpenSearch's nodes, separated by commas. Default:
   * the embedded engine, for one node alone.
   */
  engine?: string
  /** Of `querent serve`, for all nodes. */
  flags?: readonly string[]
  /** Balancers send only to nodes that answer this with 200. Default: to all. */
  readyPath?: string
}

const password = 'correct horse battery staple'

/** Makes the storage with its first operator (ada@example.org), then starts the nodes. */
export const startNodes = async (of: NodesSettings): Promise<Nodes> => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-nodes-'))
  const key = randomBytes(32).toString('base64')
  const prefix = `nodes-${randomBytes(4).toString('hex')}-`
  const balanced = of.readyPath === undefined ? {} : { readyPath: of.readyPath }
  const [storage, queryBalancer, authBalancer] = await Promise.all([
    of.storage ?? freshDatabase(),
    startBalancer(balanced),
    startBalancer(balanced),
  ])
  const [baseUrl, authUrl] = [queryBalancer.url, authBalancer.url]
  const nodes: Node[] = []
  let openSearch: OpenSearch | undefined
  let engineOfAll = of.engine

  const flagsOf = ({ only, engine = engineOfAll, flags = [] }: NodeSettings) => [
    ...(only === undefined ? [] : ['--only', only]),
    ...(engine === undefined ? [] : ['--engine', engine, '--engine-prefix', prefix]),
    ...['--base-url', baseUrl, '--auth-url', authUrl, '--trusted-proxy', '127.0.0.1'],
    ...(of.flags ?? []),
    ...flags,
  ]
  // A connection string holds a password: like an operator's, it goes through the environment.
  const environmentOf = (settings: NodeSettings) => ({
    QUERENT_KEY: key,
    QUERENT_STORAGE: settings.storage ?? storage,
    ...settings.environment,
  })
  const newFolder = () => mkdtemp(join(folder, 'node-'))

  let added = 0
  const add = async (settings: NodeSettings = {}): Promise<Node> => {
    const at = added++
    const [data, port, authPort] = await Promise.all([newFolder(), freePort(), freePort()])
    let child: ChildProcess
    let written: Buffer[] = []
    const isRunning = () => child.exitCode === null && child.signalCode === null
    const end = (signal: NodeJS.Signals) =>
      new Promise<void>(resolve => {
        if (!isRunning()) return resolve()
        // Not at `exit`: what it has written comes after that.
        child.once('close', () => resolve())
        child.kill(signal)
        // One that was stopped does not hear SIGTERM.
        child.kill('SIGCONT')
      })
    const start = async () => {
      const ports = ['--port', String(port), '--auth-port', String(authPort)]
      child = spawn(launcher, ['serve', '--data', data, '--json', ...ports, ...flagsOf(settings)], {
        env: { ...process.env, ...environmentOf(settings) },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      written = []
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => written.push(chunk))
      await ready(child)
    }
    const node: Node = {
      settings,
      queryUrl: settings.only === 'authorization' ? undefined : `http://127.0.0.1:${port}`,
      authUrl: settings.only === 'query' ? undefined : `http://127.0.0.1:${authPort}`,
      data,
      pid: () => child.pid ?? Number.NaN,
      log: () => Buffer.concat(written).toString(),
      isRunning,
      kill: () => end('SIGKILL'),
      shutDown: () => end('SIGTERM'),
      signal: name => void child.kill(name),
      start,
    }
    nodes[at] = node
    // Before it starts: it waits until its public addresses answer.
    if (node.queryUrl !== undefined) queryBalancer.targets.push(node.queryUrl)
    if (node.authUrl !== undefined) authBalancer.targets.push(node.authUrl)
    await start()
    return node
  }

  const stop = async () => {
    await Promise.all(nodes.map(node => node.shutDown()))
    await queryBalancer[Symbol.asyncDispose]()
    await authBalancer[Symbol.asyncDispose]()
    await openSearch?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  }
  const makeStorage = async () => {
    const made = await querent(
      ['init', '--data', join(folder, 'made'), '--admin', 'ada@example.org', '--password-stdin'],
      { input: `${password}\n`, env: environmentOf({}) },
    )
    if (made.code !== 0) throw new Error(`querent init failed: ${made.stderr}`)
  }
  const makeEngine = async () => {
    if (of.engine !== 'opensearch') return
    openSearch = await startTestOpenSearch()
    engineOfAll = openSearch.url
  }

  try {
    await Promise.all([makeStorage(), makeEngine()])
    await Promise.all(of.nodes.map(add))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    baseUrl,
    authUrl,
    queryBalancer,
    authBalancer,
    nodes,
    storage,
    engine: engineOfAll,
    password,
    add,
    attempt: async (settings = {}) =>
      querent(
        ['serve', '--data', await newFolder(), '--port', '0', '--auth-port', '0', ...flagsOf(settings)],
        { env: environmentOf(settings) },
      ),
    async run(args, options) {
      const node = nodes.find(each => each.authUrl !== undefined && each.isRunning())
      if (!node) throw new Error('no authorization node runs')
      const ran = await querent([...args, '--data', node.data, '--json'], options)
      if (ran.code !== 0)
        throw new Error(
          `querent ${args.join(' ')} ended with ${ran.code}: ${ran.stderr}${ran.stdout}${nodes.map(each => faultsIn(each.log())).join('')}`,
        )
      return ran.stdout === '' ? undefined : JSON.parse(ran.stdout)
    },
    async management() {
      const node = nodes.find(each => each.authUrl !== undefined && each.isRunning())
      // Written by the server.
      const { clientId, clientSecret } = JSON.parse(
        await readFile(join(node?.data ?? folder, 'operator.json'), 'utf8'),
      ) as { clientId: string; clientSecret: string }
      const audience = managementAudience(authUrl)
      return managementApi({
        authUrl,
        token: clientCredentials({ authUrl, clientId, clientSecret, audience }),
      })
    },
    stop,
  }
}
