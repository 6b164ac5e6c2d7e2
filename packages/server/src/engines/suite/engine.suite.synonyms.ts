import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { PlanNode } from '#engines/engine'
import { type Bench, library, makePlan, match, near, phrase, unfinished } from './engine.suite.plans.ts'

/** Tests synonyms: words and phrases of a query find the other members of their sets. */
export function synonymsSuite({ generationWith, ids, scores }: Bench): void {
  it('finds synonyms of one and of several words', async () => {
    const spec = { ...library, synonyms: [['TV', 'television', 'goggle box']] }
    const generation = await generationWith(
      {
        a: { title: 'my tv' },
        b: { title: 'televisions' },
        c: { title: 'the goggle box' },
        d: { title: 'box' },
      },
      spec,
    )
    for (const word of ['tv', 'Television']) {
      assert.deepEqual((await ids(generation, makePlan([match(word)]))).toSorted(), ['a', 'b', 'c'])
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
    const generation = await generationWith(documents, { ...library, synonyms: sets })
    for (const word of ['picture', 'Pictures', 'paintings'])
      assert.deepEqual((await ids(generation, makePlan([match(word)]))).toSorted(), ['a', 'b', 'c'], word)
    assert.deepEqual(await ids(generation, makePlan([match('c++')])), ['d'], 'as it stands in its set')
    const single = await generationWith(documents, { ...library, synonyms: [['picture', 'painting']] })
    const ofMany = await scores(generation, makePlan([match('picture')]))
    const ofOne = await scores(single, makePlan([match('picture')]))
    assert.equal(ofMany.b, ofOne.b, 'two forms of one word count no more than one')
  })

  it('finds synonyms of a phrase at any place of the query and in any form', async () => {
    const spec = { ...library, synonyms: [['tv', 'television', 'flat screen']] }
    const generation = await generationWith(
      {
        a: { title: 'a tv' },
        b: { title: 'two televisions' },
        c: { title: 'my flat screens' },
        d: { title: 'screen of a flat' },
        e: { title: 'a garden chair' },
      },
      spec,
    )
    const searchIds = async (node: PlanNode) => (await ids(generation, makePlan([node]))).toSorted()
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
    const byScore = await scores(generation, makePlan([match('flat screen')]))
    const byOne = await scores(generation, makePlan([match('tv')]))
    near(byScore.a, byOne.a ?? 0)
  })

  it('uses the longest member of a set, without overlaps', async () => {
    const synonyms = [
      ['new york', 'nyc'],
      ['new york city', 'gotham'],
      ['york', 'jorvik'],
    ]
    const generation = await generationWith(
      { a: { title: 'nyc' }, b: { title: 'gotham' }, c: { title: 'jorvik' } },
      { ...library, synonyms },
    )
    assert.deepEqual(await ids(generation, makePlan([match('new york city')])), ['b'])
    assert.deepEqual(await ids(generation, makePlan([match('new york times')])), ['a'])
    assert.deepEqual(await ids(generation, makePlan([match('york')])), ['c'])
  })

  it('reads a one-way set of synonyms in one direction', async () => {
    const synonyms = [{ from: ['js', 'web script'], to: ['javascript', 'ecma script'] }]
    const generation = await generationWith(
      {
        a: { title: 'js' },
        b: { title: 'javascript' },
        c: { title: 'ecma script' },
        d: { title: 'web script' },
      },
      { ...library, synonyms },
    )
    const searchIds = async (text: string) => (await ids(generation, makePlan([match(text)]))).toSorted()
    assert.deepEqual(await searchIds('js'), ['a', 'b', 'c'])
    assert.deepEqual(await searchIds('web'), ['d'])
    assert.deepEqual(await searchIds('web script'), ['b', 'c', 'd'])
    assert.deepEqual(await searchIds('javascript'), ['b'])
    assert.deepEqual(await searchIds('ecma'), ['c'])
  })
}
