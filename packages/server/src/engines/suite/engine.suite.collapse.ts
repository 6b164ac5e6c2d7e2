import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { GenerationSpec, Hit, Plan, Reply } from '#engines/engine'
import type { FacetRequest } from '#engines/facet'
import { chooseRuns } from '#test-runs'
import { batch, plans, spec, write } from './engine.suite.oracle.ts'
import { type Bench, deadlineMs, filter, makePlan, match, matchAll, withCode } from './engine.suite.plans.ts'
import { type Attributes, type Shelf, searchInMemory } from './engine.suite.search-in-memory.ts'

interface CollapseDifferences {
  roundsSums: boolean
  lacksCollapsedFacets: boolean
}

type Collapsing = Plan & { collapse: NonNullable<Plan['collapse']> }

interface Group {
  value: string | number | null
  hits: Hit[]
}

const readId = (entity: string): string => (JSON.parse(entity) as { id: string }).id

/** The groups of a plan in their order, by a plain reading of `Collapse`. */
const groupInMemory = (shelf: Shelf, { collapse, facet: _, ...plan }: Collapsing): Group[] => {
  const groups: Group[] = []
  for (const hit of searchInMemory(shelf, { ...plan, offset: 0, count: 1000, statistics: false }).hits) {
    const { attributes } = JSON.parse(hit.entity) as { attributes: Attributes }
    const first = [attributes[collapse.field] ?? []].flat().find(value => value !== '')
    const value = typeof first === 'string' || typeof first === 'number' ? first : null
    const group = value === null ? undefined : groups.find(other => other.value === value)
    if (group) group.hits.push(hit)
    else groups.push({ value, hits: [hit] })
  }
  return groups
}

const cutoffs = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0]

/** The options of a facet that counts groups. */
const countInMemory = (shelf: Shelf, groups: readonly Group[], request: FacetRequest) => {
  const counts = new Map<string, number>()
  for (const { hits } of groups) {
    const ids = new Set(hits.map(({ entity }) => readId(entity)))
    const documents = new Map([...shelf.documents].filter(([id]) => ids.has(id)))
    const facet = { ...request, offset: 0, count: 1000, cutoff: 0 }
    const reply = searchInMemory({ ...shelf, documents }, { ...makePlan([matchAll]), facet })
    for (const { value } of reply.facet?.options ?? []) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  const largest = Math.max(0, ...counts.values())
  const options = [...counts]
    .map(([value, count]) => ({ value, count }))
    .filter(({ count }) => count / largest >= (request.cutoff ?? 0))
    .sort((a, b) => b.count - a.count || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)))
  const page = options.slice(request.offset, request.offset + request.count)
  return { options: page, distinct: options.length, largest }
}

