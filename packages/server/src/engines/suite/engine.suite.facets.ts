import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Plan, PlanNode } from '#engines/engine'
import { all, type Bench, deadlineMs, filter, match, planOf, put } from './engine.suite.plans.ts'

/** What an engine may keep of one search for another makes no difference to what that finds. */
export function facetsSuite({ engine, generationWith }: Bench): void {
  const facet = { field: 'tag', offset: 0, count: 10, selected: [] }
  const counting = (nodes: PlanNode[]): Plan => ({ ...planOf(nodes), count: 0 })

  it('counts what was found over many documents as one counts by hand, whatever share of them that is', async () => {
    const generation = await generationWith({})
    const kept: Attributes[] = []
    for (const commit of [0, 1]) {
      const ids = Array.from({ length: 3_000 }, (_, at) => `${commit}-${at}`)
      await engine().write(
        generation,
        ids.map((id, at) => put(id, attributesOf(at))),
      )
      await engine().refresh(generation)
      const gone = (at: number) => at % 40 === 0
      await engine().write(
        generation,
        ids.filter((_, at) => gone(at)).map(id => ({ delete: id })),
      )
      await engine().refresh(generation)
      kept.push(...ids.map((_, at) => attributesOf(at)).filter((_, at) => !gone(at)))
    }
    for (const word of ['one', 'two', 'three', 'most', undefined])
      for (const field of ['tag', 'year', 'good'] as const) {
        const found = kept.filter(({ title }) => word === undefined || title.split(' ').includes(word))
        const nodes = [word === undefined ? all : match(word)]
        const plan = { ...counting(nodes), facet: { ...facet, field, offset: 3, count: 40 } }
        const { total, facet: answered } = await engine().search(generation, plan, deadlineMs)
        const options = countedByHand(found.flatMap((one): readonly unknown[] => one[field] ?? []))
        assert.equal(total, found.length)
        assert.deepEqual(answered, {
          options: options.slice(3, 43),
          selected: [],
          distinct: options.length,
          largest: options[0]?.count,
        })
      }
  })

  it('selects the option that a day or a moment in another zone is, and of a day of several the documents', async () => {
    const generation = await generationWith({
      a: { added: '2024-01-01T00:00:00Z', year: 2 },
      b: { added: '2024-01-01T01:00:00+01:00', year: [2, 10] },
      c: { added: '2025-01-01T00:00:00Z' },
      d: { added: ['2025-01-01T12:00:00Z', '2025-01-01T13:00:00Z', '2025-02-01T12:00:00Z'] },
    })
    const selectedOf = async (field: string, selected: string[]) => {
      const plan = { ...counting([all]), facet: { ...facet, field, selected } }
      return (await engine().search(generation, plan, deadlineMs)).facet?.selected
    }
    const days = ['2024-01-01', '2025-01-01', '2024-01-01T01:00:00+01:00', '2025-02-01', '2023-01-01']
    assert.deepEqual(await selectedOf('added', days), [
      { value: '2024-01-01T00:00:00Z', count: 2 },
      { value: '2025-01-01', count: 2 },
      { value: '2024-01-01T00:00:00Z', count: 2 },
      { value: '2025-02-01T12:00:00Z', count: 1 },
      { value: '2023-01-01', count: 0 },
    ])
    assert.deepEqual(await selectedOf('year', ['2.0', '3']), [
      { value: '2', count: 2 },
      { value: '3', count: 0 },
    ])
  })

  it('is of the documents that there are now, also when the same was asked before', async () => {
    const generation = await generationWith({
      a: { title: 'wing', tag: 'x' },
      b: { title: 'wing', tag: 'y' },
    })
    const plan = { ...counting([match('wing')]), facet }
    const tags = async () => optionsOf((await engine().search(generation, plan, deadlineMs)).facet)
    assert.deepEqual(await tags(), ['x 1', 'y 1'])
    await engine().write(generation, [put('c', { title: 'wing', tag: 'y' }), { delete: 'a' }])
    await engine().refresh(generation)
    assert.deepEqual(await tags(), ['y 2'])
  })

  it('is of what the plan itself lets through, whatever was asked with other restrictions, filters or cutoffs', async () => {
    const generation = await generationWith({
      a: { title: 'wing wing wing', tag: 'x' },
      b: { title: 'wing bird bird bird bird', tag: 'y' },
      c: { title: 'bird', tag: 'z' },
    })
    const tags = async (more: Partial<Plan>, nodes: PlanNode[] = [match('wing')]) =>
      optionsOf((await engine().search(generation, { ...counting(nodes), facet, ...more }, deadlineMs)).facet)
    const asked = async () => [
      await tags({}),
      await tags({ restrictions: [filter('tag', ['y'])] }),
      await tags({ restrictions: [filter('tag', ['x'])] }),
      await tags({ cutoff: 1 }),
      await tags({}, [match('wing'), filter('tag', ['y'])]),
      await tags({ statistics: true }),
      await tags({ count: 1 }),
      await tags({ count: 1, restrictions: [filter('tag', ['x'])] }),
      await tags({}, [match('bird')]),
      await tags({}, [{ ...match('wing'), fields: [{ name: 'text', weight: 1 }] }]),
    ]
    const expected = [
      ['x 1', 'y 1'],
      ['y 1'],
      ['x 1'],
      ['x 1'],
      ['y 1'],
      ['x 1', 'y 1'],
      ['x 1', 'y 1'],
      ['x 1'],
      ['y 1', 'z 1'],
      [],
    ]
    // Forwards, backwards and all at once: each may find what another left.
    assert.deepEqual(await asked(), expected)
    assert.deepEqual(await asked(), expected)
    assert.deepEqual(await Promise.all([asked(), asked()]), [expected, expected])
  })

  it('has the same scores for documents whose facets were asked for before', async () => {
    const documents = { a: { title: 'wing wing', tag: 'x' }, b: { title: 'wing bird', tag: 'y' } }
    const [asked, fresh] = [await generationWith(documents), await generationWith(documents)]
    await engine().search(asked, { ...counting([match('wing')]), facet }, deadlineMs)
    const plan = { ...planOf([match('wing')]), statistics: true }
    assert.deepEqual(
      await engine().search(asked, plan, deadlineMs),
      await engine().search(fresh, plan, deadlineMs),
    )
  })
}

interface Attributes {
  title: string
  tag?: string[]
  year?: number[]
  good?: boolean[]
}

/** Of one word a few have, of another most; more values than documents with the rarest word. */
const attributesOf = (at: number): Attributes => ({
  title: [
    ...(at % 301 === 1 ? ['one'] : []),
    ...(at % 3 === 1 ? ['two'] : []),
    ...(at % 5 ? ['most'] : []),
    at % 2 ? 'three' : 'four',
  ].join(' '),
  ...(at % 7 && { tag: [`t${at % 97}`, ...(at % 2 ? [`u${at % 1_009}`] : [])] }),
  ...(at % 11 && { year: [at % 13, 20 + (at % 4)] }),
  good: [at % 3 === 0],
})

const countedByHand = (values: readonly unknown[]) => {
  const counts = Map.groupBy(values, String)
  return [...counts]
    .map(([value, { length }]) => ({ value, count: length }))
    .sort((left, right) => right.count - left.count || (left.value < right.value ? -1 : 1))
}

const optionsOf = (facet: { options: { value: string; count: number }[] } | undefined) =>
  facet?.options.map(({ value, count }) => `${value} ${count}`)
