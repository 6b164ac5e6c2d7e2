/** Random stacks, compared with the oracle over HTTP (docs/query.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { chooseRuns } from '#server/test-runs'
import {
  byText,
  compareTies,
  evaluate,
  type FilterField,
  facetCounts,
  findSelectedValues,
  type OracleResult,
  type OracleStep,
  readOrder,
  stackPath,
} from '#tests/support/query-oracle'
import { closeRaw, rawRequest } from '#tests/support/query-raw'
import { narrowingSteps, sortSteps, stacks, wordSteps } from '#tests/support/query-stacks'
import { createCredentials, documentUri, makeDocuments, setUpWorkspace } from '#tests/support/query-things'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const documents = makeDocuments(300, 2026)
const seed = 6
let server: StartedServer
let token: string
before(async () => {
  server = await startServer(['--rate-limit', 'off'])
  await setUpWorkspace(server, 'properties', { things: documents })
  token = await fetchToken(server, await createCredentials(server, 'properties', 'reader'))
})
after(async () => {
  closeRaw()
  await server.stop()
})

const ask = (path: string) =>
  rawRequest(server.baseUrl, `/4/properties/api/things/${path}`, {
    headers: { authorization: `Bearer ${token}` },
  })
const json = async <T>(path: string): Promise<T> => {
  const { status, text } = await ask(path)
  assert.equal(status, 200, `${path}: ${text}`)
  return JSON.parse(text) as T
}

interface Item {
  rank: number
  probability: number
  tuple: [{ id: string; class: string[]; attributes: Record<string, unknown> }]
}
interface Results {
  offset: number
  count: number
  type: string[]
  items: Item[]
}
interface Statistics {
  total: number
  stats: { cutoff: string; numResults: number }[]
}
interface Options {
  selected: { id: string; value: string; count: number; score: number }[]
  options: { id: string; value: string; title: string; count: number; score: number }[]
}

/** Reads the whole result in pages of `size`. */
const fetchAllPages = async (path: string, size: number, options = ''): Promise<Item[]> => {
  const items: Item[] = []
  for (;;) {
    const page = await json<Results>(`${path}/results?count=${size}&offset=${items.length}${options}`)
    assert.deepEqual([page.offset, page.count], [items.length, size], path)
    items.push(...page.items)
    if (page.items.length < size) return items
  }
}
const readId = ({ tuple }: Item) => tuple[0].id
const sizes = fc.integer({ min: 23, max: 100 })

const checkOrder = (
  stack: readonly OracleStep[],
  items: readonly Item[],
  expected: readonly OracleResult[],
) => {
  const { byScore, ties } = readOrder(stack)
  const path = stackPath(stack)
  if (!byScore || !stack.some(({ kind }) => kind === 'words')) {
    assert.deepEqual(
      items.map(readId),
      expected.map(({ uri }) => uri),
      path,
    )
    return
  }
  const places = new Map(expected.map(one => [one.uri, one]))
  const compare = compareTies(ties)
  for (const [index, item] of items.entries()) {
    const next = items[index + 1]
    if (next === undefined) break
    assert.ok(item.probability >= next.probability, path)
    const a = places.get(readId(item))
    const b = places.get(readId(next))
    if (item.probability === next.probability && a && b) assert.ok(compare(a, b) < 0, path)
  }
}

