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
import { type CommandResult, findErrorLines, launcher, runQuerent, waitUntilReady } from './started-server.ts'

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
  attemptStart(settings?: NodeSettings): Promise<CommandResult>
  /** Runs a command as the operator, with `--json`, by the first authorization node that runs; returns its value. Throws when it fails. */
  run(args: readonly string[], options?: { input?: string | Uint8Array }): Promise<unknown>
  /** The management API as the operator, through the balancer. */
  management(): Promise<Management>
  /** Ends all processes and deletes their data. */
  stop(): Promise<void>
}

export interface ServiceSettings {
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
export const startNodes = async (serviceSettings: ServiceSettings): Promise<Nodes> => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-nodes-'))
  const key = randomBytes(32).toString('base64')
  const prefix = `nodes-${randomBytes(4).toString('hex')}-`
  const balancerSettings =
    serviceSettings.readyPath === undefined ? {} : { readyPath: serviceSettings.readyPath }
  const [storage, queryBalancer, authBalancer] = await Promise.all([
    serviceSettings.storage ?? freshDatabase(),
    startBalancer(balancerSettings),
    startBalancer(balancerSettings),
  ])
  const [baseUrl, authUrl] = [queryBalancer.url, authBalancer.url]
  const nodes: Node[] = []
  let openSearch: OpenSearch | undefined
  let sharedEngine = serviceSettings.engine

  const makeFlags = ({ only, engine = sharedEngine, flags = [] }: NodeSettings) => [
    ...(only === undefined ? [] : ['--only', only]),
    ...(engine === undefined ? [] : ['--engine', engine, '--engine-prefix', prefix]),
    ...['--base-url', baseUrl, '--auth-url', authUrl, '--trusted-proxy', '127.0.0.1'],
    ...(serviceSettings.flags ?? []),
    ...flags,
  ]
  // A connection string holds a password: like an operator's, it goes through the environment.
  const makeEnvironment = (settings: NodeSettings) => ({
    QUERENT_KEY: key,
    QUERENT_STORAGE: settings.storage ?? storage,
    ...settings.environment,
  })
  const newFolder = () => mkdtemp(join(folder, 'node-'))

  let nodeCount = 0
  const add = async (settings: NodeSettings = {}): Promise<Node> => {
    const index = nodeCount++
    const [data, port, authPort] = await Promise.all([newFolder(), freePort(), freePort()])
    let child: ChildProcess
    let outputChunks: Buffer[] = []
    const isRunning = () => child.exitCode === null && child.signalCode === null
    const terminate = (signal: NodeJS.Signals) =>
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
      child = spawn(launcher, ['serve', '--data', data, '--json', ...ports, ...makeFlags(settings)], {
        env: { ...process.env, ...makeEnvironment(settings) },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      outputChunks = []
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => outputChunks.push(chunk))
      await waitUntilReady(child)
    }
    const node: Node = {
      settings,
      queryUrl: settings.only === 'authorization' ? undefined : `http://127.0.0.1:${port}`,
      authUrl: settings.only === 'query' ? undefined : `http://127.0.0.1:${authPort}`,
      data,
      pid: () => child.pid ?? Number.NaN,
      log: () => Buffer.concat(outputChunks).toString(),
      isRunning,
      kill: () => terminate('SIGKILL'),
      shutDown: () => terminate('SIGTERM'),
      signal: name => void child.kill(name),
      start,
    }
    nodes[index] = node
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
    const initResult = await runQuerent(
      ['init', '--data', join(folder, 'made'), '--admin', 'ada@example.org', '--password-stdin'],
      { input: `${password}\n`, env: makeEnvironment({}) },
    )
    if (initResult.code !== 0) throw new Error(`querent init failed: ${initResult.stderr}`)
  }
  const makeEngine = async () => {
    if (serviceSettings.engine !== 'opensearch') return
    openSearch = await startTestOpenSearch()
    sharedEngine = openSearch.url
  }

  try {
    await Promise.all([makeStorage(), makeEngine()])
    await Promise.all(serviceSettings.nodes.map(add))
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
    engine: sharedEngine,
    password,
    add,
    attemptStart: async (settings = {}) =>
      runQuerent(
        ['serve', '--data', await newFolder(), '--port', '0', '--auth-port', '0', ...makeFlags(settings)],
        { env: makeEnvironment(settings) },
      ),
    async run(args, options) {
      const node = nodes.find(each => each.authUrl !== undefined && each.isRunning())
      if (!node) throw new Error('no authorization node runs')
      const result = await runQuerent([...args, '--data', node.data, '--json'], options)
      if (result.code !== 0)
        throw new Error(
          `querent ${args.join(' ')} ended with ${result.code}: ${result.stderr}${result.stdout}${nodes.map(each => findErrorLines(each.log())).join('')}`,
        )
      return result.stdout === '' ? undefined : JSON.parse(result.stdout)
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
