import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { GenerationSpec, PlanNode } from '#engines/engine'
import { chooseRuns } from '#test-runs'
import {
  type Bench,
  corrected,
  deadlineMs,
  emptyText,
  makePlan,
  match,
  putDocument,
  typos as typoLengths,
  unfinished,
} from './engine.suite.plans.ts'

/** Tests `unfinished` and `typos`: which documents match, and in which order. */
export function completionSuite({ engine, generationWith, ids }: Bench): void {
  const searchIds = async (generation: string, node: PlanNode) =>
    (await ids(generation, makePlan([node]))).toSorted()

  it('completes the last word, even if it is a complete word already', async () => {
    const generation = await generationWith(
      {
        a: { title: 'a dictionary of wings' },
        b: { title: 'Dictator' },
        c: { text: ['nothing', 'the dictionaries'] },
        d: { title: 'wing' },
        e: { title: 'addiction' },
        f: { title: 'DÍCTÎON' },
      },
      typed,
    )
    assert.deepEqual(await searchIds(generation, unfinished('dict')), ['a', 'b', 'c', 'f'])
    assert.deepEqual(await searchIds(generation, unfinished('Dictionar')), ['a', 'c'])
    assert.deepEqual(await searchIds(generation, unfinished('wings')), ['a', 'd'])
    assert.deepEqual(await searchIds(generation, unfinished('zzz')), [])
    assert.equal((await ids(generation, makePlan([unfinished('dict', 'wing')])))[0], 'a')
    assert.deepEqual(await searchIds(generation, unfinished('state-of-the-dictat')), ['b'])
    assert.deepEqual(await searchIds(generation, unfinished('dict?!')), [])
    assert.deepEqual(await searchIds(generation, unfinished('?!')), [])
  })

  it('ranks the word above its completions', async () => {
    const generation = await generationWith(
      {
        a: { title: 'carpet' },
        b: { title: `car ${'among many other words '.repeat(9)}` },
      },
      typed,
    )
    for (const beginning of ['c', 'ca', 'carp'])
      assert.deepEqual(
        await searchIds(generation, unfinished(beginning)),
        beginning === 'carp' ? ['a'] : ['a', 'b'],
      )
    assert.deepEqual(await ids(generation, makePlan([unfinished('car')])), ['b', 'a'])
  })

  it('completes to stop words only if the query has no other words', async () => {
    const generation = await generationWith(
      { a: { title: 'the wing' }, b: { title: 'theory of steel' }, c: { title: 'to be or not' } },
      typed,
    )
    assert.deepEqual(await searchIds(generation, unfinished('th')), ['a', 'b'])
    assert.deepEqual(await searchIds(generation, unfinished('th', 'steel')), ['b'])
    assert.deepEqual(await searchIds(generation, unfinished('no', 'to', 'be')), ['c'])
  })

  it('allows one typo from 4 characters and two from 8; a wrong first letter counts as two', async () => {
    const words = ['wing', 'cat', 'dictionary', '19841984', 'steel']
    const generation = await generationWith(
      Object.fromEntries(words.map(word => [word, { title: word }])),
      typed,
    )
    const cases: [string, string[]][] = [
      ['wimg', ['wing']],
      ['wng', []],
      ['wiing', ['wing']],
      ['wnig', ['wing']],
      ['ving', []],
      ['iwng', []],
      ['cta', []],
      ['dictoinray', ['dictionary']],
      ['diktionery', ['dictionary']],
      ['diktienery', []],
      ['tictionary', ['dictionary']],
      ['idctionary', ['dictionary']],
      ['tictionery', []],
      ['19841985', []],
      ['steal', ['steel']],
      ['STÉAL', ['steel']],
    ]
    for (const [word, expected] of cases)
      assert.deepEqual(await searchIds(generation, corrected(word)), expected, word)
    assert.deepEqual(await searchIds(generation, match('wimg')), [])
    assert.deepEqual(await searchIds(generation, corrected('wimg steal')), ['steel', 'wing'])
    const searchWithLengths = (word: string, lengths: { one: number; two: number }) =>
      searchIds(generation, { ...corrected(word), typos: lengths })
    assert.deepEqual(await searchWithLengths('wng', { one: 3, two: 6 }), ['wing'])
    assert.deepEqual(await searchWithLengths('wimgs', { one: 3, two: 5 }), ['wing'])
  })

  it('corrects the beginning of an unfinished word', async () => {
    const generation = await generationWith(
      { a: { title: 'dictionary' }, b: { title: 'ditch' }, c: { title: 'wing' } },
      typed,
    )
    const node = (word: string) => ({ ...unfinished(word), typos: typoLengths })
    assert.deepEqual(await searchIds(generation, node('dcti')), ['a'])
    assert.deepEqual(await ids(generation, makePlan([node('dict')])), ['a', 'b'])
    assert.deepEqual(await searchIds(generation, node('tict')), [])
    assert.deepEqual(await searchIds(generation, node('xi')), [])
  })

  it('does not correct excluded words or phrases', async () => {
    const generation = await generationWith({ a: { title: 'steel wing' }, b: { title: 'wing' } }, typed)
    const excluding = {
      ...corrected('wimg'),
      text: { ...emptyText, words: ['wimg'], excludedWords: ['steal'] },
    }
    assert.deepEqual(await searchIds(generation, excluding), ['a', 'b'])
    const quoting = { ...corrected(''), text: { ...emptyText, phrases: ['steal wing'] } }
    assert.deepEqual(await searchIds(generation, quoting), [])
  })

  it('neither completes nor corrects in a field without `prefix`', async () => {
    const generation = await generationWith({ a: { title: 'wing' }, b: { title: 'wings of steel' } })
    assert.deepEqual(await searchIds(generation, { ...unfinished('wing'), typos: typoLengths }), ['a', 'b'])
    assert.deepEqual(await searchIds(generation, { ...unfinished('win'), typos: typoLengths }), [])
  })

  it('completes in a field once its spec has `prefix`', async () => {
    const generation = await generationWith({ a: { title: 'wing' } })
    await engine().open(generation, typed)
    assert.deepEqual(await searchIds(generation, unfinished('wi')), ['a'])
  })

  it('accepts any text', async () => {
    const generation = await generationWith({ a: { title: 'one' } }, typed)
    for (const text of [
      '',
      ' ',
      '\ud800',
      '😀',
      'x'.repeat(9_000),
      'word '.repeat(3_000),
      'İ',
      'ß'.repeat(70),
    ]) {
      await engine().search(
        generation,
        makePlan([{ ...unfinished(text, text), typos: typoLengths }, corrected(text)]),
        deadlineMs,
      )
    }
  })

  it('agrees with a simple edit distance, apart from words that a text writes as two or three', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(word, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 }),
        fc.array(fc.record({ query: word, typos: fc.boolean(), completed: fc.boolean() }), {
          minLength: 1,
          maxLength: 6,
        }),
        async (texts, queries) => {
          const shelf = Object.fromEntries(
            texts.map((words, index) => [`d${index}`, { title: words.join(' ') }]),
          )
          const generation = await generationWith(shelf, plain)
          // Writing some again puts them into another segment of the index.
          const rewritten = Object.entries(shelf).filter((_, index) => index % 3 === 1)
          await engine().write(
            generation,
            rewritten.map(([id, attributes]) => putDocument(id, attributes)),
          )
          await engine().refresh(generation)
          for (const { query, typos, completed } of queries) {
            const node: PlanNode = {
              ...(completed ? unfinished(query) : { ...match(query), ranking: 'words' }),
              ...(typos && { typos: typoLengths }),
              fields: title,
            }
            const isSplit = (words: readonly string[]) =>
              words.some((first, index) => {
                const joined = first + (words[index + 1] ?? '')
                const isLonger = query.length > first.length
                return (
                  (isLonger && (completed ? joined.startsWith(query) : joined === query)) ||
                  joined + (words[index + 2] ?? '') === query ||
                  (isLonger && typos && variantCost(query, joined, typos, false) < Number.POSITIVE_INFINITY)
                )
              })
            const splitIds = texts.flatMap((words, index) => (isSplit(words) ? [`d${index}`] : []))
            const allIds = await ids(generation, makePlan([node]))
            const order = allIds.filter(id => !splitIds.includes(id))
            const costs = texts.map(words =>
              Math.min(...words.map(textWord => variantCost(query, textWord, typos, completed))),
            )
            const expected = costs.flatMap((cost, index) =>
              cost < Number.POSITIVE_INFINITY && !splitIds.includes(`d${index}`) ? [`d${index}`] : [],
            )
            assert.deepEqual(order.toSorted(), expected.toSorted(), query)
            const costsInOrder = order.map(id => costs[Number(id.slice(1))] ?? 0)
            assert.deepEqual(
              costsInOrder,
              costsInOrder.toSorted((a, b) => a - b),
              query,
            )
          }
          await engine().drop(generation)
        },
      ),
      { numRuns: chooseRuns(13, 50), endOnFailure: true },
    ))
}