test("a stack returns the oracle's set, order, probabilities, ranks and totals, and pages tile the result", async () => {
  await fc.assert(
    fc.asyncProperty(stacks(documents), sizes, async (stack, size) => {
      const path = stackPath(stack)
      const expected = evaluate(documents, stack)
      const items = await fetchAllPages(path, size)
      assert.deepEqual(
        items.map(readId).toSorted(byText),
        expected.map(({ uri }) => uri).toSorted(byText),
        path,
      )
      checkOrder(stack, items, expected)
      assert.deepEqual(
        items.map(({ rank }) => rank),
        items.map((_item, index) => index + 1),
      )
      const best = Math.max(...expected.map(({ score }) => score))
      if (!stack.some(({ kind }) => kind === 'words'))
        for (const [index, { probability }] of items.entries())
          assert.ok(Math.abs(probability - (expected[index]?.score ?? 0) / best) < 1e-6, path)
      const probabilities = items.map(({ probability }) => probability)
      assert.ok(probabilities.every(probability => probability > 0 && probability <= 1))
      if (items.length > 0) assert.equal(Math.max(...probabilities), 1, path)
      const statistics = await json<Statistics>(`${path}/statistics`)
      assert.deepEqual(await json(`${path}/count`), { total: items.length })
      assert.deepEqual(statistics, {
        total: items.length,
        stats: ['0.9', '0.8', '0.7', '0.6', '0.5', '0.4', '0.3', '0.2', '0.1', '0.0'].map(cutoff => ({
          cutoff,
          numResults: probabilities.filter(probability => probability >= Number(cutoff)).length,
        })),
      })
      const [results, same] = await json<[Results, Statistics]>(`${path}/results,count?count=100`)
      assert.deepEqual(same, statistics)
      assert.deepEqual(results.items, items.slice(0, 100))
    }),
    { seed, numRuns: chooseRuns(37, 150) },
  )
})

test('filters commute with each other and with ranking endpoints', async () => {
  const mixed = fc
    .tuple(
      fc.array(narrowingSteps(documents), { minLength: 1, maxLength: 3 }),
      wordSteps,
      fc.option(sortSteps),
      fc.nat(),
    )
    .map(([filters, word, sort, position]) => ({ filters, core: sort ? [word, sort] : [word], at: position }))
  await fc.assert(
    fc.asyncProperty(mixed, async ({ filters, core, at: position }) => {
      const place = position % (core.length + 1)
      const first = [...filters, ...core]
      const second = [...core.slice(0, place), ...filters.toReversed(), ...core.slice(place)]
      const [a, b] = await Promise.all(
        [first, second].map(stack => json<Results>(`${stackPath(stack)}/results?count=100`)),
      )
      assert.deepEqual(a, b, `${stackPath(first)} and ${stackPath(second)}`)
    }),
    { seed, numRuns: chooseRuns(20, 80) },
  )
})

test('a cutoff keeps the results with at least that probability, with unchanged probabilities', async () => {
  const cutoffs = fc.constantFrom('0', '0.1', '0.25', '0.5', '0.500001', '0.9', '1', '1e-3')
  await fc.assert(
    fc.asyncProperty(stacks(documents), cutoffs, sizes, async (stack, cutoff, size) => {
      const path = stackPath(stack)
      const allItems = await fetchAllPages(path, size)
      const probableItems = allItems.filter(({ probability }) => probability >= Number(cutoff))
      const readProbabilities = (items: Item[]) => items.map(item => [readId(item), item.probability])
      assert.deepEqual(
        readProbabilities(await fetchAllPages(path, size, `&cutoff=${cutoff}`)),
        readProbabilities(probableItems),
        path,
      )
      assert.deepEqual(await json(`${path}/count?cutoff=${cutoff}`), { total: probableItems.length })
      const { total } = await json<Statistics>(`${path}/statistics?cutoff=${cutoff}`)
      assert.equal(total, probableItems.length)
    }),
    { seed, numRuns: chooseRuns(12, 50) },
  )
})

const fields = fc.constantFrom<FilterField>('tags', 'kind', 'size', 'flag')
const quoted = (value: string) => `1("${value.replaceAll(/["\\]/g, '\\$&')}")`
const selecting = (field: string, value: string) => `e/${field}:FILTER/p/value/${encodeURIComponent(value)}`

