import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { Engine, GenerationSpec } from '#engines/engine'
import { type Bench, deadlineMs, match, planOf } from './engine.suite.plans.ts'
import type { Attributes } from './engine.suite.search-in-memory.ts'

/** Compares the scores of words over weighted fields with a BM25 as textbooks have it, on generated texts. */
export function scoresAreBm25({ engine, generationWith }: Bench): void {
  it('on generated texts', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ title: text(4), text: text(70) }, { requiredKeys: [] }), {
          minLength: 1,
          maxLength: 25,
        }),
        fc.array(fc.tuple(text(5), fc.constantFrom(0.5, 1, 3), fc.constantFrom(0.1, 1, 7)), {
          minLength: 1,
          maxLength: 5,
        }),
        async (documents, queries) => {
          const shelf = Object.fromEntries(documents.map((document, at) => [`d${at}`, document]))
          const generation = await generationWith(shelf, spec)
          const textbook = bm25Over(new Map(Object.entries(shelf)), ['title', 'text'])
          for (const [query, title, body] of queries) {
            const weights = [
              { name: 'title', weight: title },
              { name: 'text', weight: body },
            ]
            await compare(engine(), generation, textbook, query, weights)
          }
          await engine().drop(generation)
        },
      ),
      { numRuns: 25 },
    ))
}

/** The same for these queries over these fields of documents that the generation holds. */
export async function agreesWithBm25(
  engine: Engine,
  generation: string,
  documents: ReadonlyMap<string, Attributes>,
  weights: Weights,
  queries: readonly string[],
): Promise<void> {
  const textbook = bm25Over(
    documents,
    weights.map(({ name }) => name),
  )
  for (const query of queries) await compare(engine, generation, textbook, query, weights)
}

async function compare(
  engine: Engine,
  generation: string,
  textbook: ReturnType<typeof bm25Over>,
  query: string,
  fields: Weights,
) {
  const { hits, total } = await engine.search(generation, planOf([{ ...match(query), fields }]), deadlineMs)
  const expected = textbook(query, fields)
  assert.equal(total, expected.size, query)
  // Scores that differ by less may stand in either order: what counts is that each place has the score of that place.
  const descending = [...expected.values()].sort((left, right) => right - left)
  assert.equal(hits.length, Math.min(expected.size, 100))
  for (const [at, { entity, score }] of hits.entries()) {
    for (const wanted of [expected.get(JSON.parse(entity).id) ?? Number.NaN, descending[at] ?? Number.NaN])
      assert.ok(Math.abs(score - wanted) <= 1e-4 * wanted, `${query}: ${score} for ${wanted}`)
  }
}

type Weights = { name: string; weight: number }[]

const spec: GenerationSpec = {
  fields: [
    { name: 'title', type: 'text', language: 'none', prefix: false },
    { name: 'text', type: 'text', language: 'none', prefix: false },
  ],
  synonyms: [],
}

const text = (words: number) =>
  fc
    .array(fc.constantFrom('a', 'b', 'c', 'wing', 'steel', 'Wing', 'stéél'), {
      minLength: 1,
      maxLength: words,
    })
    .map(found => found.join(' '))

/**
 * Robertson and Zaragoza, "The Probabilistic Relevance Framework", with k1 1.2 and b 0.75, and Lucene's idf. What it gives answers a query
 * with the documents that are found, and their scores.
 */
function bm25Over(documents: ReadonlyMap<string, Attributes>, names: readonly string[]) {
  const fields = new Map(
    names.map(name => {
      const texts = [...documents].map(([id, its]) => ({ id, words: words(String(its[name] ?? '')) }))
      const meanLength = texts.reduce((sum, { words: { length } }) => sum + length, 0) / texts.length
      return [name, { texts, meanLength }]
    }),
  )
  return (query: string, weights: Weights): Map<string, number> => {
    const scores = new Map<string, number>()
    for (const { name, weight } of weights) {
      const { texts = [], meanLength = 0 } = fields.get(name) ?? {}
      for (const word of words(query)) {
        const having = texts.filter(({ words: all }) => all.includes(word))
        const idf = Math.log(1 + (texts.length - having.length + 0.5) / (having.length + 0.5))
        for (const { id, words: all } of having) {
          const times = all.filter(other => other === word).length
          const norm = 1.2 * (1 - 0.75 + (0.75 * keptLength(all.length)) / meanLength)
          scores.set(id, (scores.get(id) ?? 0) + (weight * idf * times * 2.2) / (times + norm))
        }
      }
    }
    return scores
  }
}

function words(typed: string): string[] {
  return (
    typed
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** Lengths are kept in a byte: whole up to 40, above with four significant bits of what is over 24. */
function keptLength(length: number): number {
  if (length <= 40) return length
  const unit = 2 ** (Math.floor(Math.log2(length - 24)) - 3)
  return 24 + Math.floor((length - 24) / unit) * unit
}