/** Tests plans that keep one result for each value of a field. */
export function collapseSuite(
  { engine, generationWith, newId }: Bench & { newId: () => string },
  { roundsSums, lacksCollapsedFacets }: CollapseDifferences,
): void {
  const round = (score: number) => (roundsSums ? Math.fround(score) : score)
  const show = (hits: readonly Hit[]) =>
    hits.map(({ entity, score, collapsed }) => ({
      id: readId(entity),
      score: round(score),
      value: collapsed?.value,
      count: collapsed?.count,
      others: collapsed?.others.map(readId),
    }))
  const showGroups = (groups: readonly Group[], best: number) =>
    show(
      groups.flatMap(({ value, hits: [first, ...others] }) => {
        const entities = others.slice(0, best - 1).map(({ entity }) => entity)
        return first ? [{ ...first, collapsed: { value, count: others.length + 1, others: entities } }] : []
      }),
    )
  const search = (generation: string, plan: Plan): Promise<Reply> =>
    engine().search(generation, plan, deadlineMs)

  const comparePlan = async (generation: string, shelf: Shelf, plan: Collapsing) => {
    const groups = groupInMemory(shelf, plan)
    const expectedHits = showGroups(groups, plan.collapse.best)
    const reply = await search(generation, plan)
    assert.equal(reply.total, groups.length)
    assert.deepEqual(show(reply.hits), expectedHits.slice(plan.offset, plan.offset + plan.count))
    if (plan.statistics) {
      const { best } = searchInMemory(shelf, plan)
      const shares = groups.map(({ hits }) => Math.max(...hits.map(({ score }) => score)) / best)
      assert.deepEqual(
        reply.statistics,
        cutoffs.map(cutoff => shares.filter(share => share >= cutoff).length),
      )
    }
    if (plan.facet?.collapsed) {
      const { options, distinct, largest } = reply.facet ?? {}
      assert.deepEqual({ options, distinct, largest }, countInMemory(shelf, groups, plan.facet))
    } else if (plan.facet) assert.deepEqual(reply.facet, searchInMemory(shelf, plan).facet)
    const { facet: _, ...paged } = { ...plan, statistics: false, count: 3, offset: 0 }
    const pages: Hit[] = []
    let position: string | undefined = ''
    while (position !== undefined) {
      const page: Reply = await search(generation, { ...paged, after: position })
      assert.equal(page.total, groups.length)
      pages.push(...page.hits)
      position = page.next
    }
    assert.deepEqual(show(pages), expectedHits)
  }

  it('keeps the first documents of each value, and counts, pages and measures values', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(batch, { minLength: 1, maxLength: 4 }),
        fc.array(
          fc.record({
            plan: plans,
            field: fc.constantFrom('tag', 'year'),
            best: fc.integer({ min: 1, max: 3 }),
            collapsed: fc.boolean(),
          }),
          { minLength: 1, maxLength: 6 },
        ),
        async (batches, cases) => {
          const generation = newId()
          await engine().open(generation, spec)
          const documents = new Map<string, Attributes>()
          for (const changes of batches) {
            await engine().write(
              generation,
              changes.map(([id, attributes]) => write(id, attributes)),
            )
            await engine().refresh(generation)
            for (const [id, attributes] of changes)
              attributes === null ? documents.delete(id) : documents.set(id, attributes)
          }
          for (const { plan, field, best, collapsed } of cases) {
            const facet =
              collapsed && plan.facet && !lacksCollapsedFacets
                ? { ...plan.facet, selected: [], collapsed }
                : plan.facet
            const collapsing = { ...plan, collapse: { field, best }, ...(facet && { facet }) }
            await comparePlan(generation, { ...spec, documents }, collapsing)
          }
          await engine().drop(generation)
        },
      ),
      { numRuns: chooseRuns(10, 40), endOnFailure: true },
    ))

  const shops: GenerationSpec = {
    fields: [
      { name: 'title', type: 'text', language: 'english', prefix: false },
      { name: 'product', type: 'keyword' },
      { name: 'size', type: 'number' },
      { name: 'path', type: 'keyword' },
      { name: 'added', type: 'date' },
    ],
  }
  const documents = {
    a: { title: 'red shoe', product: ['p', 'q'], size: 1, path: 'x/y', added: '2024-01-01T10:00:00Z' },
    b: {
      title: 'red shoe red',
      product: ['q', 'p'],
      size: [1, 2],
      path: 'x/z',
      added: '2024-01-01T11:00:00Z',
    },
    c: { title: 'red', product: ['', 'p'], size: 2, path: 'w', added: '2024-01-01T11:00:00Z' },
    d: { title: 'shoe', product: '', size: 12, path: 'x/y' },
    e: { title: 'shoe' },
  }

  it('takes the first value that is not empty, and leaves documents without one alone', async () => {
    const generation = await generationWith(documents, shops)
    const plan = { ...makePlan([matchAll]), order: [], collapse: { field: 'product', best: 10 } }
    assert.deepEqual(
      show((await search(generation, plan)).hits).map(({ id, value, count, others }) => [
        id,
        value,
        count,
        others,
      ]),
      [
        ['a', 'p', 2, ['c']],
        ['b', 'q', 1, []],
        ['d', null, 1, []],
        ['e', null, 1, []],
      ],
    )
    const totals = await search(generation, { ...plan, count: 0 })
    assert.deepEqual([totals.total, totals.hits], [4, []])
    const empty = await search(generation, { ...plan, nodes: [filter('product', ['z'])] })
    assert.deepEqual([empty.total, empty.hits], [0, []])
  })

  it('keeps highlights, pinned documents and row filters', async () => {
    const generation = await generationWith(documents, shops)
    const text = { ...match('shoe'), fields: [{ name: 'title', weight: 1 }] }
    const plan: Plan = {
      ...makePlan([{ ...text, pinned: ['c'] }]),
      collapse: { field: 'product', best: 2 },
      highlight: { fields: ['title'], snippets: 1, chars: 50 },
      statistics: true,
    }
    const reply = await search(generation, plan)
    assert.deepEqual(show(reply.hits)[0]?.others, ['a'])
    assert.equal(readId(reply.hits[0]?.entity ?? ''), 'c')
    assert.equal(reply.hits[0]?.score, reply.best)
    assert.deepEqual(
      reply.hits.map(({ highlights }) => highlights?.title?.[0]?.includes('<mark>') ?? false),
      reply.hits.map(({ entity }) => entity.includes('shoe')),
    )
    const restricted = await search(generation, { ...plan, restrictions: [filter('size', [1])] })
    assert.deepEqual(
      show(restricted.hits)
        .map(({ id, count }) => [id, count])
        .toSorted(),
      [
        ['a', 1],
        ['b', 1],
      ],
    )
  })

  it('counts the values of collapse in groups of a facet', async context => {
    if (lacksCollapsedFacets) {
      const generation = await generationWith(documents, shops)
      const facet = { field: 'size', offset: 0, count: 10, selected: [], collapsed: true }
      const plan = { ...makePlan([matchAll]), collapse: { field: 'product', best: 1 }, facet }
      await assert.rejects(search(generation, plan), withCode('inexact'))
      context.diagnostic('refused by name')
      return
    }
    const generation = await generationWith(documents, shops)
    const count = async (field: string, request: Partial<FacetRequest>) => {
      const facet = { field, offset: 0, count: 10, selected: [], collapsed: true, ...request }
      const plan = { ...makePlan([matchAll]), count: 0, collapse: { field: 'product', best: 1 }, facet }
      const { facet: counted } = await search(generation, plan)
      const options = counted?.options.map(({ value, count: times }) => `${value}: ${times}`).toSorted()
      return { options, missing: counted?.missing, selected: counted?.selected.map(one => one.count) }
    }
    // The groups are p (a, c), q (b), d and e.
    assert.deepEqual(await count('size', { missing: true, selected: ['2', '1'] }), {
      options: ['1: 2', '12: 1', '2: 2', ': 1'].toSorted(),
      missing: 1,
      selected: [2, 2],
    })
    const ranges = { by: 'ranges' as const, ranges: [{ before: 10 }, { from: 10 }, { from: 50 }] }
    assert.deepEqual((await count('size', { groups: ranges })).options, ['0: 2', '1: 1', '2: 0'])
    const interval = { by: 'interval' as const, size: 10 }
    assert.deepEqual(await count('size', { groups: interval, missing: true }), {
      options: ['0: 2', '1: 1'],
      missing: 1,
      selected: [],
    })
    const hierarchy = { by: 'hierarchy' as const, separator: '/' }
    assert.deepEqual((await count('path', { groups: hierarchy })).options, ['w: 1', 'x: 3'])
    const day = { by: 'calendar' as const, unit: 'day' as const }
    assert.deepEqual((await count('added', { groups: day })).options, ['1704067200: 2'])
    assert.deepEqual((await count('added', { selected: ['2024-01-01'] })).selected, [2])
  })

  it('refuses a field that has no keywords or numbers', async () => {
    const generation = await generationWith(documents, shops)
    const plan = { ...makePlan([matchAll]), collapse: { field: 'title', best: 1 } }
    await assert.rejects(search(generation, plan), withCode('unsupported'))
  })
}
