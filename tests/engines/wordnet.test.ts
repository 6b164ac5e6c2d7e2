/** Compares the embedded engine over the whole of WordNet with a search in memory and with a plain BM25. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { entryCount, readWordnet } from '#dictionary/wordnet'
import { openEmbeddedEngine } from '#server/engines/embedded/embedded'
import type { Engine, EngineField } from '#server/engines/engine'
import { agreesWithBm25 } from '#server/engines/suite/engine.suite.bm25'
import { arbitraryPlan, compare } from '#server/engines/suite/engine.suite.oracle'
import { type Attributes, toEntity } from '#server/engines/suite/engine.suite.search-in-memory'

const fields: EngineField[] = [
  { name: 'title', type: 'text', language: 'none', prefix: false },
  { name: 'definition', type: 'text', language: 'none', prefix: false },
  { name: 'words', type: 'keyword' },
  { name: 'domain', type: 'keyword' },
  { name: 'broader', type: 'keyword' },
  { name: 'senses', type: 'number' },
  { name: 'offset', type: 'number' },
  { name: 'isNoun', type: 'boolean' },
  { name: 'seen', type: 'date' },
]
const generation = 'wordnet'
const plansTried = 40

let engine: Engine
let dataDir: string
const documents = new Map<string, Attributes>()

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'querent-wordnet-'))
  engine = await openEmbeddedEngine({ dataDir })
  await engine.open(generation, { fields })
  for await (const { id, title, definition, words, domain, broader, senses, partOfSpeech } of readWordnet()) {
    const place = Number.parseInt(id, 10)
    documents.set(id, {
      title,
      definition,
      words,
      domain,
      broader,
      senses,
      // WordNet has neither dates nor missing values, so both are derived from the position in the file.
      ...(place % 3 > 0 && { offset: [place / 8, -place] }),
      isNoun: partOfSpeech === 'noun',
      ...(place % 5 > 0 && { seen: new Date((place % 4000) * 21_600_000).toISOString().replace('.000', '') }),
    })
  }
  const entries = [...documents]
  for (let start = 0; start < entries.length; start += 10_000)
    await engine.write(
      generation,
      entries.slice(start, start + 10_000).map(([id, its]) => ({ put: { id, entity: toEntity(id, its) } })),
    )
  await engine.refresh(generation)
})
after(async () => {
  await engine.close()
  await rm(dataDir, { recursive: true })
})

/** Chooses one of the values that documents have in the field. */
const pickValue = (field: string): fc.Arbitrary<string | number | boolean> => {
  const sampledDocuments = [...documents.values()].filter((_, index) => index % 97 === 0)
  // Values of fields that are not text.
  const values = sampledDocuments.flatMap(its => (its[field] ?? []) as (string | number | boolean)[])
  return fc.constantFrom(...values)
}

test('filters, tuple lists, ranges, facets, sorts, totals, statistics and cutoffs equal those of a search in memory', async t => {
  assert.equal(engine.info(generation).documents, entryCount)
  const names = ['words', 'domain', 'broader', 'senses', 'offset', 'isNoun', 'seen']
  const day = pickValue('seen').map(moment => String(moment).slice(0, 10))
  const plans = arbitraryPlan({
    id: fc.constantFrom(...[...documents.keys()].filter((_, index) => index % 97 === 0)),
    fields: {
      ...Object.fromEntries(names.map(name => [name, pickValue(name)])),
      seen: fc.oneof(pickValue('seen'), day),
    },
    ranged: names.filter(name => name !== 'isNoun'),
    sorted: [...names, 'title'],
    count: fc.constantFrom(0, 1, 50),
  })
  const seed = Date.now() % 1_000_000
  t.diagnostic(`seed ${seed}`)
  const compared = fc.asyncProperty(plans, plan => compare(engine, generation, { fields, documents }, plan))
  // No shrinking: finding a smaller failing plan takes too long here.
  await fc.assert(compared, { seed, numRuns: plansTried, endOnFailure: true })
})

test('scores equal those of a plain BM25', async () => {
  const weights = [
    { name: 'title', weight: 3 },
    { name: 'definition', weight: 1 },
  ]
  await agreesWithBm25(engine, generation, documents, weights, [
    ...['of or by', 'genus', 'a small bird with long legs', 'steel instrument', 'nothing-of-it qqq'],
    ...['the', 'Genus Felis', 'an old man', 'in a way that is not of the kind', 'Einstein'],
  ])
})
