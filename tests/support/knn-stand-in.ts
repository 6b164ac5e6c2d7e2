/**
 * Stands in for OpenSearch's k-NN plugin, which is in no package registry: a proxy in front of an OpenSearch without it. It stores vectors
 * as keywords, and answers `knn` queries with a script that scores every vector by the documented formulas (docs.opensearch.org, "Spaces").
 * It rejects what the plugin rejects.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type Json = Record<string, unknown>

interface VectorColumn {
  dimension: number
  spaceType: string
}

export interface KnnStandIn extends AsyncDisposable {
  url: string
  /** The `filter` of each `knn` query. */
  filters: unknown[]
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

class Rejected extends Error {}

export async function startKnnStandIn(target: string): Promise<KnnStandIn> {
  /** By path of the vectors. The tests use one spec for each alias. */
  const columns = new Map<string, VectorColumn>()
  const filters: unknown[] = []
  const columnKey = (alias: string, path: string) => `${alias} ${path}`
  const check = (key: string, vector: unknown): VectorColumn => {
    const column = columns.get(key)
    if (!column) throw new Rejected(`no knn_vector ${key}`)
    if (!Array.isArray(vector) || vector.length !== column.dimension)
      throw new Rejected(`Vector dimension mismatch. Expected: ${column.dimension}`)
    if (column.spaceType === 'cosinesimil' && vector.every(number => number === 0))
      throw new Rejected('zero vector is not supported when space type is [cosinesimil]')
    return column
  }

  const rewriteIndex = (alias: string, body: Json): Json => {
    const { settings, mappings } = body as { settings: { index: Json }; mappings: { properties: Json } }
    const { knn, 'knn.derived_source.enabled': _, ...index } = settings.index
    const properties = Object.entries(mappings.properties).map(([name, mapping]) => {
      if (!isObject(mapping) || mapping.type !== 'nested') return [name, mapping]
      const { vector } = mapping.properties as {
        vector: { type: string; dimension: number; method: { space_type: string } }
      }
      if (vector.type !== 'knn_vector' || knn !== true) throw new Rejected('index.knn must be true')
      const column = { dimension: vector.dimension, spaceType: vector.method.space_type }
      columns.set(columnKey(alias, `${name}.vector`), column)
      return [name, { ...mapping, properties: { vector: { type: 'keyword' } } }]
    })
    return {
      ...body,
      settings: { ...settings, index },
      mappings: { ...mappings, properties: Object.fromEntries(properties) },
    }
  }
  const rewriteDocument = (alias: string, document: Json): Json =>
    Object.fromEntries(
      Object.entries(document).map(([name, value]) => {
        if (!/^vector\d+$/.test(name)) return [name, value]
        const vectors = (value as { vector: number[] }[]).map(({ vector }) => {
          check(columnKey(alias, `${name}.vector`), vector)
          return { vector: vector.map(Math.fround).join(' ') }
        })
        return [name, vectors]
      }),
    )
  const rewriteQuery = (alias: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(one => rewriteQuery(alias, one))
    if (!isObject(value)) return value
    const nested = value.nested as { path: string; query: { knn?: Json } } | undefined
    const knn = nested?.query.knn
    if (!knn)
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, rewriteQuery(alias, one)]))
    const [[path, query] = ['', {}]] = Object.entries(knn)
    const { vector, k, filter } = query as { vector: number[]; k: number; filter: unknown }
    const { spaceType } = check(columnKey(alias, path), vector)
    if (k < 1 || k > 10_000) throw new Rejected('[knn] requires k to be in the range (0, 10000]')
    filters.push(filter)
    const scored = {
      script_score: {
        query: { exists: { field: path } },
        script: { source: scoreSource, params: { path, vector, space: spaceType } },
      },
    }
    const must = [{ nested: { ...nested, query: scored } }]
    return { bool: { must, filter: [rewriteQuery(alias, filter)] } }
  }
  const rewriteLines = (body: string, rewrite: (alias: string, line: Json) => unknown): string => {
    let alias = ''
    let followsHeader = false
    return body
      .split('\n')
      .map(line => {
        if (line === '') return line
        const parsed = JSON.parse(line) as Json
        if (followsHeader) {
          followsHeader = false
          return JSON.stringify(rewrite(alias, parsed))
        }
        const header = (parsed.index ?? parsed.create ?? parsed.delete) as string | { _index: string }
        alias = readAlias(typeof header === 'string' ? header : header._index)
        followsHeader = !('delete' in parsed)
        return line
      })
      .join('\n')
  }
  const rewrite = (method: string, path: string, body: string): string => {
    if (body === '') return body
    const [index = '', operation = ''] = path.slice(1).split(/[/?]/)
    if (index === '_bulk') return rewriteLines(body, rewriteDocument)
    if (index === '_msearch') return rewriteLines(body, rewriteQuery)
    if (method === 'PUT' && operation === '')
      return JSON.stringify(rewriteIndex(readAlias(index), JSON.parse(body)))
    if (operation === '_search' || operation === '_delete_by_query')
      return JSON.stringify(rewriteQuery(readAlias(index), JSON.parse(body)))
    return body
  }

  const server = createServer(async (request, reply) => {
    const { method = 'GET', url = '/' } = request
    try {
      const body = rewrite(method, url, await text(request))
      const contentType = request.headers['content-type']
      const answer = await fetch(`${target}${url}`, {
        method,
        headers: contentType ? { 'content-type': contentType } : {},
        ...(body !== '' && { body }),
      })
      const replyText = method === 'HEAD' ? '' : await answer.text()
      const isPlugins = url.startsWith('/_nodes/plugins')
      reply
        .writeHead(answer.status, {
          'content-type': answer.headers.get('content-type') ?? 'application/json',
        })
        .end(isPlugins ? JSON.stringify(addPlugin(JSON.parse(replyText))) : replyText)
    } catch (error) {
      const type = error instanceof Rejected ? 'mapper_parsing_exception' : 'stand_in_failed'
      const reason = String(error)
      reply
        .writeHead(error instanceof Rejected ? 400 : 500, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { root_cause: [{ type, reason }], type, reason }, status: 400 }))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    filters,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The alias of an index of the engine, which adds a fingerprint to it. */
const readAlias = (index: string): string => index.replace(/\.[0-9a-f]+$/, '')

const addPlugin = ({ nodes }: { nodes: Record<string, Json> }) => ({
  nodes: Object.fromEntries(
    Object.entries(nodes).map(([id, node]) => [
      id,
      { ...node, plugins: [...((node.plugins as Json[]) ?? []), { name: 'opensearch-knn' }] },
    ]),
  ),
})

const scoreSource = `
  String[] numbers = doc[params.path].value.splitOnToken(' ');
  double product = 0; double own = 0; double other = 0;
  for (int at = 0; at < numbers.length; at++) {
    double a = Double.parseDouble(numbers[at]);
    double b = ((Number)params.vector[at]).doubleValue();
    product += a * b; own += a * a; other += b * b;
  }
  if (params.space == 'cosinesimil') { return Math.max(0, (1 + product / Math.sqrt(own * other)) / 2); }
  if (params.space == 'l2') { return 1 / (1 + Math.max(0.0, own + other - 2 * product)); }
  return product >= 0 ? 1 + product : 1 / (1 - product);`
