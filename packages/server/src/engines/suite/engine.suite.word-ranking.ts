import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { GenerationSpec, PlanNode } from '#engines/engine'
import {
  type Bench,
  corrected,
  deadlineMs,
  filter,
  makePlan,
  match,
  phrase,
  unfinished,
  withSynonyms,
} from './engine.suite.plans.ts'

/** Tests `ranking: 'words'`, `exact` and `matching`. */
export function wordRankingSuite({ engine, generationWith, ids }: Bench): void {
  const order = (generation: string, node: PlanNode) => ids(generation, makePlan([node]))
  const find = async (generation: string, nodes: PlanNode[], restrictions: PlanNode[] = []) => {
    const plan = { ...makePlan(nodes), restrictions }
    const { hits, relaxed = [] } = await engine().search(generation, plan, deadlineMs)
    return { found: hits.map(({ entity }) => JSON.parse(entity).id as string).toSorted(), relaxed }
  }

  it('ranks more words first, then fewer typos, then whole words before completions', async () => {
    const generation = await generationWith(
      {
        whole: { title: `${filler} steel ${filler} bridge` },
        completed: { title: 'steel bridges', text: 'steel bridges' },
        corrected: { title: 'steal bridge', text: 'steal bridge' },
        both: { title: 'steal bridgework', text: 'steal bridgework' },
        repeated: { title: 'steel steel steel', text: 'steel steel' },
      },
      plain,
    )
    const node = { ...corrected(''), text: unfinished('bridge', 'steel').text }
    assert.deepEqual(await order(generation, node), ['whole', 'completed', 'corrected', 'both', 'repeated'])
  })

  it('ranks texts of more than 6 words by their scores, because they describe what they look for', async () => {
    const common = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`common${index}`, { title: 'many other words stand' }]),
    )
    const generation = await generationWith({ ...common, rare: { title: 'zeppelin bridge' } }, plain)
    const first = async (text: string) => (await order(generation, corrected(text)))[0]
    assert.equal(await first('many other words zeppelin bridge'), 'common0')
    assert.equal(await first('many other words stand zeppelin bridge here'), 'rare')
    assert.equal(await first('many other words stand zeppelim brige here'), 'rare')
  })

  it('counts a word once, however many of its variants a document has', async () => {
    const generation = await generationWith(
      {
        many: { title: 'steal steep steer', text: 'steal steep steer' },
        two: { title: `steel wing ${filler}` },
        one: { title: `steel ${filler}` },
      },
      plain,
    )
    assert.deepEqual(await order(generation, corrected('steel wing')), ['two', 'one', 'many'])
  })

  it('ranks documents with the same words by BM25', async () => {
    const generation = await generationWith(
      {
        long: { title: `steel ${filler}` },
        short: { title: 'steel' },
        repeated: { title: 'steel steel', text: 'steel' },
      },
      plain,
    )
    const node = { ...corrected('steel'), fields: [{ name: 'title', weight: 1 }] }
    assert.deepEqual((await order(generation, node)).at(-1), 'long')
  })

  it('ranks documents with the same words by how close together they stand, in the order of the query', async () => {
    const generation = await generationWith(
      {
        apart: { title: 'steel a b c d e wing' },
        near: { title: 'a b steel c d e wing' },
        neighbors: { title: 'a b c d steel wing e' },
        reversed: { title: 'a b c d wing steel e' },
        separate: { title: 'a b c steel', text: 'wing d e' },
      },
      plain,
    )
    const node = { ...corrected('steel wing'), fields: [{ name: 'title', weight: 1 }] }
    assert.deepEqual(await order(generation, node), ['neighbors', 'near', 'apart', 'reversed', 'separate'])
    const withCompletion = unfinished('e', 'steel', 'wing')
    assert.equal((await order(generation, withCompletion))[0], 'neighbors')
    const withStopWords = await generationWith(
      {
        far: { title: 'steel crane iron girder of the wing' },
        near: { title: 'steel of the wing crane iron girder' },
      },
      english,
    )
    assert.deepEqual(await order(withStopWords, corrected('steel of the wing')), ['near', 'far'])
  })

  it('puts a text that is the query first, whatever its case, accents and punctuation', async () => {
    const documents = {
      a: { title: 'steel wing wing', text: 'steel wing steel wing' },
      b: { title: `${filler}`, text: 'Stéel: wing!' },
      c: { title: 'wing steel' },
      d: { title: ['steel', 'wing'] },
    }
    const generation = await generationWith(documents, plain)
    for (const node of [corrected('steel wing'), match('steel wing'), unfinished('wing', 'steel')]) {
      assert.equal((await order(generation, { ...node, exact: true }))[0], 'b')
      assert.notEqual((await order(generation, node))[0], 'b')
    }
    assert.equal((await order(generation, { ...unfinished('win', 'steel'), exact: true })).length, 4)
    const withStopWords = await generationWith(
      { a: { title: 'state of the art' }, b: { title: 'state art' }, c: { title: 'the state of the art' } },
      english,
    )
    assert.equal((await order(withStopWords, { ...match('state of the art'), exact: true }))[0], 'a')
    assert.equal((await order(withStopWords, { ...match('states of the art'), exact: true })).length, 3)
  })

  it('needs every word with `all`', async () => {
    const generation = await generationWith(
      {
        a: { title: 'steel wing' },
        b: { title: 'steel', text: 'wings' },
        c: { title: 'steel' },
        d: { title: 'the winged steels' },
      },
      english,
    )
    const findAll = (node: PlanNode) => find(generation, [{ ...node, matching: 'all' } as PlanNode])
    assert.deepEqual((await findAll(match('steel wing'))).found, ['a', 'b', 'd'])
    assert.deepEqual((await findAll(match('the steel'))).found, ['a', 'b', 'c', 'd'])
    assert.deepEqual((await findAll(match('steel wing zebra'))).found, [])
    assert.deepEqual((await findAll(match(''))).found, ['a', 'b', 'c', 'd'])
    assert.deepEqual((await findAll(corrected('steal wimg'))).found, ['a'])
    assert.deepEqual((await findAll(unfinished('wi', 'steel'))).found, ['a', 'b', 'd'])
    assert.deepEqual((await findAll(phrase('steel wing'))).found, ['a'])
    const mixed = phrase('steel wing')
    mixed.text.words = ['zebra']
    assert.deepEqual((await findAll(mixed)).found, [])
  })

  it('needs one of the members of a synonym set for each word', async () => {
    const generation = await generationWith(
      {
        a: { title: 'flat screen stand' },
        b: { title: 'tv stand' },
        c: { title: 'television' },
        d: { title: 'stand' },
      },
      english,
    )
    const addSynonyms = withSynonyms([['tv', 'television', 'flat screen']])
    for (const text of ['tv stand', 'flat screen stand', 'television stand'])
      assert.deepEqual(
        (await find(generation, [addSynonyms({ ...match(text), matching: 'all' })])).found,
        ['a', 'b'],
        text,
      )
  })

  it('names similar words where no visible document matches', async () => {
    const documents = {
      a: { title: 'steel bridge', tag: 'x' },
      b: { title: 'steal nothing', tag: 'y' },
      c: { title: 'bridges of steel', tag: 'x' },
    }
    for (const spec of [english, withoutTyped]) {
      const generation = await generationWith(documents, spec)
      const correct = async (node: PlanNode, restrictions: PlanNode[] = []) => {
        const plan = { ...makePlan([node]), restrictions, suggest: true }
        return (await engine().search(generation, plan, deadlineMs)).corrections ?? []
      }
      assert.deepEqual(await correct(match('stoel')), [{ word: 'stoel', alternatives: ['steel', 'steal'] }])
      assert.deepEqual(await correct(match('stoel'), [filter('tag', ['x'])]), [
        { word: 'stoel', alternatives: ['steel'] },
      ])
      const [correction, ...others] = await correct({ ...match('steel Brigde'), matching: 'all' })
      assert.deepEqual([correction?.word, correction?.alternatives[0], others], ['Brigde', 'bridge', []])
      assert.deepEqual(await correct(match('nothnig'), [filter('tag', ['x'])]), [])
      // Without the words as typed, only their stems can be compared.
      const expected = spec === english ? [{ word: 'nothnig', alternatives: ['nothing'] }] : []
      assert.deepEqual(await correct(match('nothnig')), expected)
      assert.deepEqual(await correct(match('zebra 1984')), [])
      assert.deepEqual(await correct(match('steel')), [])
    }
  })

  it('drops the words that no document has, then the most frequent, with `relaxed`', async () => {
    const generation = await generationWith(
      {
        a: { title: 'steel wing', tag: 'x' },
        b: { title: 'steel bridge', tag: 'y' },
        c: { title: 'steel cable', tag: 'y' },
        d: { title: 'rope cable', tag: 'x' },
        e: { title: 'cable car', tag: 'x' },
      },
      english,
    )
    const relaxed = (text: string, restrictions: PlanNode[] = []) =>
      find(generation, [{ ...match(text), matching: 'relaxed' }], restrictions)
    assert.deepEqual(await relaxed('steel wing'), { found: ['a'], relaxed: [] })
    assert.deepEqual(await relaxed('Steel zebra'), { found: ['a', 'b', 'c'], relaxed: ['zebra'] })
    assert.deepEqual(await relaxed('steel rope'), { found: ['d'], relaxed: ['steel'] })
    // The last of the equally frequent words.
    assert.deepEqual(await relaxed('Steel Cable wing'), { found: ['a'], relaxed: ['Cable'] })
    assert.deepEqual(await relaxed('steel cable rope wing'), {
      found: ['d'],
      relaxed: ['cable', 'steel', 'wing'],
    })
    assert.deepEqual(await relaxed('zebra'), { found: [], relaxed: [] })
    // A hidden document has both, and steel is more frequent there.
    assert.deepEqual(await relaxed('steel cable', [filter('tag', ['x'])]), {
      found: ['a'],
      relaxed: ['cable'],
    })
    const countReply = await engine().search(
      generation,
      { ...makePlan([{ ...match('steel rope'), matching: 'relaxed' }]), count: 0 },
      deadlineMs,
    )
    assert.deepEqual([countReply.total, countReply.relaxed], [1, ['steel']])
  })
}

const filler = 'many other words stand here and there and everywhere'
const fields = (language: string) => [
  { name: 'title', type: 'text' as const, language, prefix: true },
  { name: 'text', type: 'text' as const, language, prefix: true },
  { name: 'tag', type: 'keyword' as const },
]
const withoutTyped: GenerationSpec = {
  fields: fields('english').map(field => ({ ...field, ...(field.type === 'text' && { prefix: false }) })),
}
const plain: GenerationSpec = { fields: fields('none') }
const english: GenerationSpec = { fields: fields('english') }