test('options have exact counts in order, and filtering by a value finds that number', async () => {
  await fc.assert(
    fc.asyncProperty(stacks(documents), fields, fc.nat(), async (stack, field, position) => {
      const path = stackPath(stack)
      const expected = evaluate(documents, stack)
      const counts = facetCounts(expected, field)
      const { options, selected } = await json<Options>(`${path}/options/${field}?count=100`)
      assert.deepEqual(
        options.map(({ value, count }) => [value, count]),
        counts,
        `${path}/options/${field}`,
      )
      for (const { id, value, title, score, count } of options) {
        assert.deepEqual([[value, quoted(value)].includes(id), title], [true, value])
        assert.equal(score, count / expected.length)
      }
      const expectedValues = stack.flatMap(step =>
        step.kind === 'filter' && step.field === field ? findSelectedValues(step, new Map(counts)) : [],
      )
      assert.deepEqual(
        new Set(selected.map(({ value }) => (field === 'size' ? Number(value) : value))),
        new Set(expectedValues.map(value => (field === 'size' ? Number(value) : value))),
        path,
      )
      const option = options[position % Math.max(options.length, 1)]
      if (option)
        for (const optionValue of [option.id, quoted(option.value)])
          assert.deepEqual(await json(`${path}/${selecting(field, optionValue)}/count`), {
            total: option.count,
          })
      const items = await fetchAllPages(`${path}/e/${field}`, 7)
      assert.deepEqual(
        items.map(({ rank, probability, tuple: [{ class: classes, attributes }] }) => ({
          ...{ rank, probability, classes },
          ...attributes,
        })),
        counts.map(([value, count], index) => ({
          rank: index + 1,
          probability: count / (counts[0]?.[1] ?? 0),
          classes: ['http://www.w3.org/2000/01/rdf-schema#Class'],
          title: value,
          count,
        })),
        path,
      )
      assert.deepEqual(
        items.map(({ tuple: [{ id }] }) => id).slice(0, 100),
        options.map(({ id }) => id),
      )
      assert.deepEqual(await json(`${path}/e/${field}/count`), { total: counts.length })
    }),
    { seed, numRuns: chooseRuns(25, 100) },
  )
})

test("a facet's own selection narrows its counts, except with multiselect", async () => {
  await fc.assert(
    fc.asyncProperty(stacks(documents), fields, async (stack, field) => {
      const path = stackPath(stack)
      const isOwn = (step: OracleStep) => step.kind === 'filter' && step.field === field
      const expected = evaluate(
        documents,
        stack.filter(step => !isOwn(step)),
      )
      const { options } = await json<Options>(`${path}/options/${field}?count=100&multiselect=true`)
      assert.deepEqual(
        options.map(({ value, count }) => [value, count]),
        facetCounts(expected, field),
        path,
      )
      const [first, second] = [
        await json<Options>(`${path}/options/${field}?count=3&multiselect=true`),
        await json<Options>(`${path}/options/${field}?count=100&offset=3&multiselect=true`),
      ]
      assert.deepEqual([...first.options, ...second.options], options)
    }),
    { seed, numRuns: chooseRuns(12, 50) },
  )
})

test('counts of date facets, and of options over all documents, match their filters', async () => {
  const allResults = documents.map(document => ({ document, uri: documentUri(document.id), score: 1 }))
  for (const field of ['tags', 'kind', 'size', 'flag'] as const) {
    const { options } = await json<Options>(`options/${field}?count=100`)
    assert.deepEqual(
      options.map(({ value, count }) => [value, count]),
      facetCounts(allResults, field),
      field,
    )
  }
  const { options } = await json<Options>('options/added?count=100')
  assert.ok(options.length > 1)
  for (const { value, count } of options)
    assert.deepEqual(await json(`${selecting('added', value)}/count`), { total: count }, value)
  assert.equal(
    options.reduce((sum, { count }) => sum + count, 0),
    documents.filter(({ added }) => added !== null).length,
  )
})

