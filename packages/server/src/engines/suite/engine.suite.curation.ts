/** What every engine promises of pinned and buried documents. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Plan, PlanNode } from '#engines/engine'
import { type Bench, deadlineMs, filter, match, near, planOf } from './engine.suite.plans.ts'

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
    it('pins documents first in the given order, also without the words, and buries others last', async () => {
      const generation = await shelf()
      assert.deepEqual(await ids(generation, planOf([curated('bank', ['e', 'c'], ['a'])])), [
        'e',
        'c',
        'b',
        'a',
      ])
      assert.deepEqual(await ids(generation, planOf([curated('unknown', ['d', 'never there'])])), ['d'])
      assert.deepEqual(await ids(generation, planOf([curated('bank', ['c'], ['c'])])), ['c', 'a', 'b'])
    })

    it('keeps pinned documents within filters, restrictions and what else must match', async () => {
      const generation = await shelf()
      const node = curated('bank', ['e', 'd'])
      const only = filter('tag', ['x'])
      assert.deepEqual(await ids(generation, planOf([node, only])), ['d', 'a', 'b'])
      assert.deepEqual(await ids(generation, { ...planOf([node]), restrictions: [only] }), ['d', 'a', 'b'])
      assert.deepEqual(await ids(generation, planOf([node, match('river')])), ['b', 'c'])
    })

    it('gives what is pinned the probability 1 and leaves that of others alone', async () => {
      const generation = await shelf()
      const without = await engine().search(generation, planOf([match('bank')]), deadlineMs)
      const plan = { ...planOf([curated('bank', ['e'])]), statistics: true }
      const found = await engine().search(generation, plan, deadlineMs)
      near(found.best, without.best)
      assert.equal(found.hits[0]?.score, found.best)
      assert.deepEqual(
        found.hits.slice(1).map(({ score }) => score),
        without.hits.map(({ score }) => score),
      )
      assert.equal(found.statistics?.at(-1), 4)
      const alone = await engine().search(generation, planOf([curated('unknown', ['d'])]), deadlineMs)
      assert.equal(alone.hits[0]?.score, alone.best)
    })

    it('totals, statistics, facets and pages agree, in whatever order the nodes stand', async () => {
      const generation = await generationWith(
        Object.fromEntries(
          Array.from({ length: 60 }, (_, at) => [
            `d${at}`,
            {
              title: ['bank', 'river bank', 'shore', 'bank bank'][at % 4],
              tag: at % 3 ? ['x'] : ['x', 'y'],
              year: at % 7,
            },
          ]),
        ),
      )
      const id = fc.integer({ min: 0, max: 69 }).map(at => `d${at}`)
      const some = fc.uniqueArray(id, { maxLength: 8 })
      const property = fc.asyncProperty(
        some,
        some,
        fc.constantFrom('bank', 'river', 'nowhere'),
        fc.constantFrom<PlanNode[]>([], [filter('tag', ['y'])], [filter('year', [1, 2])]),
        fc.constantFrom(0, 0.5),
        async (pinned, buried, text, filters, cutoff) => {
          const nodes = [curated(text, pinned, buried), ...filters]
          const plan: Plan = {
            ...planOf(nodes),
            cutoff,
            statistics: true,
            facet: { field: 'tag', offset: 0, count: 10, selected: ['y'] },
          }
          const { facet, ...whole } = await engine().search(generation, plan, deadlineMs)
          const reversed = await engine().search(
            generation,
            { ...plan, nodes: nodes.toReversed() },
            deadlineMs,
          )
          assert.deepEqual(reversed, { facet, ...whole })
          assert.equal(whole.total, whole.hits.length)
          assert.equal(whole.statistics?.at(-1), whole.total)
          const probabilities = whole.hits.map(({ score }) => score / whole.best)
          assert.ok(probabilities.every((p, at) => p > 0 && p <= (probabilities[at - 1] ?? 1)))
          for (const [at, number] of whole.statistics?.entries() ?? [])
            assert.equal(number, probabilities.filter(p => p >= Number(((9 - at) / 10).toFixed(1))).length)
          const pages = await Promise.all(
            [0, 7, 14, 21, 28, 35, 42, 49, 56].map(offset =>
              engine().search(generation, { ...plan, offset, count: 7 }, deadlineMs),
            ),
          )
          assert.deepEqual(
            pages.flatMap(({ hits }) => hits),
            whole.hits,
          )
          if (cutoff === 0) {
            const narrowed = { ...plan, nodes: [...nodes, filter('tag', ['y'])] }
            const { total } = await engine().search(generation, narrowed, deadlineMs)
            assert.equal(total, facet?.selected[0]?.count)
          }
          const found = whole.hits.map(({ entity }) => JSON.parse(entity).id as string)
          const first = pinned.filter(other => found.includes(other))
          assert.deepEqual(found.slice(0, first.length), first)
          const last = found.filter(other => buried.includes(other) && !pinned.includes(other))
          assert.deepEqual(found.slice(found.length - last.length), last)
        },
      )
      await fc.assert(property, { numRuns: 60 })
    })

    it('leaves the ranks within a mix alone', async () => {
      const generation = await shelf()
      const mix: PlanNode = { kind: 'mix', by: 'rank', parts: [{ weight: 1, node: match('bank shore') }] }
      const plan = planOf([curated('bank', ['d']), mix])
      assert.deepEqual(await ids(generation, plan), ['d', 'a', 'b', 'c'])
    })
  })
}
