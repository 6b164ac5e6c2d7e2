import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { GenerationSpec, PlanNode } from '#engines/engine'
import { type Bench, deadlineMs, match, nothing, planOf, put } from './engine.suite.plans.ts'

/** What `unfinished` and `typos` promise: which documents are found, and that the word itself ranks above what stands for it. */
export function completionSuite({ engine, generationWith, ids, scores }: Bench): void {
  const found = async (generation: string, node: PlanNode) =>
    (await ids(generation, planOf([node]))).toSorted()

  it('completes the last word, also where it is a word already', async () => {
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
    assert.deepEqual(await found(generation, unfinished('dict')), ['a', 'b', 'c', 'f'])
    assert.deepEqual(await found(generation, unfinished('Dictionar')), ['a', 'c'])
    assert.deepEqual(await found(generation, unfinished('wings')), ['a', 'd'])
    assert.deepEqual(await found(generation, unfinished('zzz')), [])
    assert.equal((await ids(generation, planOf([unfinished('dict', 'wing')])))[0], 'a')
    assert.deepEqual(await found(generation, unfinished('state-of-the-dictat')), ['b'])
    assert.deepEqual(await found(generation, unfinished('dict?!')), [])
    assert.deepEqual(await found(generation, unfinished('?!')), [])
  })

  it('ranks the whole word above its completions, and near ones above far ones', async () => {
    const generation = await generationWith(
      {
        a: { title: 'carpet' },
        b: { title: `car ${'among many other words '.repeat(9)}` },
        c: { title: 'carp' },
      },
      typed,
    )
    assert.deepEqual(await ids(generation, planOf([unfinished('car')])), ['b', 'c', 'a'])
  })

  it('completes to stop words only where nothing else is looked for', async () => {
    const generation = await generationWith(
      { a: { title: 'the wing' }, b: { title: 'theory of steel' }, c: { title: 'to be or not' } },
      typed,
    )
    assert.deepEqual(await found(generation, unfinished('th')), ['a', 'b'])
    assert.deepEqual(await found(generation, unfinished('th', 'steel')), ['b'])
    assert.deepEqual(await found(generation, unfinished('no', 'to', 'be')), ['c'])
  })

  it('finds what differs by a letter from 3 letters on, by two from 6', async () => {
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
      assert.deepEqual(await found(generation, typo(word)), expected, word)
    assert.deepEqual(await found(generation, match('wimg')), [])
    assert.deepEqual(await found(generation, typo('wimg steal')), ['steel', 'wing'])
  })

  it('ranks the word itself above what may have been meant, however long the text', async () => {
    const generation = await generationWith(
      {
        exact: { title: `${'many other words stand here '.repeat(60)} stell` },
        near: { title: 'steel' },
        twice: { title: 'steel steel', text: 'steel steel' },
        far: { title: 'wing' },
      },
      typed,
    )
    assert.deepEqual(await ids(generation, planOf([typo('stell')])), ['exact', 'twice', 'near'])
    const plain = await scores(generation, planOf([match('stell')]))
    assert.equal((await scores(generation, planOf([typo('stell')]))).exact, plain.exact)
  })

  it('corrects the beginning of an unfinished word', async () => {
    const generation = await generationWith(
      { a: { title: 'dictionary' }, b: { title: 'ditch' }, c: { title: 'wing' } },
      typed,
    )
    const node = (word: string) => ({ ...unfinished(word), typos: true })
    assert.deepEqual(await found(generation, node('dcti')), ['a'])
    assert.deepEqual(await ids(generation, planOf([node('dict')])), ['a', 'b'])
    assert.deepEqual(await found(generation, node('xi')), [])
  })

  it('excludes and quotes only what is written as typed', async () => {
    const generation = await generationWith({ a: { title: 'steel wing' }, b: { title: 'wing' } }, typed)
    const excluding = { ...typo('wimg'), text: { ...nothing, words: ['wimg'], excludedWords: ['steal'] } }
    assert.deepEqual(await found(generation, excluding), ['a', 'b'])
    const quoting = { ...typo(''), text: { ...nothing, phrases: ['steal wing'] } }
    assert.deepEqual(await found(generation, quoting), [])
  })

  it('takes words as they are in a field that does not have them as typed', async () => {
    const generation = await generationWith({ a: { title: 'wing' }, b: { title: 'wings of steel' } })
    assert.deepEqual(await found(generation, { ...unfinished('wing'), typos: true }), ['a', 'b'])
    assert.deepEqual(await found(generation, { ...unfinished('win'), typos: true }), [])
  })

  it('completes in a field from when its words are wanted as typed', async () => {
    const generation = await generationWith({ a: { title: 'wing' } })
    await engine().open(generation, typed)
    assert.deepEqual(await found(generation, unfinished('wi')), ['a'])
  })

  it('survives any text', async () => {
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
        planOf([{ ...unfinished(text, text), typos: true }, typo(text)]),
        deadlineMs,
      )
    }
  })

  it('agrees with a simple comparison of letters', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(word, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 }),
        fc.array(fc.record({ asked: word, typos: fc.boolean(), completed: fc.boolean() }), {
          minLength: 1,
          maxLength: 6,
        }),
        async (texts, queries) => {
          const shelf = Object.fromEntries(texts.map((words, at) => [`d${at}`, { title: words.join(' ') }]))
          const generation = await generationWith(shelf, plain)
          // Written again after the rest, some stand apart from it in the index.
          const again = Object.entries(shelf).filter((_, at) => at % 3 === 1)
          await engine().write(
            generation,
            again.map(([id, attributes]) => put(id, attributes)),
          )
          await engine().refresh(generation)
          for (const { asked, typos, completed } of queries) {
            const text = completed ? { ...nothing, unfinished: asked } : { ...nothing, words: [asked] }
            const order = await ids(generation, planOf([{ ...match(''), text, typos, fields: title }]))
            const isFound = (words: string[]) =>
              words.some(other => standsFor(asked, other, typos, completed))
            const expected = texts.flatMap((words, at) => (isFound(words) ? [`d${at}`] : []))
            assert.deepEqual(order.toSorted(), expected.toSorted(), asked)
            const exact = order.map(id => (texts[Number(id.slice(1))] ?? []).includes(asked))
            assert.deepEqual(
              exact,
              exact.toSorted((left, right) => Number(right) - Number(left)),
            )
          }
          await engine().drop(generation)
        },
      ),
      { numRuns: 25 },
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
  return { ...match(''), text: { ...nothing, words, unfinished: last } }
}

