import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import type { Definition, Endpoint } from '@querent/contract/workspace-file'
import { runSteps } from '#http/recipe'
import { compileApi } from '#query/plan/compile'
import type { WorkspaceRow } from '#storage/workspaces'
import { type ApiDocument, openApiDocuments } from './api-documents.ts'

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
const many = (count: number, write: (index: number) => Endpoint): Record<string, Endpoint> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`e${index}`, write(index)]))
const written = async ({ write }: ApiDocument, encoding?: string) => (await runSteps(write(encoding))).body

test('a document is written once for each version of a definition, and its tag is known before', async () => {
  const documents = openApiDocuments(service)
  const row = workspace(many(3, () => ({ kind: 'match', collection: 'docs' })))
  for (const kind of ['about', 'openApi'] as const) {
    // Nothing can be written of it: an endpoint is no object.
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
    const body = await written(document)
    assert.equal(await written(documents[kind](row, compileApi(row.definition, 'main'), true)), body)
    const compressed = await written(document, 'br')
    assert.equal(await written(document, 'br'), compressed)
    assert.deepEqual(brotliDecompressSync(compressed), body)
    const next = workspace({ other: { kind: 'all', collection: 'docs' } }, 2)
    const changed = documents[kind](next, compileApi(next.definition, 'main'), true)
    assert.notEqual(changed.tag, tag)
    assert.notDeepEqual(await written(changed), body)
  }
})

test('the document of the largest API is small, whatever its endpoints are, and names them all', async () => {
  const largest: Record<string, Record<string, Endpoint>> = {
    match: many(1000, () => ({ kind: 'match', collection: 'docs' })),
    ranges: many(1000, i => ({ kind: 'range', field: 'n', from: `from${i}`, to: `to${i}` })),
    facets: many(1000, () => ({ kind: 'facet', field: 'k' })),
    mixes: {
      ...many(20, i => ({ kind: 'match', collection: 'docs', parameter: `q${i}` })),
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
  for (const [what, endpoints] of Object.entries(largest)) {
    const row = workspace(endpoints)
    const body = await written(
      openApiDocuments(service).openApi(row, compileApi(row.definition, 'main'), true),
    )
    assert.ok(body.length < 2_000_000, `${what}: ${body.length}`)
    const { paths, components } = JSON.parse(String(body))
    for (const name of Object.keys(endpoints))
      assert.ok(components.parameters.endpoint.schema.enum.includes(name))
    assert.ok(paths['/e/{endpoint}/p/{name}/{value}/results'])
  }
})

test('of an API with up to 2,000 operations each endpoint is described; what they share stands there once', async () => {
  const endpoints = many(300, () => ({ kind: 'match', collection: 'docs' }))
  const row = workspace(endpoints)
  const body = await written(openApiDocuments(service).openApi(row, compileApi(row.definition, 'main'), true))
  const { paths, components } = JSON.parse(String(body))
  for (const name of Object.keys(endpoints)) assert.ok(paths[`/e/${name}/p/query/{query}/results`])
  const own = Object.values<{ name: string }>(components.parameters).filter(({ name }) => name === 'query')
  assert.equal(own.length, 1)
  assert.ok(body.length < 700 * Object.keys(paths).length, `${body.length}`)
})
