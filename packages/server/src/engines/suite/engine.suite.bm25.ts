import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { Engine, GenerationSpec } from '#engines/engine'
import { chooseRuns } from '#test-runs'
import { type Bench, deadlineMs, makePlan, match } from './engine.suite.plans.ts'
import type { Attributes } from './engine.suite.search-in-memory.ts'

/** Compares scores over weighted fields with a textbook BM25, on generated texts. */
export function scoresAreBm25({ engine, generationWith }: Bench): void {
  it('are equal on generated texts', () =>
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
          const shelf = Object.fromEntries(documents.map((document, index) => [`d${index}`, document]))
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
      { numRuns: chooseRuns(13, 50), endOnFailure: true },
    ))
}

/** Compares the scores of these queries over the documents of the generation. */
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
  const { hits, total } = await engine.search(generation, makePlan([{ ...match(query), fields }]), deadlineMs)
  const expected = textbook(query, fields)
  assert.equal(total, expected.size, query)
  // Documents with nearly equal scores may be in any order, but each place must have the score of that place.
  const descending = [...expected.values()].sort((a, b) => b - a)
  assert.equal(hits.length, Math.min(expected.size, 100))
  for (const [place, { entity, score }] of hits.entries()) {
    for (const expectedScore of [
      expected.get(JSON.parse(entity).id) ?? Number.NaN,
      descending[place] ?? Number.NaN,
    ])
      assert.ok(
        Math.abs(score - expectedScore) <= 1e-4 * expectedScore,
        `${query}: ${score} for ${expectedScore}`,
      )
  }
}

type Weights = { name: string; weight: number }[]

const spec: GenerationSpec = {
  fields: [
    { name: 'title', type: 'text', language: 'none', prefix: false },
    { name: 'text', type: 'text', language: 'none', prefix: false },
  ],
}

const text = (words: number) =>
  fc
    .array(fc.constantFrom('a', 'b', 'c', 'wing', 'steel', 'Wing', 'stéél'), {
      minLength: 1,
      maxLength: words,
    })
    .map(words => words.join(' '))

/**
 * Returns a function that scores the documents of a query: Robertson and Zaragoza, "The Probabilistic Relevance Framework", with k1 1.2,
 * b 0.75 and Lucene's idf.
 */
function bm25Over(documents: ReadonlyMap<string, Attributes>, names: readonly string[]) {
  const fields = new Map(
    names.map(name => {
      const texts = [...documents].map(([id, attributes]) => ({
        id,
        words: words(String(attributes[name] ?? '')),
      }))
      const meanLength = texts.reduce((sum, { words: { length } }) => sum + length, 0) / texts.length
      return [name, { texts, meanLength }]
    }),
  )
  return (query: string, weights: Weights): Map<string, number> => {
    const scores = new Map<string, number>()
    for (const { name, weight } of weights) {
      const { texts = [], meanLength = 0 } = fields.get(name) ?? {}
      for (const word of words(query)) {
        const matches = texts.filter(({ words: textWords }) => textWords.includes(word))
        const idf = Math.log(1 + (texts.length - matches.length + 0.5) / (matches.length + 0.5))
        for (const { id, words: textWords } of matches) {
          const frequency = textWords.filter(textWord => textWord === word).length
          const norm = 1.2 * (1 - 0.75 + (0.75 * storedLength(textWords.length)) / meanLength)
          scores.set(id, (scores.get(id) ?? 0) + (weight * idf * frequency * 2.2) / (frequency + norm))
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

/** Returns the length as stored in one byte: exact up to 40, above that with four significant bits of the part over 24. */
function storedLength(length: number): number {
  if (length <= 40) return length
  const unit = 2 ** (Math.floor(Math.log2(length - 24)) - 3)
  return 24 + Math.floor((length - 24) / unit) * unit
}
