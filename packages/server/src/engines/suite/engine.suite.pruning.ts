import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { GenerationSpec, Hit, Plan, PlanNode, Reply } from '#engines/engine'
import {
  type Bench,
  corrected,
  deadlineMs,
  filter,
  makePlan,
  match,
  matchAll,
  putDocument,
  unfinished,
} from './engine.suite.plans.ts'

/** Tests that pruning, which an engine may do without a total, does not change the page. */
export function pruningSuite({ engine, generationWith }: Bench): void {
  /** Four commits with texts of very different lengths, equal documents and deleted ones. */
  const fill = async () => {
    const generation = await generationWith({}, spec)
    for (const [commit, words] of [4, 40, 12, 1].entries()) {
      await engine().write(
        generation,
        Array.from({ length: 3_000 }, (_, index) =>
          putDocument(`${commit}-${index}`, documentAt(7 * commit + (index % 2_500), words)),
        ),
      )
      await engine().write(
        generation,
        Array.from({ length: 100 }, (_, index) => ({ delete: `${commit}-${index * 29}` })),
      )
      await engine().refresh(generation)
    }
    return generation
  }
  let filled: Promise<string> | undefined

  const assertSamePages = async (
    nodes: PlanNode[],
    restrictions: PlanNode[] = [],
    pages: readonly (readonly [offset: number, count: number])[] = shortPages,
  ) => {
    filled ??= fill()
    const generation = await filled
    const searchBoth = async (plan: Plan): Promise<readonly [whole: Reply, pruned: Reply]> => {
      const version = engine().version(generation)
      const replies = [
        await engine().search(generation, plan, deadlineMs),
        await engine().search(generation, { ...plan, total: false }, deadlineMs),
      ] as const
      // A merge of segments in between forgets the lengths of deleted documents, so that scores differ a little.
      return engine().version(generation) === version ? replies : searchBoth(plan)
    }
    for (const [offset, count] of pages) {
      const plan: Plan = { ...makePlan(nodes), restrictions, offset, count }
      const [{ total, ...fullReply }, { total: prunedTotal, ...page }] = await searchBoth(plan)
      assert.deepEqual(page, fullReply, `${JSON.stringify(nodes)} from ${offset}`)
      assert.ok(prunedTotal >= page.hits.length && prunedTotal <= total)
    }
  }

  it('returns the same page with and without the total', async () => {
    for (const query of ['w0', 'w1 w2', 'w0 w1 w2', 'w3 w40 w200', 'w0 w0 w399', 'w5 nowhere', 'nowhere'])
      await assertSamePages(
        [{ ...match(query), fields }],
        [],
        [...shortPages, [17, 5], [0, 100], [5_000, 20]],
      )
  })

  it('returns the same page of half-typed and misspelled words', async () => {
    const texts: Extract<PlanNode, { kind: 'match' }>[] = [
      unfinished('w'),
      unfinished('w1'),
      unfinished('w30'),
      unfinished('w300'),
      unfinished('w', 'w0'),
      unfinished('w1', 'w399', 'w2'),
      corrected('w399'),
      corrected('w1000 w0'),
      corrected('w1 w2 w398'),
      { ...corrected(''), text: unfinished('w38x', 'w39x').text },
      unfinished('nowhere', 'w7'),
    ]
    for (const text of texts)
      for (const exact of [false, true])
        for (const matching of ['any', 'all', 'relaxed'] as const)
          await assertSamePages([{ ...text, fields, exact, matching }])
  })

  it('pages by id make up the whole list, wherever its documents are among all ids', async () => {
    filled ??= fill()
    const generation = await filled
    const readIds = (hits: readonly Hit[]) => hits.map(({ entity }): string => JSON.parse(entity).id)
    const withCommit = (commit: number): PlanNode => ({
      kind: 'lookup',
      alternatives: [{ score: 1, values: Array.from({ length: 3_000 }, (_, index) => `${commit}-${index}`) }],
    })
    for (const restrictions of [[], [filter('tag', ['common'])], [withCommit(0)], [withCommit(3)]]) {
      const plan: Plan = { ...makePlan([matchAll]), order: [], restrictions, statistics: true, count: 12_000 }
      const wholeReply = await engine().search(generation, plan, deadlineMs)
      assert.ok(wholeReply.hits.length > 2_500)
      const pagedIds: string[] = []
      for (let position: string | undefined = ''; position !== undefined; ) {
        const page: Reply = await engine().search(
          generation,
          { ...plan, count: 900, after: position },
          deadlineMs,
        )
        assert.deepEqual(
          [page.total, page.best, page.statistics],
          [wholeReply.total, wholeReply.best, wholeReply.statistics],
        )
        pagedIds.push(...readIds(page.hits))
        position = page.next
      }
      assert.deepEqual(pagedIds, readIds(wholeReply.hits))
    }
  })

  it('returns the same page of filtered documents', async () => {
    const narrowing: [PlanNode[], PlanNode[]][] = [
      [[filter('year', [1, 2, 3])], []],
      [[], [filter('year', [4, 5])]],
      [[{ kind: 'range', field: 'year', from: 3, to: 8 }], [{ kind: 'range', field: 'year', to: 6 }]],
      [[filter('year', [9])], [filter('tag', ['rare'])]],
      [[{ kind: 'any', parts: [filter('year', [1]), filter('tag', ['rare'])], not: true }], []],
    ]
    const excluding = match('w1 w2')
    excluding.text.excludedWords = ['w3']
    for (const text of [match('w0'), excluding, unfinished('w'), unfinished('w1', 'w0'), corrected('w399')])
      for (const [nodes, restrictions] of narrowing)
        await assertSamePages([{ ...text, fields, exact: true }, ...nodes], restrictions)
  })
}

const shortPages = [
  [0, 1],
  [0, 10],
] as const

const fields = [
  { name: 'title', weight: 0.3 },
  { name: 'text', weight: 2 },
]

const spec: GenerationSpec = {
  fields: [
    { name: 'title', type: 'text', language: 'english', prefix: true },
    { name: 'text', type: 'text', language: 'english', prefix: true },
    { name: 'tag', type: 'keyword' },
    { name: 'year', type: 'number' },
  ],
}

/** Words with a natural frequency: each number is about half as frequent as the number of half its size. */
const documentAt = (seed: number, words: number) => {
  let state = seed + 1
  const word = () => {
    state = (state * 48_271) % 2_147_483_647
    return `w${Math.floor(400 ** (state / 2_147_483_647)) - 1}`
  }
  const text = Array.from({ length: words + (seed % 5) }, word).join(' ')
  return { title: word(), text, year: seed % 10, tag: seed % 500 === 0 ? 'rare' : 'common' }
}
