import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import type { Endpoint } from '@querent/contract/endpoints'
import type { Definition } from '@querent/contract/workspace-file'
import { compileApi } from '#query/plan/compile'
import type { WorkspaceRow } from '#storage/workspaces'
import { type ApiDocument, createApiDocuments } from './api-documents.ts'

const service = { baseUrl: 'https://query.example', authUrl: 'https://auth.example' }
const workspace = (endpoints: Record<string, Endpoint>, version = 1): WorkspaceRow => {
  const definition: Definition = {
    workspace: 'large',
    collections: {
      docs: { fields: { text: { type: 'text' }, n: { type: 'number' }, k: { type: 'keyword' } } },
    },
    apis: { main: { endpoints } },
  }
  return { id: 'w', slug: 'large', title: 'Large', created_at: 0, version, definition } as WorkspaceRow
}
const repeatEndpoint = (count: number, write: (index: number) => Endpoint): Record<string, Endpoint> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`e${index}`, write(index)]))
const writeBody = async ({ write }: ApiDocument, encoding?: string) => (await write(encoding)).body

test('a document is written once for each version of a definition, and its tag before that', async () => {
  const documents = createApiDocuments(service)
  const row = workspace(repeatEndpoint(3, () => ({ kind: 'match', collection: 'docs' })))
  for (const kind of ['description', 'openApi'] as const) {
    // This API cannot be written, because its endpoint is no object. So the tag needs no document.
    const { tag } = documents[kind](
      row,
      {
        ...compileApi(row.definition, 'main'),
        endpoints: [null as never],
      },
      true,
    )
    const document = documents[kind](row, compileApi(row.definition, 'main'), true)
    assert.equal(document.tag, tag)
    const body = await writeBody(document)
    assert.equal(await writeBody(documents[kind](row, compileApi(row.definition, 'main'), true)), body)
    const compressed = await writeBody(document, 'br')
    assert.equal(await writeBody(document, 'br'), compressed)
    assert.deepEqual(brotliDecompressSync(compressed), body)
    const next = workspace({ other: { kind: 'all', collection: 'docs' } }, 2)
    const changed = documents[kind](next, compileApi(next.definition, 'main'), true)
    assert.notEqual(changed.tag, tag)
    assert.notDeepEqual(await writeBody(changed), body)
  }
})

test('the document of the largest API stays small and names all endpoints', async () => {
  const largest: Record<string, Record<string, Endpoint>> = {
    match: repeatEndpoint(1000, () => ({ kind: 'match', collection: 'docs' })),
    ranges: repeatEndpoint(1000, i => ({ kind: 'range', field: 'n', from: `from${i}`, to: `to${i}` })),
    facets: repeatEndpoint(1000, () => ({ kind: 'facet', field: 'k' })),
    mixes: {
      ...repeatEndpoint(20, i => ({ kind: 'match', collection: 'docs', parameter: `q${i}` })),
      ...Object.fromEntries(
        Array.from({ length: 980 }, (_, i) => [
          `m${i}`,
          {
            kind: 'mix' as const,
            of: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`e${n}`, 1])),
          },
        ]),
      ),
    },
  }
  const longNames = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [
      `range${i}`,
      { kind: 'range' as const, field: 'n', from: `${'f'.repeat(60)}${i}`, to: `${'t'.repeat(60)}${i}` },
    ]),
  )
  largest.longNames = {
    ...longNames,
    ...repeatEndpoint(200, () => ({
      kind: 'mix',
      of: Object.fromEntries(Object.keys(longNames).map(name => [name, 1])),
    })),
  }
  for (const [label, endpoints] of Object.entries(largest)) {
    const row = workspace(endpoints)
    const body = await writeBody(
      createApiDocuments(service).openApi(row, compileApi(row.definition, 'main'), true),
    )
    assert.ok(body.length < 2_000_000, `${label}: ${body.length}`)
    const { paths, components } = JSON.parse(String(body))
    for (const name of Object.keys(endpoints))
      assert.ok(components.parameters.EndpointParameter.schema.enum.includes(name))
    assert.ok(paths['/e/{endpoint}/p/{name}/{value}/results'])
  }
})

const readDocument = async (row: WorkspaceRow) => {
  const body = await writeBody(
    createApiDocuments(service).openApi(row, compileApi(row.definition, 'main'), true),
  )
  return { size: body.length, ...JSON.parse(String(body)) }
}

test('an API with up to 2,000 operations has a path per endpoint, and each shared parameter once', async () => {
  const endpoints = repeatEndpoint(250, () => ({ kind: 'match', collection: 'docs' }))
  const { size, paths, components } = await readDocument(workspace(endpoints))
  for (const name of Object.keys(endpoints)) assert.ok(paths[`/e/${name}/p/query/{query}/results`])
  const queryParameters = Object.values<{ name: string; in: string }>(components.parameters).filter(
    parameter => parameter.name === 'query' && parameter.in === 'path',
  )
  assert.equal(queryParameters.length, 1)
  assert.ok(size < 900 * Object.keys(paths).length, `${size}`)
})

test('more operations mean fewer stacks: with two filters, with one, none', async () => {
  const stacks = async (filters: number) => {
    const { paths } = await readDocument(
      workspace({
        search: { kind: 'match', collection: 'docs' },
        newest: { kind: 'sort', field: 'n' },
        ...repeatEndpoint(filters, () => ({ kind: 'filter', field: 'k' })),
      }),
    )
    const search = '/e/search/p/query/{query}'
    return [
      paths[`${search}/e/e0/p/value/{e0}/e/e1/p/value/{e1}/e/newest/results`],
      paths[`${search}/e/e0/p/value/{e0}/e/newest/results`],
      paths[`${search}/results`],
    ].map(path => path !== undefined)
  }
  assert.deepEqual(await stacks(5), [true, true, true])
  assert.deepEqual(await stacks(60), [false, true, true])
  assert.deepEqual(await stacks(200), [false, false, true])
})

test('ids of operations differ for generators, which ignore punctuation, and so do names of schemas', async () => {
  const row = workspace({
    'a-b': { kind: 'match', collection: 'docs' },
    a_b: { kind: 'match', collection: 'docs' },
    search: { kind: 'match', collection: 'docs' },
    'search-results': { kind: 'match', collection: 'docs' },
  })
  const { paths } = await readDocument(row)
  const ids = Object.values<Record<string, { operationId: string }>>(paths).flatMap(methods =>
    Object.values(methods).map(({ operationId }) => operationId.replaceAll(/[^a-z0-9]/gi, '').toLowerCase()),
  )
  assert.equal(new Set(ids).size, ids.length)
})
