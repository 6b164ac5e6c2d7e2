import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Hit, Plan, PlanNode } from '#engines/engine'
import {
  type Bench,
  deadlineMs,
  filter,
  makePlan,
  match,
  matchAll,
  putDocument,
} from './engine.suite.plans.ts'

/** Tests that pages which continue after a position make up the whole result. */
export function pagingSuite({ engine, generationWith }: Bench): void {
  /** Documents in two commits, with ties, missing values, several values, and moments that no JSON number holds. */
  const createAttributes = (index: number): Record<string, unknown> => ({
    title: ['wing', 'wing bird', 'bird bird wing', 'tail'].slice(0, 1 + (index % 4)).join(' '),
    ...(index % 5 > 0 && { tag: [`tag ${index % 7}`, `Tag ${index % 3}`].slice(index % 2) }),
    ...(index % 4 > 0 && { year: [index % 6, -index / 3].slice(index % 2) }),
    ...(index % 6 > 0 && { added: `${index % 3 ? 2024 : 9999}-01-01T00:00:00.00000${index % 5}Z` }),
    ...(index % 3 > 0 && { good: index % 2 === 0 }),
    ...(index % 7 > 0 && { place: { lat: index % 9, lon: index % 5 } }),
  })
  const build = async (): Promise<string> => {
    const documents = Array.from(
      { length: 90 },
      (_, index) => [`d${index}`, createAttributes(index)] as const,
    )
    const generation = await generationWith(Object.fromEntries(documents.slice(0, 50)))
    await engine().write(
      generation,
      documents.slice(50).map(([id, attributes]) => putDocument(id, attributes)),
    )
    await engine().refresh(generation)
    return generation
  }

  const readPages = async (generation: string, plan: Plan, count: number) => {
    const hits: Hit[] = []
    const bests = new Set<number>()
    for (let position: string | undefined = ''; position !== undefined; ) {
      const reply = await engine().search(generation, { ...plan, count, after: position }, deadlineMs)
      hits.push(...reply.hits)
      assert.ok(hits.length <= 1_000, 'the pages have no end')
      if (reply.hits.length > 0) bests.add(reply.best)
      assert.equal(reply.next === undefined || reply.hits.length === count, true)
      position = reply.next
    }
    return { hits, bests: [...bests] }
  }

  const nodes: Record<string, PlanNode[]> = {
    all: [matchAll],
    words: [match('wing bird')],
    scored: [
      {
        kind: 'filter',
        field: 'year',
        alternatives: [
          { score: 0.5, values: [1, 3] },
          { score: 2, values: [2, 4] },
        ],
      },
    ],
    curated: [{ ...match('bird'), pinned: ['urn:d7', 'urn:d3', 'd7', 'd3', 'd0'], buried: ['d10', 'd2'] }],
    mix: [
      {
        kind: 'mix',
        by: 'rank',
        parts: [
          { weight: 1, node: match('wing') },
          { weight: 2, node: filter('tag', ['tag 1', 'Tag 2']) },
        ],
      },
    ],
  }
  const orders: Record<string, Plan['order']> = {
    score: [{ by: 'score' }],
    text: [{ by: 'field', field: 'title', order: 'ascending' }],
    keyword: [{ by: 'field', field: 'tag', order: 'descending' }],
    number: [{ by: 'field', field: 'year', order: 'descending' }, { by: 'score' }],
    date: [{ by: 'field', field: 'added', order: 'ascending' }],
    'latest date': [
      { by: 'field', field: 'added', order: 'descending' },
      { by: 'field', field: 'tag', order: 'ascending' },
    ],
    boolean: [
      { by: 'field', field: 'good', order: 'ascending' },
      { by: 'field', field: 'year', order: 'ascending' },
    ],
    'true first': [{ by: 'field', field: 'good', order: 'descending' }],
    distance: [{ by: 'distance', field: 'place', lat: 4, lon: 2, order: 'ascending' }],
    farthest: [{ by: 'distance', field: 'place', lat: 4, lon: 2, order: 'descending' }],
  }

  it('pages after positions make up the whole result, in every order', async () => {
    const generation = await build()
    let variantNumber = 0
    for (const [kind, planNodes] of Object.entries(nodes))
      for (const [name, order] of Object.entries(orders)) {
        const plan: Plan = { ...makePlan(planNodes), order, count: 1_000 }
        const variants = [
          plan,
          { ...plan, total: false },
          { ...plan, cutoff: 0.3 },
          { ...plan, restrictions: [filter('tag', ['tag 1', 'tag 3', 'Tag 0'])] },
        ]
        // Each plan in one variant: all of them take minutes on a remote engine.
        const index = variantNumber++ % variants.length
        const variant = variants[index] ?? plan
        const wholeReply = await engine().search(generation, variant, deadlineMs)
        const pages = await readPages(generation, variant, 13 + index)
        assert.deepEqual(pages.hits, wholeReply.hits, `${kind} by ${name}, variant ${index}`)
        assert.deepEqual(pages.bests, wholeReply.hits.length > 0 ? [wholeReply.best] : [])
      }
  })

  it('pages for a caller that ignores scores have the same documents', async () => {
    const generation = await build()
    for (const [kind, planNodes] of Object.entries(nodes)) {
      const plan: Plan = { ...makePlan(planNodes), order: [{ by: 'score' }], count: 1_000 }
      const { hits } = await engine().search(generation, plan, deadlineMs)
      const pages = await readPages(generation, { ...plan, scores: false }, 13)
      assert.deepEqual(
        pages.hits.map(({ entity }) => entity),
        hits.map(({ entity }) => entity),
        kind,
      )
    }
  })

  it('a page of exactly the last hits has no next, and totals count the whole result', async () => {
    const generation = await build()
    const plan: Plan = { ...makePlan([matchAll]), statistics: true, after: '', count: 45 }
    const first = await engine().search(generation, plan, deadlineMs)
    const second = await engine().search(generation, { ...plan, after: first.next ?? '' }, deadlineMs)
    assert.deepEqual([first.total, first.hits.length, typeof first.next], [90, 45, 'string'])
    assert.deepEqual([second.total, second.hits.length, second.next], [90, 45, undefined])
    assert.deepEqual(second.statistics, first.statistics)
  })

  it('a position stays valid when its document and its values are gone', async () => {
    const generation = await build()
    const order: Plan['order'] = [{ by: 'field', field: 'tag', order: 'ascending' }]
    const plan: Plan = { ...makePlan([matchAll]), order }
    const readId = ({ entity }: Hit): string => JSON.parse(entity).id
    const allIds = (await engine().search(generation, plan, deadlineMs)).hits.map(readId)
    const { hits, next } = await engine().search(generation, { ...plan, count: 10, after: '' }, deadlineMs)
    await engine().write(
      generation,
      hits.map(hit => ({ delete: readId(hit) })),
    )
    await engine().refresh(generation)
    const rest = await engine().search(generation, { ...plan, after: next ?? '' }, deadlineMs)
    assert.deepEqual(rest.hits.map(readId), allIds.slice(10))
  })
}
