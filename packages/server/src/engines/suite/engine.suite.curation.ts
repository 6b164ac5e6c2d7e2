/** Tests pinned and buried documents. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Plan, PlanNode } from '#engines/engine'
import { chooseRuns } from '#test-runs'
import { type Bench, deadlineMs, filter, makePlan, match, near } from './engine.suite.plans.ts'

export function curationSuite({ engine, generationWith, ids }: Bench): void {
  const curated = (text: string, pinned: string[], buried: string[] = []): PlanNode => ({
    ...match(text),
    pinned,
    buried,
  })
  const shelf = () =>
    generationWith({
      a: { title: 'bank bank', tag: 'x' },
      b: { title: 'bank of the river', tag: 'x' },
      c: { title: 'bank of a wide and very long river', tag: 'y' },
      d: { title: 'shore', tag: 'x' },
      e: { title: 'beach', tag: 'y' },
    })

  describe('curation', () => {
    it('puts pinned documents first in the given order, even without the words, and buried ones last', async () => {
      const generation = await shelf()
      assert.deepEqual(await ids(generation, makePlan([curated('bank', ['e', 'c'], ['a'])])), [
        'e',
        'c',
        'b',
        'a',
      ])
      assert.deepEqual(await ids(generation, makePlan([curated('unknown', ['d', 'never there'])])), ['d'])
      assert.deepEqual(await ids(generation, makePlan([curated('bank', ['c'], ['c'])])), ['c', 'a', 'b'])
    })

    it('applies filters, restrictions and other nodes to pinned documents', async () => {
      const generation = await shelf()
      const node = curated('bank', ['e', 'd'])
      const restriction = filter('tag', ['x'])
      assert.deepEqual(await ids(generation, makePlan([node, restriction])), ['d', 'a', 'b'])
      assert.deepEqual(await ids(generation, { ...makePlan([node]), restrictions: [restriction] }), [
        'd',
        'a',
        'b',
      ])
      assert.deepEqual(await ids(generation, makePlan([node, match('river')])), ['b', 'c'])
    })

    it('gives pinned documents probability 1 and does not change that of others', async () => {
      const generation = await shelf()
      const uncurated = await engine().search(generation, makePlan([match('bank')]), deadlineMs)
      const plan = { ...makePlan([curated('bank', ['e'])]), statistics: true }
      const curatedReply = await engine().search(generation, plan, deadlineMs)
      near(curatedReply.best, uncurated.best)
      assert.equal(curatedReply.hits[0]?.score, curatedReply.best)
      assert.deepEqual(
        curatedReply.hits.slice(1).map(({ score }) => score),
        uncurated.hits.map(({ score }) => score),
      )
      assert.equal(curatedReply.statistics?.at(-1), 4)
      const alone = await engine().search(generation, makePlan([curated('unknown', ['d'])]), deadlineMs)
      assert.equal(alone.hits[0]?.score, alone.best)
    })

    it('gives the best of the buried documents probability 1 if nothing else is found', async () => {
      const generation = await shelf()
      const uncurated = await engine().search(generation, makePlan([match('bank')]), deadlineMs)
      const plan = makePlan([curated('bank', [], ['a', 'b', 'c'])])
      const { hits, best } = await engine().search(generation, plan, deadlineMs)
      assert.deepEqual(
        hits.map(({ entity }) => JSON.parse(entity).id),
        uncurated.hits.map(({ entity }) => JSON.parse(entity).id),
      )
      for (const [index, { score }] of hits.entries())
        near(score / best, (uncurated.hits[index]?.score ?? 0) / uncurated.best)
    })

    it('totals, statistics, facets and pages agree for any order of nodes', async () => {
      const generation = await generationWith(
        Object.fromEntries(
          Array.from({ length: 60 }, (_, index) => [
            `d${index}`,
            {
              title: ['bank', 'river bank', 'shore', 'bank bank'][index % 4],
              tag: index % 3 ? ['x'] : ['x', 'y'],
              year: index % 7,
            },
          ]),
        ),
      )
      const id = fc.integer({ min: 0, max: 69 }).map(index => `d${index}`)
      const idList = fc.uniqueArray(id, { maxLength: 8 })
      const property = fc.asyncProperty(
        idList,
        idList,
        fc.constantFrom('bank', 'river', 'nowhere'),
        fc.constantFrom<PlanNode[]>([], [filter('tag', ['y'])], [filter('year', [1, 2])]),
        fc.constantFrom(0, 0.5),
        async (pinned, buried, text, filters, cutoff) => {
          const nodes = [curated(text, pinned, buried), ...filters]
          const plan: Plan = {
            ...makePlan(nodes),
            cutoff,
            statistics: true,
            facet: { field: 'tag', offset: 0, count: 10, selected: ['y'] },
          }
          const { facet, ...reply } = await engine().search(generation, plan, deadlineMs)
          const reversed = await engine().search(
            generation,
            { ...plan, nodes: nodes.toReversed() },
            deadlineMs,
          )
          assert.deepEqual(reversed, { facet, ...reply })
          assert.equal(reply.total, reply.hits.length)
          assert.equal(reply.statistics?.at(-1), reply.total)
          const probabilities = reply.hits.map(({ score }) => score / reply.best)
          assert.ok(probabilities.every((p, index) => p > 0 && p <= (probabilities[index - 1] ?? 1)))
          for (const [index, number] of reply.statistics?.entries() ?? [])
            assert.equal(number, probabilities.filter(p => p >= Number(((9 - index) / 10).toFixed(1))).length)
          const pages = await Promise.all(
            [0, 7, 14, 21, 28, 35, 42, 49, 56].map(offset =>
              engine().search(generation, { ...plan, offset, count: 7 }, deadlineMs),
            ),
          )
          assert.deepEqual(
            pages.flatMap(({ hits }) => hits),
            reply.hits,
          )
          if (cutoff === 0) {
            const narrowed = { ...plan, nodes: [...nodes, filter('tag', ['y'])] }
            const { total } = await engine().search(generation, narrowed, deadlineMs)
            assert.equal(total, facet?.selected[0]?.count)
          }
          const foundIds = reply.hits.map(({ entity }) => JSON.parse(entity).id as string)
          const first = pinned.filter(candidate => foundIds.includes(candidate))
          assert.deepEqual(foundIds.slice(0, first.length), first)
          const last = foundIds.filter(candidate => buried.includes(candidate) && !pinned.includes(candidate))
          assert.deepEqual(foundIds.slice(foundIds.length - last.length), last)
        },
      )
      await fc.assert(property, { numRuns: chooseRuns(30, 120), endOnFailure: true })
    })

    it('does not change ranks within a mix', async () => {
      const generation = await shelf()
      const mix: PlanNode = { kind: 'mix', by: 'rank', parts: [{ weight: 1, node: match('bank shore') }] }
      const plan = makePlan([curated('bank', ['d']), mix])
      assert.deepEqual(await ids(generation, plan), ['d', 'a', 'b', 'c'])
    })
  })
}
