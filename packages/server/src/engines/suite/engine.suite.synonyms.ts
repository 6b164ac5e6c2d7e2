import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { PlanNode } from '#engines/engine'
import {
  type Bench,
  library,
  makePlan,
  match,
  near,
  phrase,
  unfinished,
  withSynonyms,
} from './engine.suite.plans.ts'

/** Tests synonyms: words and phrases of a query find the other members of their sets. */
export function synonymsSuite({ generationWith, ids, scores }: Bench): void {
  it('finds synonyms of one and of several words', async () => {
    const addSynonyms = withSynonyms([['TV', 'television', 'goggle box']])
    const generation = await generationWith(
      {
        a: { title: 'my tv' },
        b: { title: 'televisions' },
        c: { title: 'the goggle box' },
        d: { title: 'box' },
      },
      library,
    )
    for (const word of ['tv', 'Television']) {
      assert.deepEqual((await ids(generation, makePlan([addSynonyms(match(word))]))).toSorted(), [
        'a',
        'b',
        'c',
      ])
    }
  })

  it('finds synonyms by other forms of a word, each once', async () => {
    const sets = [
      ['picture', 'painting', 'paintings', 'work of art'],
      ['C++', 'cpp'],
      ['C#', 'csharp'],
    ]
    const documents = {
      a: { title: 'the picture' },
      b: { title: 'two paintings' },
      c: { title: 'works of art' },
      d: { title: 'cpp' },
      e: { title: 'csharp' },
      f: { title: 'art at work' },
    }
    const generation = await generationWith(documents, library)
    const addSynonyms = withSynonyms(sets)
    for (const word of ['picture', 'Pictures', 'paintings'])
      assert.deepEqual(
        (await ids(generation, makePlan([addSynonyms(match(word))]))).toSorted(),
        ['a', 'b', 'c'],
        word,
      )
    assert.deepEqual(
      await ids(generation, makePlan([addSynonyms(match('c++'))])),
      ['d'],
      'as it stands in its set',
    )
    const addOne = withSynonyms([['picture', 'painting']])
    const ofMany = await scores(generation, makePlan([addSynonyms(match('picture'))]))
    const ofOne = await scores(generation, makePlan([addOne(match('picture'))]))
    assert.equal(ofMany.b, ofOne.b, 'two forms of one word count no more than one')
  })

  it('finds synonyms of a phrase at any place of the query and in any form', async () => {
    const addSynonyms = withSynonyms([['tv', 'television', 'flat screen']])
    const generation = await generationWith(
      {
        a: { title: 'a tv' },
        b: { title: 'two televisions' },
        c: { title: 'my flat screens' },
        d: { title: 'screen of a flat' },
        e: { title: 'a garden chair' },
      },
      library,
    )
    const searchIds = async (node: PlanNode) =>
      (await ids(generation, makePlan([addSynonyms(node)]))).toSorted()
    assert.deepEqual(await searchIds(match('tv')), ['a', 'b', 'c'])
    for (const text of ['flat screen', 'Flat-Screens', 'a flat screen'])
      assert.deepEqual(await searchIds(match(text)), ['a', 'b', 'c', 'd'], text)
    assert.deepEqual(await searchIds(match('garden flat screen chair')), ['a', 'b', 'c', 'd', 'e'])
    for (const text of ['screen flat', 'flat garden screen'])
      assert.ok(!(await searchIds(match(text))).includes('a'), text)
    assert.deepEqual(await searchIds(phrase('flat screen')), ['c'], 'a phrase in quotes is itself only')
    assert.deepEqual(await searchIds(unfinished('screen', 'flat')), ['a', 'b', 'c', 'd'])
    const excluding = match('flat screen')
    excluding.text.excludedWords = ['television']
    assert.deepEqual(await searchIds(excluding), ['a', 'c', 'd'])
    const byScore = await scores(generation, makePlan([addSynonyms(match('flat screen'))]))
    const byOne = await scores(generation, makePlan([addSynonyms(match('tv'))]))
    near(byScore.a, byOne.a ?? 0)
  })

  it('uses the longest member of a set, without overlaps', async () => {
    const addSynonyms = withSynonyms([
      ['new york', 'nyc'],
      ['new york city', 'gotham'],
      ['york', 'jorvik'],
    ])
    const generation = await generationWith(
      { a: { title: 'nyc' }, b: { title: 'gotham' }, c: { title: 'jorvik' } },
      library,
    )
    assert.deepEqual(await ids(generation, makePlan([addSynonyms(match('new york city'))])), ['b'])
    assert.deepEqual(await ids(generation, makePlan([addSynonyms(match('new york times'))])), ['a'])
    assert.deepEqual(await ids(generation, makePlan([addSynonyms(match('york'))])), ['c'])
  })

  it('reads a one-way set of synonyms in one direction', async () => {
    const addSynonyms = withSynonyms([{ from: ['js', 'web script'], to: ['javascript', 'ecma script'] }])
    const generation = await generationWith(
      {
        a: { title: 'js' },
        b: { title: 'javascript' },
        c: { title: 'ecma script' },
        d: { title: 'web script' },
      },
      library,
    )
    const searchIds = async (text: string) =>
      (await ids(generation, makePlan([addSynonyms(match(text))]))).toSorted()
    assert.deepEqual(await searchIds('js'), ['a', 'b', 'c'])
    assert.deepEqual(await searchIds('web'), ['d'])
    assert.deepEqual(await searchIds('web script'), ['b', 'c', 'd'])
    assert.deepEqual(await searchIds('javascript'), ['b'])
    assert.deepEqual(await searchIds('ecma'), ['c'])
  })

  it('keeps the symbols of members, and finds them joined and apart', async () => {
    const addSynonyms = withSynonyms([
      ['C++', 'cpp'],
      ['C#', 'csharp'],
      ['t-shirt', 'tee'],
      ['AX-100/B', 'old-9'],
    ])
    const generation = await generationWith(
      {
        c: { title: 'C programming' },
        cplus: { title: 'C++ primer' },
        cpp: { title: 'modern cpp' },
        csharp: { title: 'csharp cookbook' },
        tee: { title: 'cotton tee' },
        shirt: { title: 'TShirt' },
        seal: { title: 'Seal old-9' },
      },
      library,
    )
    const searchIds = async (text: string) =>
      (await ids(generation, makePlan([addSynonyms({ ...match(text), matching: 'all' })]))).toSorted()
    assert.deepEqual(await searchIds('cpp'), ['cplus', 'cpp'])
    assert.ok((await searchIds('c#')).includes('csharp'))
    assert.deepEqual(await searchIds('c'), ['c', 'cplus'])
    for (const text of ['tshirt', 't-shirt', 'T Shirt', 'tee'])
      assert.deepEqual(await searchIds(text), ['shirt', 'tee'], text)
    for (const text of ['ax100b', 'AX-100/B', 'ax 100 b'])
      assert.deepEqual(await searchIds(text), ['seal'], text)
  })
}
