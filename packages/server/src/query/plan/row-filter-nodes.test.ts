import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { uniteAttributes, uniteFilters } from '#authz/effective-filter'
import {
  arbitraryAttributes,
  arbitraryDocument,
  arbitraryFilter,
  type ModelDocument,
  matchesFilter,
  modelCollection,
  modelNow,
} from '#authz/test-row-filters'
import { generationSpec } from '#collections/generation-spec'
import { openEmbeddedEngine } from '#engines/embedded/embedded'
import type { Engine, PlanNode } from '#engines/engine'
import { chooseRuns } from '#test-runs'
import { rowFilterNodes } from './row-filter-nodes.ts'

const documents: ModelDocument[] = fc
  .sample(arbitraryDocument, { seed: 38, numRuns: 60 })
  .map((document, index) => ({ id: `https://m.example/${index}`, ...document }))
const fields = new Map(Object.entries(modelCollection.fields))

let folder: string
let engine: Engine
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'querent-'))
  engine = await openEmbeddedEngine({ dataDir: folder })
  await engine.open(
    'things',
    generationSpec({ workspace: 'w', collections: { things: modelCollection } }, 'things'),
  )
  await engine.write(
    'things',
    documents.map(({ id, ...attributes }) => ({
      put: { id, entity: JSON.stringify({ id, class: [], attributes }) },
    })),
  )
  await engine.refresh('things')
})
after(async () => {
  await engine.close()
  await rm(folder, { recursive: true })
})

const find = async (restrictions: PlanNode[]): Promise<string[]> => {
  const plan = { nodes: [{ kind: 'all' as const }], restrictions, order: [], cutoff: 0 }
  const { hits } = await engine.search(
    'things',
    { ...plan, offset: 0, count: 100, statistics: false },
    60_000,
  )
  return hits.map(({ entity }) => (JSON.parse(entity) as ModelDocument).id).sort()
}

test('the engine finds what a plain model of the filters of groups, attributes, ranges, now and not finds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryFilter, { maxLength: 4 }),
      arbitraryAttributes,
      async (filters, attributes) => {
        const filter = uniteFilters(filters, uniteAttributes([attributes]))
        const expected = documents
          .filter(document => filters.some(one => matchesFilter(document, one, attributes)))
          .map(({ id }) => id)
          .sort()
        assert.deepEqual(await find(filter ? rowFilterNodes(filter, fields, modelNow) : []), expected)
      },
    ),
    { numRuns: chooseRuns(300, 3000) },
  )
})

test('a condition that the field cannot answer matches nothing, also inside not', () => {
  const nodes = (filter: object) =>
    rowFilterNodes({ alternatives: [{ ...filter }], dependsOnTime: false }, fields, modelNow)
  for (const filter of [
    { size: 'x' },
    { size: { not: 'x' } },
    { size: { not: [1, 'x'] } },
    { size: { not: { from: 'x' } } },
    { kind: { from: 'a' } },
    { kind: { not: { to: 'a' } } },
    { day: { not: 'soon' } },
    { gone: { not: 'a' } },
    { kind: { member: 'unfilled' } },
    { kind: { not: { member: 'unfilled' } } },
    { kind: 'a', gone: 'b' },
  ])
    assert.deepEqual(nodes(filter), [{ kind: 'lookup', alternatives: [] }], JSON.stringify(filter))
})

test('filters of one field become one list of values', () => {
  const alternatives = [{ kind: 'a' }, { kind: ['b', 'a'] }, { size: 1 }]
  assert.deepEqual(
    rowFilterNodes({ alternatives: alternatives.slice(0, 2), dependsOnTime: false }, fields, ''),
    [{ kind: 'filter', field: 'kind', alternatives: [{ score: 1, values: ['a', 'b'] }] }],
  )
  const [union] = rowFilterNodes({ alternatives, dependsOnTime: false }, fields, '')
  assert.ok(union?.kind === 'any' && union.parts.length === 2)
})