test('a selected date in a facet has the count of its filter: a day, or a moment in another time zone', async () => {
  const { options } = await json<Options>('options/added?count=100')
  const days = Map.groupBy(options, ({ value }) => value.slice(0, 10))
  for (const [day, inDay] of days) {
    const path = selecting('added', day)
    const { total } = await json<{ total: number }>(`${path}/count`)
    const id = inDay.length === 1 ? inDay[0]?.id : day
    for (const multiselect of [false, true]) {
      const { selected } = await json<Options>(`${path}/options/added?multiselect=${multiselect}`)
      assert.deepEqual(
        selected.map(one => [one.id, one.count]),
        [[id, total]],
        day,
      )
    }
  }
  const [{ id, value, count } = assert.fail()] = options
  const zoned = new Date(Date.parse(value) + 3_600_000).toISOString().replace('Z', '+01:00')
  const list = `1("${value}","${zoned}")`
  const { selected } = await json<Options>(`${selecting('added', list)}/options/added`)
  assert.deepEqual(
    selected.map(one => [one.id, one.count]),
    [[id, count]],
  )
})

test('resultpage, resultitem, homogeneousArrays and attributes agree on each result', async () => {
  const byUri = new Map(documents.map(document => [documentUri(document.id), document]))
  await fc.assert(
    fc.asyncProperty(stacks(documents), fc.nat(), async (stack, position) => {
      const path = stackPath(stack)
      const { items } = await json<Results>(`${path}/results?count=30`)
      const { total } = await json<Statistics>(`${path}/count`)
      for (const { tuple } of items) {
        const [{ id, class: classes, attributes }] = tuple
        const { id: _id, ...rest } = byUri.get(id) ?? assert.fail(id)
        assert.deepEqual(attributes, rest)
        assert.deepEqual(classes, ['https://schema.org/Thing'])
      }
      const plain = items.map(({ tuple: [{ id, class: classes, attributes }] }) => ({
        id,
        class: classes,
        ...attributes,
      }))
      const page = await json<Results>(`${path}/resultpage?count=30`)
      assert.deepEqual(
        page.items.map(({ tuple }) => tuple[0] as unknown),
        plain,
      )
      const rank = 1 + (position % (items.length + 1))
      const one = await ask(`${path}/resultitem?rank=${rank}`)
      assert.equal(one.status, rank > total ? 404 : 200)
      if (rank <= items.length) assert.deepEqual(JSON.parse(one.text), plain[rank - 1])
      assert.equal((await ask(`${path}/resultitem?rank=${rank}&column=2`)).status, 404)
      const homogeneous = await json<{ items: { tuple: object }[] }>(
        `${path}/results?count=30&homogeneousArrays=true`,
      )
      assert.deepEqual(
        homogeneous.items.map(({ tuple }) => tuple),
        items.map(({ tuple }) => ({ '1': tuple[0] })),
      )
      const few = await json<Results>(`${path}/results?count=30&attributes=kind,nothing,size`)
      assert.deepEqual(
        few.items.map(({ tuple }) => tuple[0].attributes),
        items.map(({ tuple: [{ attributes }] }) => ({ kind: attributes.kind, size: attributes.size })),
      )
    }),
    { seed, numRuns: chooseRuns(10, 40) },
  )
})

test('similar excludes its document and scores from 1 down, and a mix finds the results of its parts', async () => {
  for (const { id, title } of documents.slice(0, 20)) {
    const { items } = await json<Results>(`e/like/p/id/${encodeURIComponent(id)}/results?count=100`)
    assert.ok(!items.some(item => readId(item) === documentUri(id)))
    if (items.length > 0) assert.equal(items[0]?.probability, 1)
    const word = title.split(' ').find(candidate => candidate === 'zorb') ?? 'ibex'
    for (const mix of ['blend', 'blend-scores']) {
      const mixed = await fetchAllPages(`e/${mix}/p/query/${word}`, 100)
      const expected = evaluate(documents, [{ kind: 'words', word }])
      assert.deepEqual(mixed.map(readId).toSorted(byText), expected.map(({ uri }) => uri).toSorted(byText))
      assert.equal(mixed[0]?.probability, 1)
    }
  }
})
