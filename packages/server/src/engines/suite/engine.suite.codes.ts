import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { GenerationSpec } from '#engines/engine'
import {
  type Bench,
  deadlineMs,
  emptyText,
  makePlan,
  type match,
  typos as typoLengths,
} from './engine.suite.plans.ts'

type MatchNode = ReturnType<typeof match>

const spec = (codes: boolean, language = 'english'): GenerationSpec => ({
  fields: [{ name: 'text', type: 'text', language, prefix: true, ...(codes && { codes: true as const }) }],
})

const plain = (text: string, options: Partial<MatchNode> = {}): MatchNode => ({
  kind: 'match',
  text: { ...emptyText, words: text.split(' ') },
  fields: [{ name: 'text', weight: 1 }],
  ...options,
})

const typing = (text: string, options: Partial<MatchNode> = {}): MatchNode => {
  const words = text.split(' ')
  const unfinished = words.pop() ?? ''
  return {
    ...plain(text),
    text: { ...emptyText, words, unfinished },
    ranking: 'words',
    exact: true,
    ...options,
  }
}

/** Tests codes, such as part numbers, symbols that distinguish words, and stop words of a collection. */
export function codesSuite({ engine, generationWith, ids }: Bench): void {
  const texts = (values: Record<string, string>, spec: GenerationSpec) =>
    generationWith(Object.fromEntries(Object.entries(values).map(([id, text]) => [id, { text }])), spec)
  const order = (generation: string, node: MatchNode) => ids(generation, makePlan([node]))
  const findIds = async (generation: string, node: MatchNode) => (await order(generation, node)).toSorted()

  it('tells decimals from whole numbers', async () => {
    const generation = await texts(
      {
        five: 'Weights 5 kg',
        fives: 'Weights 5kg',
        half: 'Weights 2.5 kg',
        halves: 'Weights 2,5kg',
        release: 'Release 1.2.3',
      },
      spec(false),
    )
    for (const text of ['5kg', '5 kg'])
      assert.deepEqual(await findIds(generation, plain(text, { matching: 'all' })), ['five', 'fives'], text)
    for (const text of ['2.5kg', '2,5 kg'])
      assert.deepEqual(await findIds(generation, plain(text, { matching: 'all' })), ['half', 'halves'], text)
    assert.deepEqual(await findIds(generation, plain('1.2', { matching: 'all' })), ['release'])
  })

  it('ranks words that are written as one above one of the words', async () => {
    const generation = await texts(
      { some: 'Win some', joined: 'Win11 guide for office', moved: 'RTX4080 Ti graphics', other: 'RTX 4090' },
      spec(false),
    )
    assert.deepEqual(await order(generation, plain('win 11')), ['joined', 'some'])
    assert.deepEqual(await order(generation, plain('rtx 4080ti', { matching: 'all' })), ['moved'])
  })

  it('finds codes however they are written, whole or as far as typed', async () => {
    const generation = await texts(
      {
        a: 'AX-100/B',
        b: 'AX100B',
        c: 'ax 100 b',
        d: 'ax100/b',
        other: 'AX-100/C',
        longer: 'AX-1000/B',
        text: 'Valve BR 20 X, steel',
      },
      spec(true),
    )
    for (const text of ['AX-100/B', 'AX100B', 'ax 100 b', 'ax100/b', 'a x100b'])
      for (const options of [
        { matching: 'all' as const },
        { matching: 'all' as const, typos: typoLengths },
      ]) {
        assert.deepEqual(await findIds(generation, plain(text, options)), ['a', 'b', 'c', 'd'], text)
        assert.deepEqual(await findIds(generation, typing(text, options)), ['a', 'b', 'c', 'd'], text)
      }
    for (const text of ['ax-100/', 'ax10', 'ax 10', 'a x 1']) {
      const expectedIds = text === 'ax-100/' ? ['a', 'b', 'c', 'd', 'longer', 'other'] : undefined
      const hits = await findIds(generation, typing(text, { matching: 'all' }))
      assert.deepEqual(expectedIds ?? hits, hits, text)
      for (const id of ['a', 'b', 'c', 'd', 'other', 'longer']) assert.ok(hits.includes(id), `${text} ${id}`)
    }
    assert.deepEqual(await order(generation, typing('valve br20x', { matching: 'all' })), ['text'])
    assert.equal((await order(generation, typing('ax100b')))[0], 'b')
  })

  it('corrects no code to another', async () => {
    const generation = await texts({ a: 'AX-ABCD/9', b: 'QRSTUV', c: '1RG5' }, spec(true))
    const options = { matching: 'all' as const, typos: typoLengths, ranking: 'words' as const }
    for (const text of ['AX-ABCE/9', 'QRSTUX', 'QRSTVU', '1RG6', 'axabce9'])
      for (const node of [plain(text, options), typing(text, options)]) {
        assert.deepEqual(await order(generation, node), [], text)
        const reply = await engine().search(generation, { ...makePlan([node]), suggest: true }, deadlineMs)
        assert.deepEqual(reply.corrections ?? [], [], text)
      }
  })

  it('counts symbols where they distinguish words', async () => {
    const names = ['C', 'C#', 'C++', 'Vitamin C tablets', '.NET', 'net', 'F#', 'F', 'Disney', 'Disney+']
    for (const language of ['english', 'french', 'none']) {
      const generation = await texts(
        Object.fromEntries(names.map((name, index) => [`${index}`, name])),
        spec(false, language),
      )
      for (const [index, name] of names.entries())
        for (const text of [name, name.toLowerCase()]) {
          const [first] = await order(generation, typing(text, { typos: typoLengths, matching: 'relaxed' }))
          assert.equal(first, `${index}`, `${language} ${text}`)
        }
      assert.equal((await order(generation, plain('c++')))[0], '2', language)
      assert.equal((await order(generation, typing('c+')))[0] === undefined, false)
    }
    const generation = await texts({ plus: 'learn C++', sharp: 'learn C#', plain: 'learn C' }, spec(false))
    const excluding = { ...plain('learn'), text: { ...emptyText, words: ['learn'], excludedWords: ['c++'] } }
    assert.deepEqual(await findIds(generation, excluding), ['plain', 'sharp'])
    assert.deepEqual(await findIds(generation, plain('c++ learn', { matching: 'all' })), [
      'plain',
      'plus',
      'sharp',
    ])
    assert.equal(
      (await order(generation, plain('c++ learn', { matching: 'all', ranking: 'words' })))[0],
      'plus',
    )
  })

  it('ignores stop words of the collection if there are other words', async () => {
    const generation = await texts({ rail: 'Via Rail', train: 'Train to Rome', via: 'Via' }, spec(false))
    const ignoring = (node: MatchNode, more: object = {}): MatchNode => ({
      ...node,
      text: { ...node.text, ignoredWords: ['via'], ...more },
    })
    const needsAll = { matching: 'all' as const }
    assert.deepEqual(await findIds(generation, ignoring(plain('train via', needsAll))), ['train'])
    assert.deepEqual(await findIds(generation, plain('train via', needsAll)), [])
    assert.deepEqual(await findIds(generation, ignoring(plain('via train'))), ['train'])
    assert.deepEqual(await findIds(generation, ignoring(plain('via'))), ['rail', 'via'])
    assert.deepEqual(await findIds(generation, ignoring(plain('the via'))), ['rail', 'via'])
    const optional = { mayLackUnfinished: true as const }
    assert.deepEqual(await findIds(generation, ignoring(typing('train via', needsAll), optional)), ['train'])
    const unfinishedNode: MatchNode = { ...typing('train vi', needsAll) }
    assert.deepEqual(
      await findIds(generation, { ...unfinishedNode, text: { ...unfinishedNode.text, ...optional } }),
      ['train'],
    )
    assert.deepEqual(await findIds(generation, unfinishedNode), [])
    assert.deepEqual(await order(generation, ignoring(typing('rail via', needsAll), optional)), ['rail'])
  })

  it('finds words inside longer ones, after all other matches', async () => {
    const generation = await texts(
      { whole: 'proof of payment', inside: 'waterproof coat', end: 'foolproof plan', other: 'water coat' },
      spec(false),
    )
    const contains = { contains: true, ranking: 'words' as const }
    assert.deepEqual(await findIds(generation, plain('proof')), ['whole'])
    const hits = await order(generation, plain('proof', contains))
    assert.deepEqual([hits[0], hits.toSorted()], ['whole', ['end', 'inside', 'whole']])
    assert.deepEqual(await findIds(generation, plain('ROOF', contains)), ['end', 'inside', 'whole'])
    assert.deepEqual(await findIds(generation, plain('of', contains)), ['whole'])
    assert.deepEqual(await findIds(generation, plain('at', contains)), [])
    assert.deepEqual(await order(generation, plain('proof coat', { ...contains, matching: 'all' })), [
      'inside',
    ])
    assert.equal((await order(generation, plain('coat proof', contains))).at(-1), 'end')
    const seven = await order(generation, plain('proof a1 b1 c1 d1 e1 f1', contains))
    assert.deepEqual([seven[0], seven.length], ['whole', 3])
    const typed = { ...contains, typos: typoLengths }
    assert.deepEqual(await findIds(generation, typing('olproo', typed)), ['end'])
    const [first] = (
      await engine().search(
        generation,
        { ...makePlan([plain('proof', contains)]), highlight: { fields: ['text'], snippets: 1, chars: 100 } },
        deadlineMs,
      )
    ).hits.slice(-1)
    assert.match(first?.highlights?.text?.[0] ?? '', /<mark>(water|fool)proof<\/mark>/)
  })

  it('ranks words as they were typed first among equals', async () => {
    const firsts = async (language: string, values: string[]) => {
      const generation = await texts(
        Object.fromEntries(values.map((value, index) => [`${index}`, value])),
        spec(false, language),
      )
      for (const [index, value] of values.entries())
        for (const options of [{}, { typos: typoLengths, matching: 'relaxed' as const }])
          assert.equal(
            (await order(generation, typing(value, options)))[0],
            `${index}`,
            `${language} ${value}`,
          )
      return generation
    }
    await firsts('general', ['Los Ángeles', 'Los Angeles', 'Resume', 'Résumé', 'Елка', 'Ёлка'])
    await firsts('none', ['aao', 'åäö', 'pêche melba', 'péché melba', 'us', 'US'])
    await firsts('english', ['wings', 'wing', 'winging'])
    const generation = await texts(
      { a: 'châtiment et crime', b: 'le chat noir de la maison' },
      spec(false, 'french'),
    )
    assert.equal((await order(generation, typing('chat')))[0], 'b')
    const kings = await texts({ a: 'kings and hats', b: 'kings with hats', c: 'kings hats' }, spec(false))
    for (const text of ['kings with', 'kings with h'])
      assert.equal((await order(kings, typing(text, { matching: 'all' })))[0], 'b', text)
  })
}
