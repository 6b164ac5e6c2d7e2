import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readApiRequest } from '@querent/contract/paths'
import type { Results } from '@querent/contract/query'
import type { Definition } from '@querent/contract/workspace-file'
import { fixedFilter } from '#authz/effective-filter'
import { openEmbeddedEngine } from '#engines/embedded/embedded'
import type { Engine, GenerationSpec } from '#engines/engine'
import { readOptions } from '#query/options'
import { compileApi } from './compile.ts'
import { findPartRanks } from './part-ranks.ts'
import { resultsParts } from './results.ts'

const definition: Definition = {
  workspace: 'books',
  collections: {
    items: {
      fields: {
        title: { type: 'text', language: 'none' },
        kind: { type: 'keyword' },
        group: { type: 'keyword' },
        price: { type: 'number' },
        meaning: { type: 'vector', dimensions: 3 },
      },
    },
  },
  apis: {
    items: {
      endpoints: {
        search: { kind: 'match', collection: 'items' },
        meaning: { kind: 'nearest', collection: 'items', field: 'meaning', limit: 12 },
        best: { kind: 'mix', of: { search: 0.6, meaning: 0.4 } },
        kind: { kind: 'facet', field: 'kind' },
        cheap: { kind: 'boost', field: 'price', by: 'log' },
      },
      curation: [{ when: { query: 'wing' }, endpoint: 'search', pin: ['i39'] }],
    },
  },
}
const spec: GenerationSpec = {
  fields: [
    { name: 'title', type: 'text', language: 'none', prefix: false },
    { name: 'kind', type: 'keyword' },
    { name: 'group', type: 'keyword' },
    { name: 'price', type: 'number' },
    { name: 'meaning', type: 'vector', dimensions: 3, metric: 'cosine' },
  ],
}
/** Every fourth document is secret, also the one with the vector that the queries send. */
const documents = Array.from({ length: 40 }, (_, index) => {
  const angle = (index * Math.PI) / 45
  return {
    id: `i${index}`,
    title: ['a steel wing', 'a wing of glass and steel', 'a bird', 'the stone of a bird'][(index * 7) % 4],
    kind: index % 3 === 0 ? 'thing' : 'place',
    group: index % 4 === 0 ? 'secret' : 'open',
    price: (index * 17) % 40,
    meaning: [Math.cos(angle), Math.sin(angle), 0.1 * (index % 3)],
  }
})

const api = compileApi(definition, 'items')
let folder: string
let engine: Engine
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'querent-part-ranks-'))
  engine = await openEmbeddedEngine({ dataDir: folder })
  for (const [id, stored] of [
    ['all', documents],
    ['open', documents.filter(({ group }) => group === 'open')],
  ] as const) {
    await engine.open(id, spec)
    await engine.write(
      id,
      stored.map(({ id, ...attributes }) => ({
        put: { id, entity: JSON.stringify({ id, class: [], attributes }) },
      })),
    )
    await engine.refresh(id)
  }
})
after(async () => {
  await engine.close()
  await rm(folder, { recursive: true })
})

const answer = async (generation: string, path: string, filters: Record<string, string>[] = []) => {
  const request = readApiRequest([...path.split('/'), 'results'])
  assert.ok(request.kind === 'query')
  const { plan } = api.plan({
    stack: request.stack,
    filters: filters.map(fixedFilter),
    offset: 0,
    count: 40,
    cutoff: 0,
    statistics: true,
  })
  const run = (one: typeof plan) => engine.search(generation, one, 10_000)
  const reply = await run(plan)
  const partRanks = await findPartRanks(plan, reply, [], run)
  const text = [...resultsParts(reply, { ...readOptions(''), ...(partRanks && { partRanks }) })].join('')
  return { text, total: reply.total, statistics: reply.statistics }
}
const readParts = async (path: string) => {
  const { items }: Results = JSON.parse((await answer('all', path)).text)
  return new Map(items.map(({ tuple: [entity], parts }) => [entity?.id ?? '', parts]))
}
/** Ranks by the part alone, where equal scores share one. */
const rankAlone = async (path: string) => {
  const { items }: Results = JSON.parse((await answer('all', path)).text)
  return new Map(
    items.map(({ tuple: [entity], probability }) => [
      entity?.id ?? '',
      items.filter(other => other.probability > probability).length + 1,
    ]),
  )
}

const hybrid = 'e/best/p/query/steel wing/p/vector/1,0,0'

test('a result of a mix has its rank in each part that finds it', async () => {
  for (const rest of ['', '/e/kind:FILTER/p/value/place']) {
    const words = await rankAlone(`e/search/p/query/steel wing${rest}`)
    const vectors = await rankAlone(`e/meaning/p/vector/1,0,0${rest}`)
    const parts = await readParts(`${hybrid}${rest}`)
    assert.deepEqual(
      [...parts.keys()].toSorted(),
      [...new Set([...words.keys(), ...vectors.keys()])].toSorted(),
    )
    for (const [id, ranks] of parts) {
      const [search, meaning] = [words.get(id), vectors.get(id)]
      assert.deepEqual(ranks, { ...(search && { search }), ...(meaning && { meaning }) }, id)
    }
  }
})

test('boosts and scores of filters change no rank in a part', async () => {
  const filtered = await readParts(`${hybrid}/e/kind:FILTER/p/value/1(thing,place)`)
  assert.ok(filtered.size > 12)
  assert.deepEqual(await readParts(`${hybrid}/e/kind:FILTER/p/value/1(thing)|0.01(place)`), filtered)
  assert.deepEqual(await readParts(`${hybrid}/e/cheap`), filtered)
})

test('pinned documents are not first in a part of a mix', async () => {
  const parts = await readParts('e/best/p/query/wing/p/vector/1,0,0')
  assert.notEqual(parts.get('i39')?.search, 1)
})

test('there are no ranks in parts without a mix, or with another endpoint that adds scores', async () => {
  for (const path of ['e/meaning/p/vector/1,0,0', `${hybrid}/e/search/p/query/wing`])
    for (const parts of (await readParts(path)).values()) assert.equal(parts, undefined)
})

test('under a row filter, replies are those of an index without the hidden documents', async () => {
  for (const path of [
    hybrid,
    'e/meaning/p/vector/1,0,0',
    `${hybrid}/e/kind:FILTER/p/value/1(thing)|0.5(place)`,
    `${hybrid}/e/cheap`,
    `${hybrid}/e/search/p/query/wing`,
  ]) {
    const filtered = await answer('all', path, [{ group: 'open' }])
    assert.deepEqual(filtered, await answer('open', path), path)
    assert.ok(!filtered.text.includes('secret'))
    assert.ok((await answer('all', path)).text.includes('secret'))
  }
})