const typed: GenerationSpec = {
  fields: [
    { name: 'title', type: 'text', language: 'english', prefix: true },
    { name: 'text', type: 'text', language: 'english', prefix: true },
  ],
}
const plain: GenerationSpec = {
  fields: [{ name: 'title', type: 'text', language: 'none', prefix: true }],
}
const title = [{ name: 'title', weight: 2 }]

const word = fc
  .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 8 })
  .map(letters => letters.join(''))

/** Returns two for each typo and one for a completion; infinity if the text's word does not match. */
function variantCost(query: string, textWord: string, typos: boolean, completed: boolean): number {
  const allowed = !typos || query.length < typoLengths.one ? 0 : query.length < typoLengths.two ? 1 : 2
  const penalty = Number(query[0] !== textWord[0])
  const cost = (beginning: string, isCompletion: number) => {
    const count = editDistance(query, beginning) + (beginning === query ? 0 : penalty)
    return count <= allowed ? 2 * count + isCompletion : Number.POSITIVE_INFINITY
  }
  // Completions of up to three letters may not have typos.
  const beginnings = Array.from({ length: textWord.length }, (_, length) => textWord.slice(0, length)).filter(
    beginning => completed && (query.length > 3 || beginning === query),
  )
  return Math.min(cost(textWord, 0), ...beginnings.map(beginning => cost(beginning, 1)))
}

/** Returns the optimal string alignment distance: characters added, missing, replaced or transposed, each at most once. */
function editDistance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length
  const [headA, headB] = [a.slice(0, -1), b.slice(0, -1)]
  const cached = distances.get(`${a} ${b}`)
  if (cached !== undefined) return cached
  const result = Math.min(
    editDistance(headA, b) + 1,
    editDistance(a, headB) + 1,
    editDistance(headA, headB) + (a.at(-1) === b.at(-1) ? 0 : 1),
    a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1)
      ? editDistance(a.slice(0, -2), b.slice(0, -2)) + 1
      : Number.POSITIVE_INFINITY,
  )
  distances.set(`${a} ${b}`, result)
  return result
}

const distances = new Map<string, number>()
