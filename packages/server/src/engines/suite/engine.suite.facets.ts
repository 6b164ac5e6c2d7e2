import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Plan, PlanNode } from '#engines/engine'
import {
  type Bench,
  deadlineMs,
  filter,
  makePlan,
  match,
  matchAll,
  putDocument,
} from './engine.suite.plans.ts'

/** Tests facets, also that caches of an engine do not change them. */
export function facetsSuite({ engine, generationWith }: Bench): void {
  const facet = { field: 'tag', offset: 0, count: 10, selected: [] }
  const counting = (nodes: PlanNode[]): Plan => ({ ...makePlan(nodes), count: 0 })

  it('counts values of many documents like a plain loop, whatever share of them matches', async () => {
    const generation = await generationWith({})
    const expectedDocuments: Attributes[] = []
    for (const commit of [0, 1]) {
      const ids = Array.from({ length: 3_000 }, (_, index) => `${commit}-${index}`)
      await engine().write(
        generation,
        ids.map((id, index) => putDocument(id, createAttributes(index))),
      )
      await engine().refresh(generation)
      const isDeleted = (index: number) => index % 40 === 0
      await engine().write(
        generation,
        ids.filter((_, index) => isDeleted(index)).map(id => ({ delete: id })),
      )
      await engine().refresh(generation)
      expectedDocuments.push(
        ...ids.map((_, index) => createAttributes(index)).filter((_, index) => !isDeleted(index)),
      )
    }
    for (const word of ['one', 'two', 'three', 'most', undefined])
      for (const field of ['tag', 'year', 'good'] as const) {
        const matches = expectedDocuments.filter(
          ({ title }) => word === undefined || title.split(' ').includes(word),
        )
        const nodes = [word === undefined ? matchAll : match(word)]
        const plan = { ...counting(nodes), facet: { ...facet, field, offset: 3, count: 40 } }
        const { total, facet: facetReply } = await engine().search(generation, plan, deadlineMs)
        const options = countedByHand(matches.flatMap((one): readonly unknown[] => one[field] ?? []))
        assert.equal(total, matches.length)
        assert.deepEqual(facetReply, {
          options: options.slice(3, 43),
          selected: [],
          distinct: options.length,
          largest: options[0]?.count,
        })
        const page = { ...plan, facet: { ...plan.facet, distinct: false } }
        const pageReply = (await engine().search(generation, page, deadlineMs)).facet
        assert.deepEqual(pageReply?.options, facetReply?.options, `one page of ${field}`)
        assert.equal(pageReply?.largest, facetReply?.largest)
      }
  })

  it('keeps only the options with a word that starts with a text, without case and accents', async () => {
    const tags = [
      'New York',
      'york-minster',
      'Yorkshire (new)',
      'Newark',
      'renew',
      'Ångström',
      'Œuvre',
      'Αθήνα',
      'łódź',
      'a, b',
      '50% off',
    ]
    const generation = await generationWith(
      Object.fromEntries(
        tags.map((tag, index) => [`d${index}`, { title: 'wing', tag, year: index, good: index < 2 }]),
      ),
    )
    const find = async (query: string, changes: Partial<Plan> = {}) => {
      const plan = { ...counting([match('wing')]), facet: { ...facet, count: 100, query }, ...changes }
      const reply = (await engine().search(generation, plan, deadlineMs)).facet
      assert.equal(reply?.distinct, reply?.options.length)
      return reply?.options.map(({ value }) => value)
    }
    assert.deepEqual(await find('new'), ['New York', 'Newark', 'Yorkshire (new)'])
    assert.deepEqual(await find(' YORK '), ['New York', 'Yorkshire (new)', 'york-minster'])
    assert.deepEqual(await find('new y'), ['New York'])
    assert.deepEqual(await find('minster'), ['york-minster'])
    assert.deepEqual(await find('angstrom'), ['Ångström'])
    assert.deepEqual(await find('A\u030angstr'), ['Ångström'])
    assert.deepEqual(await find('oeuv'), ['Œuvre'])
    assert.deepEqual(await find('αθηνα'), ['Αθήνα'])
    assert.deepEqual(await find('LODZ'), ['łódź'])
    assert.deepEqual(await find('b'), ['a, b'])
    assert.deepEqual(await find('(new'), ['Yorkshire (new)'])
    assert.deepEqual(await find('% off'), [])
    assert.deepEqual(await find('zzz'), [])
    assert.equal((await find('  '))?.length, tags.length)
    assert.deepEqual(await find('new', { restrictions: [filter('tag', ['Newark', 'renew'])] }), ['Newark'])
    assert.deepEqual(await find('1', { facet: { ...facet, count: 100, field: 'year', query: '1' } }), [
      '1',
      '10',
    ])
    assert.deepEqual(await find('F', { facet: { ...facet, count: 100, field: 'good', query: 'F' } }), [
      'false',
    ])
    const second = { ...facet, offset: 1, count: 1, query: 'new', selected: ['renew'] }
    const reply = (
      await engine().search(generation, { ...counting([match('wing')]), facet: second }, deadlineMs)
    ).facet
    assert.deepEqual(reply?.options, [{ value: 'Newark', count: 1 }])
    assert.deepEqual(reply?.selected, [{ value: 'renew', count: 1 }])
  })

  it('resolves a selected day or moment to its option, or counts the documents of a day with several', async () => {
    const generation = await generationWith({
      a: { added: '2024-01-01T00:00:00Z', year: 2 },
      b: { added: '2024-01-01T01:00:00+01:00', year: [2, 10] },
      c: { added: '2025-01-01T00:00:00Z' },
      d: { added: ['2025-01-01T12:00:00Z', '2025-01-01T13:00:00Z', '2025-02-01T12:00:00Z'] },
    })
    const readSelected = async (field: string, selected: string[]) => {
      const plan = { ...counting([matchAll]), facet: { ...facet, field, selected } }
      return (await engine().search(generation, plan, deadlineMs)).facet?.selected
    }
    const days = ['2024-01-01', '2025-01-01', '2024-01-01T01:00:00+01:00', '2025-02-01', '2023-01-01']
    assert.deepEqual(await readSelected('added', days), [
      { value: '2024-01-01T00:00:00Z', count: 2 },
      { value: '2025-01-01', count: 2 },
      { value: '2024-01-01T00:00:00Z', count: 2 },
      { value: '2025-02-01T12:00:00Z', count: 1 },
      { value: '2023-01-01', count: 0 },
    ])
    assert.deepEqual(await readSelected('year', ['2.0', '3']), [
      { value: '2', count: 2 },
      { value: '3', count: 0 },
    ])
  })

  it('counts the current documents, even if the same facet was requested before', async () => {
    const generation = await generationWith({
      a: { title: 'wing', tag: 'x' },
      b: { title: 'wing', tag: 'y' },
    })
    const plan = { ...counting([match('wing')]), facet }
    const tags = async () => formatOptions((await engine().search(generation, plan, deadlineMs)).facet)
    assert.deepEqual(await tags(), ['x 1', 'y 1'])
    await engine().write(generation, [putDocument('c', { title: 'wing', tag: 'y' }), { delete: 'a' }])
    await engine().refresh(generation)
    assert.deepEqual(await tags(), ['y 2'])
  })

  it('depends on the plan only, not on earlier requests with other restrictions, filters or cutoffs', async () => {
    const generation = await generationWith({
      a: { title: 'wing wing wing', tag: 'x' },
      b: { title: 'wing bird bird bird bird', tag: 'y' },
      c: { title: 'bird', tag: 'z' },
    })
    const tags = async (changes: Partial<Plan>, nodes: PlanNode[] = [match('wing')]) =>
      formatOptions(
        (await engine().search(generation, { ...counting(nodes), facet, ...changes }, deadlineMs)).facet,
      )
    const readAll = async () => [
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
    // Repeated and concurrent requests could see cached values of each other.
    assert.deepEqual(await readAll(), expected)
    assert.deepEqual(await readAll(), expected)
    assert.deepEqual(await Promise.all([readAll(), readAll()]), [expected, expected])
  })

  it('does not change the scores of later searches', async () => {
    const documents = { a: { title: 'wing wing', tag: 'x' }, b: { title: 'wing bird', tag: 'y' } }
    const [usedGeneration, freshGeneration] = [
      await generationWith(documents),
      await generationWith(documents),
    ]
    await engine().search(usedGeneration, { ...counting([match('wing')]), facet }, deadlineMs)
    const plan = { ...makePlan([match('wing')]), statistics: true }
    assert.deepEqual(
      await engine().search(usedGeneration, plan, deadlineMs),
      await engine().search(freshGeneration, plan, deadlineMs),
    )
  })
}

interface Attributes {
  title: string
  tag?: string[]
  year?: number[]
  good?: boolean[]
}

/** Makes rare and frequent words, and more values than documents with the rarest word. */
const createAttributes = (index: number): Attributes => ({
  title: [
    ...(index % 301 === 1 ? ['one'] : []),
    ...(index % 3 === 1 ? ['two'] : []),
    ...(index % 5 ? ['most'] : []),
    index % 2 ? 'three' : 'four',
  ].join(' '),
  ...(index % 7 && { tag: [`t${index % 97}`, ...(index % 2 ? [`u${index % 1_009}`] : [])] }),
  ...(index % 11 && { year: [index % 13, 20 + (index % 4)] }),
  good: [index % 3 === 0],
})

const countedByHand = (values: readonly unknown[]) => {
  const counts = Map.groupBy(values, String)
  return [...counts]
    .map(([value, { length }]) => ({ value, count: length }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
}

const formatOptions = (facet: { options: { value: string; count: number }[] } | undefined) =>
  facet?.options.map(({ value, count }) => `${value} ${count}`)