function typo(text: string): Extract<PlanNode, { kind: 'match' }> {
  return { ...match(text), typos: true }
}

function standsFor(asked: string, other: string, typos: boolean, completed: boolean): boolean {
  const allowed = !typos || asked.length < 3 ? 0 : asked.length < 6 ? 1 : 2
  const beginnings = Array.from({ length: other.length + 1 }, (_, length) => other.slice(0, length))
  return (completed ? beginnings : [other]).some(one => distance(asked, one) <= allowed)
}

/** Letters added, left out, exchanged for another or for their neighbour; each at most once. */
function distance(left: string, right: string): number {
  if (left === '' || right === '') return left.length + right.length
  const [head, other] = [left.slice(0, -1), right.slice(0, -1)]
  const known = distances.get(`${left} ${right}`)
  if (known !== undefined) return known
  const least = Math.min(
    distance(head, right) + 1,
    distance(left, other) + 1,
    distance(head, other) + (left.at(-1) === right.at(-1) ? 0 : 1),
    left.length > 1 && right.length > 1 && left.at(-1) === right.at(-2) && left.at(-2) === right.at(-1)
      ? distance(left.slice(0, -2), right.slice(0, -2)) + 1
      : Number.POSITIVE_INFINITY,
  )
  distances.set(`${left} ${right}`, least)
  return least
}

const distances = new Map<string, number>()
