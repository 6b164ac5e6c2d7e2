import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { GenerationSpec, PlanNode } from '#engines/engine'
import { type Bench, deadlineMs, emptyText, makePlan, match, putDocument } from './engine.suite.plans.ts'

/** Tests `unfinished` and `typos`: which documents match, and that the word itself ranks above its variants. */
export function completionSuite({ engine, generationWith, ids, scores }: Bench): void {
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

  it('ranks the word above its completions, and short completions above long ones', async () => {
    const generation = await generationWith(
      {
        a: { title: 'carpet' },
        b: { title: `car ${'among many other words '.repeat(9)}` },
        c: { title: 'carp' },
      },
      typed,
    )
    assert.deepEqual(await ids(generation, makePlan([unfinished('car')])), ['b', 'c', 'a'])
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

  it('allows one typo from 3 characters and two from 6', async () => {
    const words = ['wing', 'ox', 'cat', 'dictionary', '1984', 'steel']
    const generation = await generationWith(
      Object.fromEntries(words.map(word => [word, { title: word }])),
      typed,
    )
    const cases: [string, string[]][] = [
      ['wimg', ['wing']],
      ['wng', ['wing']],
      ['wiing', ['wing']],
      ['wnig', ['wing']],
      ['awing', ['wing']],
      ['wnigs', []],
      ['xo', []],
      ['ax', []],
      ['cta', ['cat']],
      ['ctas', []],
      ['dictoinray', ['dictionary']],
      ['diktionery', ['dictionary']],
      ['diktienery', []],
      ['1985', []],
      ['steal', ['steel']],
      ['STÉAL', ['steel']],
    ]
    for (const [word, expected] of cases)
      assert.deepEqual(await searchIds(generation, typo(word)), expected, word)
    assert.deepEqual(await searchIds(generation, match('wimg')), [])
    assert.deepEqual(await searchIds(generation, typo('wimg steal')), ['steel', 'wing'])
  })

  it('ranks the word itself above corrections, however long the text', async () => {
    const generation = await generationWith(
      {
        exact: { title: `${'many other words stand here '.repeat(60)} stell` },
        near: { title: 'steel' },
        twice: { title: 'steel steel', text: 'steel steel' },
        far: { title: 'wing' },
      },
      typed,
    )
    assert.deepEqual(await ids(generation, makePlan([typo('stell')])), ['exact', 'twice', 'near'])
    const plain = await scores(generation, makePlan([match('stell')]))
    assert.equal((await scores(generation, makePlan([typo('stell')]))).exact, plain.exact)
  })

  it('corrects the beginning of an unfinished word', async () => {
    const generation = await generationWith(
      { a: { title: 'dictionary' }, b: { title: 'ditch' }, c: { title: 'wing' } },
      typed,
    )
    const node = (word: string) => ({ ...unfinished(word), typos: true })
    assert.deepEqual(await searchIds(generation, node('dcti')), ['a'])
    assert.deepEqual(await ids(generation, makePlan([node('dict')])), ['a', 'b'])
    assert.deepEqual(await searchIds(generation, node('xi')), [])
  })

  it('does not correct excluded words or phrases', async () => {
    const generation = await generationWith({ a: { title: 'steel wing' }, b: { title: 'wing' } }, typed)
    const excluding = { ...typo('wimg'), text: { ...emptyText, words: ['wimg'], excludedWords: ['steal'] } }
    assert.deepEqual(await searchIds(generation, excluding), ['a', 'b'])
    const quoting = { ...typo(''), text: { ...emptyText, phrases: ['steal wing'] } }
    assert.deepEqual(await searchIds(generation, quoting), [])
  })

  it('neither completes nor corrects in a field without `prefix`', async () => {
    const generation = await generationWith({ a: { title: 'wing' }, b: { title: 'wings of steel' } })
    assert.deepEqual(await searchIds(generation, { ...unfinished('wing'), typos: true }), ['a', 'b'])
    assert.deepEqual(await searchIds(generation, { ...unfinished('win'), typos: true }), [])
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
        makePlan([{ ...unfinished(text, text), typos: true }, typo(text)]),
        deadlineMs,
      )
    }
  })

  it('agrees with a simple edit distance', () =>
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
            const text = completed ? { ...emptyText, unfinished: query } : { ...emptyText, words: [query] }
            const order = await ids(generation, makePlan([{ ...match(''), text, typos, fields: title }]))
            const isFound = (words: string[]) =>
              words.some(textWord => isVariant(query, textWord, typos, completed))
            const expected = texts.flatMap((words, index) => (isFound(words) ? [`d${index}`] : []))
            assert.deepEqual(order.toSorted(), expected.toSorted(), query)
            const exact = order.map(id => (texts[Number(id.slice(1))] ?? []).includes(query))
            assert.deepEqual(
              exact,
              exact.toSorted((a, b) => Number(b) - Number(a)),
            )
          }
          await engine().drop(generation)
        },
      ),
      { numRuns: 25, endOnFailure: true },
    ))
}

const typed: GenerationSpec = {
  fields: [
    { name: 'title', type: 'text', language: 'english', prefix: true },
    { name: 'text', type: 'text', language: 'english', prefix: true },
  ],
  synonyms: [],
}
const plain: GenerationSpec = {
  fields: [{ name: 'title', type: 'text', language: 'none', prefix: true }],
  synonyms: [],
}
const title = [{ name: 'title', weight: 2 }]

const word = fc
  .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 8 })
  .map(letters => letters.join(''))

function unfinished(last: string, ...words: string[]): Extract<PlanNode, { kind: 'match' }> {
  return { ...match(''), text: { ...emptyText, words, unfinished: last } }
}

function typo(text: string): Extract<PlanNode, { kind: 'match' }> {
  return { ...match(text), typos: true }
}

function isVariant(query: string, textWord: string, typos: boolean, completed: boolean): boolean {
  const allowed = !typos || query.length < 3 ? 0 : query.length < 6 ? 1 : 2
  const beginnings = Array.from({ length: textWord.length + 1 }, (_, length) => textWord.slice(0, length))
  return (completed ? beginnings : [textWord]).some(one => editDistance(query, one) <= allowed)
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
