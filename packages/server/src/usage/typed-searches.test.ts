import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTypedSearches, type SentSearch } from './typed-searches.ts'

const definition = {
  workspace: 'w',
  collections: { books: { fields: { title: { type: 'text' }, genre: { type: 'keyword' } } } },
  apis: {
    books: {
      endpoints: {
        search: { kind: 'match', collection: 'books' },
        genre: { kind: 'facet', collection: 'books', field: 'genre' },
      },
    },
  },
}
// The other members of a workspace are not read.
const workspace = { id: 'w', slug: 'w', definition } as unknown as SentSearch['workspace']

/** Sends texts at their times, and returns how often each path counts. */
const count = (sent: readonly [text: string, ms: number, caller?: string, genre?: string][]) => {
  const typedSearches = createTypedSearches()
  const counts: Record<string, number> = {}
  for (const [text, ms, caller = 'ada', genre] of sent) {
    const filter = { endpoint: 'genre:FILTER', parameters: [{ name: 'value', value: genre ?? '' }] }
    const stack = [
      { endpoint: 'search', parameters: [{ name: 'query', value: text }] },
      ...(genre === undefined ? [] : [filter]),
    ]
    for (const { stack: steps, times } of typedSearches.add(
      { workspace, api: 'books', endpoint: 'search', stack, isEmpty: false, caller, requestId: `${ms}` },
      ms,
    )) {
      const path = steps.flatMap(({ parameters }) => parameters.map(({ value }) => value)).join('/')
      counts[path] = (counts[path] ?? 0) + times
    }
  }
  return Object.fromEntries(Object.entries(counts).filter(([, times]) => times !== 0))
}

test('while somebody types, the last text counts once', () => {
  const keys = [...'camping kettle'].map((_, index) => 'camping kettle'.slice(0, index + 1))
  const typed = keys.map((text, index) => [text, index * 200] as [string, number])
  assert.deepEqual(count(typed), { 'camping kettle': 1 })
  assert.deepEqual(count([...typed, ...typed.map(([text, ms]) => [text, ms + 60_000] as [string, number])]), {
    'camping kettle': 2,
  })
  assert.deepEqual(
    count([
      ['kettles', 0],
      ['kettle', 300],
      ['kettl', 500],
      ['kettle', 900],
    ]),
    { kettle: 1 },
  )
})

test('another text, another caller and a pause count as another search', () => {
  assert.deepEqual(
    count([
      ['kettle', 0],
      ['lantern', 300],
    ]),
    { kettle: 1, lantern: 1 },
  )
  assert.deepEqual(
    count([
      ['ket', 0, 'ada'],
      ['kettle', 300, 'bob'],
    ]),
    { ket: 1, kettle: 1 },
  )
  assert.deepEqual(
    count([
      ['ket', 0],
      ['kettle', 4000],
    ]),
    { ket: 1, kettle: 1 },
  )
})

test('the parts of a page with one text are one search', () => {
  assert.deepEqual(
    count([
      ['kettle', 0],
      ['kettle', 1, 'ada', 'Camping'],
      ['kettle', 2],
    ]),
    { kettle: 1 },
  )
})

test('case and blanks of texts count as one, and values of filters stay', () => {
  assert.deepEqual(
    count([
      ['Lantern', 0],
      ['LANTERN ', 10_000],
      [' lan  tern', 20_000],
      ['cafe\u0301', 30_000],
      ['CAFÉ', 40_000],
    ]),
    {
      lantern: 2,
      'lan tern': 1,
      café: 2,
    },
  )
  assert.deepEqual(count([['Kettle', 0, 'ada', 'Camping']]), { 'kettle/Camping': 1 })
})

test('a batch without texts is one search', () => {
  const typedSearches = createTypedSearches()
  const send = (requestId: string) =>
    typedSearches.add(
      { workspace, api: 'books', endpoint: 'all', stack: [], isEmpty: false, caller: 'ada', requestId },
      0,
    )
  assert.deepEqual(
    ['a', 'a', 'b'].flatMap(send).map(({ isPart }) => isPart),
    [false, true, false],
  )
})
