import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Bench, emptyText, makePlan, match, phrase } from './engine.suite.plans.ts'

/** Tests phrases and stop words. */
export function phrasesSuite({ generationWith, ids }: Bench): void {
  it('finds phrases in their word order only', async () => {
    const generation = await generationWith({
      a: { title: 'swept wing of steel' },
      b: { title: 'steel wing, swept' },
    })
    assert.deepEqual(await ids(generation, makePlan([phrase('swept wings')])), ['a'])
    assert.deepEqual(await ids(generation, makePlan([phrase('wing of steel')])), ['a'])
    assert.deepEqual(
      await ids(
        generation,
        makePlan([
          { ...phrase('swept wing'), text: { ...emptyText, words: ['steel'], phrases: ['swept wing'] } },
        ]),
      ),
      ['a', 'b'],
    )
  })

  it('finds the stop words of a phrase where they stand among other words', async () => {
    const generation = await generationWith({
      a: { title: 'best of the who' },
      b: { title: 'who is the best' },
      c: { title: 'wing of steel' },
      d: { title: 'wing and steel, wing for steel' },
      e: { title: ['made of', 'steel'] },
      f: { title: 'the steel wing', text: 'of steel' },
    })
    const find = async (text: string) => (await ids(generation, makePlan([phrase(text)]))).toSorted()
    assert.deepEqual(await find('the who'), ['a'])
    assert.deepEqual(await find('of the who'), ['a'])
    assert.deepEqual(await find('the best'), ['b'])
    assert.deepEqual(await find('who is the best'), ['b'])
    assert.deepEqual(await find('wing of steel'), ['c'])
    assert.deepEqual(await find('wings and steel'), ['d'])
    assert.deepEqual(await find('of steel'), ['c', 'f'])
    assert.deepEqual(await find('wing the steel'), [])
    for (const matching of ['any', 'all', 'relaxed'] as const) {
      const wordAndPhrase = {
        ...match(''),
        matching,
        text: { ...emptyText, words: ['best'], phrases: ['the who'] },
      }
      const hits = await ids(generation, makePlan([wordAndPhrase]))
      assert.deepEqual(hits, matching === 'any' ? ['a', 'b'] : ['a'])
    }
    const excluding = {
      ...match(''),
      text: { ...emptyText, words: ['wing'], excludedPhrases: ['wing of steel'] },
    }
    assert.deepEqual((await ids(generation, makePlan([excluding]))).toSorted(), ['d', 'f'])
  })

  it('uses stop words only if there are no other words', async () => {
    const generation = await generationWith({
      a: { title: 'the wing' },
      b: { title: 'the bird' },
      c: { title: 'to be or not to be' },
    })
    assert.deepEqual(await ids(generation, makePlan([match('the wing')])), ['a'])
    assert.deepEqual(await ids(generation, makePlan([match('the')])), ['a', 'b'])
    assert.deepEqual(await ids(generation, makePlan([phrase('to be or not to be')])), ['c'])
    assert.deepEqual(await ids(generation, makePlan([phrase('be to or')])), [])
  })

  it('finds phrases of stop words only where they stand side by side', async () => {
    const generation = await generationWith({
      a: { title: 'out of the blue' },
      b: { title: 'of all the birds' },
      c: { title: ['made of', 'the wing'] },
      d: { title: 'the wing of it, in the' },
      e: { title: 'the end of the of the line' },
    })
    const find = async (text: string) => (await ids(generation, makePlan([phrase(text)]))).toSorted()
    assert.deepEqual(await find('of the'), ['a', 'e'])
    assert.deepEqual(await find('the of'), ['e'])
    assert.deepEqual(await find('of the of'), ['e'])
    assert.deepEqual(await find('out of the'), ['a'])
    assert.deepEqual(await find('of it in the'), ['d'])
    assert.deepEqual(await find('in it'), [])
    const excluding = {
      ...match(''),
      text: { ...emptyText, words: ['wing'], excludedPhrases: ['in the'] },
    }
    assert.deepEqual(await ids(generation, makePlan([excluding])), ['c'])
  })
}
