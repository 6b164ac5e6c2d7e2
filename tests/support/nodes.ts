/**
 * Several nodes of one service for black-box tests: real processes that share PostgreSQL and OpenSearch, a balancer in front of each
 * origin, and, if requested, a TCP proxy between a node and its backends.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientCredentials, managementAudience } from '@querent/client'
import { type Management, managementApi } from '@querent/client/manage'
import { type OpenSearch, startTestOpenSearch } from '#bench/peers/opensearch'
import { freePort } from '#bench/peers/start'
import { freshDatabase } from '#server/storage/test-postgres'
import { type Balancer, startBalancer } from './balancer.ts'
import { type CommandResult, launcher, runQuerent } from './command-line.ts'
import { connectOperator, type Operator, readCredential } from './operator.ts'
import { findErrorLines, waitUntilReady } from './started-server.ts'

export interface NodeSettings {
  /** Without it, the node runs both servers. */
  only?: 'query' | 'authorization'
  /** Connection string of this node's PostgreSQL, for example of a proxy. Default: the same as all. */
  storage?: string
  /** The same for OpenSearch. */
  engine?: string
  /** Flags in addition to those of all nodes. */
  flags?: readonly string[]
  environment?: Readonly<Record<string, string>>
}

/** A process of `querent serve`. */
export interface Node {
  settings: NodeSettings
  /** Its own addresses, past the balancer; undefined if it does not run that server. */
  queryUrl: string | undefined
  authUrl: string | undefined
  data: string
  pid(): number
  /** Its output on standard output and standard error since its latest start. */
  log(): string
  isRunning(): boolean
  /** Kills it without warning. */
  kill(): Promise<void>
  /** Stops it as an operator would. */
  shutDown(): Promise<void>
  /** Sends a signal, such as SIGSTOP or SIGCONT. */
  signal(name: NodeJS.Signals): void
  /** Starts it again on its data folder and ports. Resolves when it is ready. */
  start(): Promise<void>
}

/** Calls of the operator go through the balancer. */
export interface Nodes extends Operator {
  /** Public addresses of the service, at the balancers. */
  baseUrl: string
  authUrl: string
  queryBalancer: Balancer
  authBalancer: Balancer
  /** All nodes that were ever started, in their order. */
  nodes: readonly Node[]
  storage: string
  engine: string | undefined
  password: string
  /** Starts another node. Resolves when it is ready and the balancers use it. */
  add(settings?: NodeSettings): Promise<Node>
  /** Starts a node that is expected to exit by itself. Returns its output and exit code. */
  attemptStart(settings?: NodeSettings): Promise<CommandResult>
  /** Runs a command as the operator, with `--json`, on the first running authorization node. Returns its value. Throws if it fails. */
  run(args: readonly string[], options?: { input?: string | Uint8Array }): Promise<unknown>
  /** The management API with the credential of one node, through the balancer. */
  management(): Promise<Management>
  /** Ends all processes and deletes their data. */
  stop(): Promise<void>
}

export interface ServiceSettings {
  /** Started at the same time. */
  nodes: readonly NodeSettings[]
  /** Connection string. Default: a new database of the tests' PostgreSQL. */
  storage?: string
  /**
   * `opensearch` starts one for these nodes only. Otherwise, addresses of OpenSearch nodes, separated by commas. Default: the embedded
   * engine, for a single node.
   */
  engine?: string
  /** Flags of `querent serve` for all nodes. */
  flags?: readonly string[]
  /** Balancers send requests only to nodes that reply to this path with 200. Default: to all. */
  readyPath?: string
}

const password = 'correct horse battery staple'

/** Creates the storage with its first operator (ada@example.org), then starts the nodes. */
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
  // A connection string holds a password, so it goes through the environment as it does for operators.
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
        // Not at `exit`, because output may arrive after it.
        child.once('close', () => resolve())
        child.kill(signal)
        // A stopped process (SIGSTOP) does not react to SIGTERM.
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
    // Register it before it starts, because it waits until its public addresses answer.
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

  const findAuthorizationNode = (): Node => {
    const node = nodes.find(candidate => candidate.authUrl !== undefined && candidate.isRunning())
    if (!node) throw new Error('no authorization node runs')
    return node
  }
  /** Each node has a credential of its own, which goes when the node stops. */
  const connect = () => connectOperator({ data: findAuthorizationNode().data, baseUrl, authUrl })

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
      const node = findAuthorizationNode()
      const result = await runQuerent([...args, '--data', node.data, '--json'], options)
      if (result.code !== 0)
        throw new Error(
          `querent ${args.join(' ')} ended with ${result.code}: ${result.stderr}${result.stdout}${nodes.map(candidate => findErrorLines(candidate.log())).join('')}`,
        )
      return result.stdout === '' ? undefined : JSON.parse(result.stdout)
    },
    async management() {
      const { clientId, clientSecret } = await readCredential(findAuthorizationNode().data)
      const audience = managementAudience(authUrl)
      return managementApi({
        authUrl,
        token: clientCredentials({ authUrl, clientId, clientSecret, audience }),
      })
    },
    call: (id, parts) => connect().call(id, parts),
    applyWorkspace: source => connect().applyWorkspace(source),
    exportWorkspace: workspace => connect().exportWorkspace(workspace),
    applyFile: path => connect().applyFile(path),
    importDocuments: (...args) => connect().importDocuments(...args),
    createAccount: (...args) => connect().createAccount(...args),
    stop,
  }
}
