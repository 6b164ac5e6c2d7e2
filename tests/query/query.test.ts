/** The query service over HTTP: request types, stacking, options (docs/query.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runQuerent } from '#tests/support/command-line'
import { type Book, books, bookUri, type Library, makeLibrary } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
})
after(() => server.stop())

interface Item {
  rank: number
  probability: number
  tuple: [{ id: string; class: string[]; attributes: Record<string, unknown> }]
}
interface ResultsReply {
  offset: number
  count: number
  type: string[]
  items: Item[]
}
const json = async <T>(path: string): Promise<T> => {
  const reply = await library.get(path)
  const text = await reply.text()
  assert.equal(reply.status, 200, `${path}: ${text}`)
  assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
  return JSON.parse(text) as T
}
const ids = ({ items }: ResultsReply) => items.map(({ tuple }) => tuple[0].id)
const readIds = (matches: readonly Book[]) => matches.map(({ id }) => bookUri(id)).sort()

test('results have the form of the contract, and documents come back as they were imported', async () => {
  const reply = await json<ResultsReply>('library/e/book/p/id/b003/results')
  const { id, ...attributes } = books[3] ?? assert.fail()
  assert.deepEqual(reply, {
    offset: 0,
    count: 10,
    type: ['OBJ'],
    items: [
      {
        rank: 1,
        probability: 1,
        tuple: [{ id: bookUri(id), class: ['https://schema.org/Book'], attributes }],
      },
    ],
  })
})

test('a lookup accepts short ids, absolute URIs and tuple lists, and returns an empty result for missing ids', async () => {
  assert.deepEqual(ids(await json(`library/e/book/p/id/${encodeURIComponent(bookUri('b010'))}/results`)), [
    bookUri('b010'),
  ])
  const several = await json<ResultsReply>(
    `library/e/book/p/id/${encodeURIComponent('0.5(b001)|1(b002)')}/results`,
  )
  assert.deepEqual(ids(several), [bookUri('b002'), bookUri('b001')])
  assert.deepEqual(
    several.items.map(({ probability }) => probability),
    [1, 0.5],
  )
  assert.deepEqual((await json<ResultsReply>('library/e/book/p/id/nobody/results')).items, [])
})

test('the command line names a missing parameter as it is typed there', async () => {
  const { code, stderr } = await runQuerent([
    'search',
    library.workspace,
    'library',
    'search',
    '--data',
    server.data,
  ])
  assert.deepEqual(
    [code, stderr],
    [2, 'querent: the parameter "query" of "search" is missing: write query=…\n'],
  )
})

test('without scores all documents come in order of id, each with probability 1', async () => {
  const reply = await json<ResultsReply>('library/e/all/results?count=100')
  assert.deepEqual(ids(reply), readIds(books).slice(0, 100))
  assert.ok(reply.items.every(({ probability }) => probability === 1))
})

test('words are alternatives and are stemmed, and probabilities fall from 1 for the best result', async () => {
  const reply = await json<ResultsReply>('library/e/search/p/query/golden%20rivers/results?count=100')
  const matchingBooks = books.filter(({ title }) => /golden|river/.test(title))
  assert.deepEqual(ids(reply).sort(), readIds(matchingBooks).slice(0, 100))
  const probabilities = reply.items.map(({ probability }) => probability)
  assert.equal(probabilities[0], 1)
  assert.deepEqual(
    probabilities,
    probabilities.toSorted((a, b) => b - a),
  )
  assert.ok(probabilities.every(probability => probability > 0 && probability <= 1))
  const booksWithBoth = books.filter(({ title }) => title.includes('golden') && title.includes('river'))
  assert.deepEqual(ids(reply).slice(0, booksWithBoth.length), readIds(booksWithBoth))
})

test('pages tile the result, and ranks count over the whole of it', async () => {
  const paged: Item[] = []
  for (let offset = 0; ; offset += 7) {
    const { items } = await json<ResultsReply>(
      `library/e/search/p/query/golden%20river/results?count=7&offset=${offset}`,
    )
    paged.push(...items)
    if (items.length < 7) break
  }
  const wholeReply = await json<ResultsReply>('library/e/search/p/query/golden%20river/results?count=100')
  assert.deepEqual(paged, wholeReply.items)
  assert.deepEqual(
    paged.map(({ rank }) => rank),
    paged.map((_item, index) => index + 1),
  )
  assert.deepEqual(await json('library/e/search/p/query/golden%20river/count'), { total: paged.length })
})

test('results,count is the results and their statistics, with the comma literal or encoded', async () => {
  for (const type of ['results,count', 'results%2Ccount']) {
    const [results, statistics] = await json<
      [ResultsReply, { total: number; stats: { cutoff: string; numResults: number }[] }]
    >(`library/e/search/p/query/golden%20river/${type}?count=100`)
    assert.equal(statistics.total, results.items.length)
    assert.deepEqual(
      statistics.stats.map(({ cutoff }) => cutoff),
      ['0.9', '0.8', '0.7', '0.6', '0.5', '0.4', '0.3', '0.2', '0.1', '0.0'],
    )
    for (const { cutoff, numResults } of statistics.stats)
      assert.equal(
        numResults,
        results.items.filter(({ probability }) => probability >= Number(cutoff)).length,
        cutoff,
      )
  }
})

test('endpoints of a stack refine the ones before them, and filters may come in any order', async () => {
  const filters = ['e/genre:FILTER/p/value/drama', 'e/available']
  const expectedIds = readIds(
    books.filter(
      ({ genre, inPrint, title }) => genre.includes('drama') && inPrint && title.includes('golden'),
    ),
  )
  for (const [first, second] of [filters, filters.toReversed()]) {
    const reply = await json<ResultsReply>(
      `library/e/search/p/query/golden/${first}/${second}/results?count=100`,
    )
    assert.deepEqual(ids(reply).sort(), expectedIds)
    assert.deepEqual(
      reply,
      await json(`library/${first}/e/search/p/query/golden/${second}/results?count=100`),
    )
  }
})

test('filter values survive their encoding, and tuple lists are alternatives whose scores multiply', async () => {
  for (const genre of ['a, b', 'history/modern', 'été', 'f(x)']) {
    const matchingBooks = books.filter(book => book.genre.includes(genre))
    assert.ok(matchingBooks.length > 0)
    for (const filter of ['genre:FILTER', 'genre%3AFILTER'])
      assert.deepEqual(
        ids(await json(`library/e/all/e/${filter}/p/value/${encodeURIComponent(genre)}/results?count=100`)),
        readIds(matchingBooks).slice(0, 100),
        genre,
      )
  }
  const list = encodeURIComponent('1(drama)|0.5(comedy,"a, b")')
  const { items } = await json<ResultsReply>(`library/e/all/e/genre:FILTER/p/value/${list}/results?count=100`)
  for (const { probability, tuple } of items) {
    const genre = tuple[0].attributes.genre as string[]
    assert.equal(probability, genre.includes('drama') ? 1 : 0.5)
  }
})

test('an unquoted tuple with commas also matches its whole text, and options say which readings exist', async () => {
  const count = async (filter: string) =>
    (
      await json<{ total: number }>(
        `library/e/all/e/genre:FILTER/p/value/${encodeURIComponent(filter)}/count`,
      )
    ).total
  const has = (...genres: string[]) =>
    books.filter(({ genre }) => genres.some(it => genre.includes(it))).length
  assert.ok(has('a, b') > 0)
  assert.equal(await count('1(a, b)'), has('a, b'))
  assert.equal(await count('1("a",b)'), 0)
  assert.equal(await count('1(a, b)|1(comedy,drama)'), has('a, b', 'comedy', 'drama'))
  const selected = async (filter: string) => {
    const path = `library/e/all/e/genre:FILTER/p/value/${encodeURIComponent(filter)}/options/genre`
    const reply = await json<{ selected: { value: string }[] }>(path)
    return reply.selected.map(({ value }) => value)
  }
  assert.deepEqual(await selected('1(a, b)'), ['a, b'])
  assert.deepEqual(await selected('1(comedy,drama)'), ['comedy', 'drama'])
  assert.deepEqual(await selected('1(a, b)|1("a")'), ['a', 'a, b'])
})

test('scores may have any magnitude and any number of digits', async () => {
  const stacked = (list: string, times: number) =>
    json<ResultsReply>(
      `library/e/all/${`e/genre:FILTER/p/value/${encodeURIComponent(list)}/`.repeat(times)}results?count=100&offset=50`,
    )
  const small = await stacked(`0.${'0'.repeat(39)}1(drama)`, 12)
  assert.ok(small.items.length > 0)
  for (const { probability } of small.items) assert.equal(probability, 1)
  for (const times of [3, 20]) {
    const { items } = await stacked(`${'9'.repeat(20)}(drama)|1(comedy)`, times)
    const isDrama = items.map(({ tuple }) => (tuple[0].attributes.genre as string[]).includes('drama'))
    const first = isDrama.indexOf(false)
    assert.ok(first > 0 && isDrama.slice(first).every(drama => !drama))
    assert.ok(items.slice(0, first).every(({ probability }) => probability === 1))
    assert.ok(items.slice(first).every(({ probability }) => probability > 0 && probability < 1e-59))
  }
})

test('filters on numbers and booleans compare values', async () => {
  const matchingBooks = books.filter(({ pages }) => pages === 137)
  assert.deepEqual(ids(await json('library/e/long/p/pages/137/results?count=100')), readIds(matchingBooks))
  assert.deepEqual(ids(await json('library/e/long/p/pages/137.0/results?count=100')), readIds(matchingBooks))
  assert.deepEqual(await json('library/e/available/count'), {
    total: books.filter(({ inPrint }) => inPrint).length,
  })
})

interface OptionsReply {
  id: string
  title: string
  selected: { value: string; count: number }[]
  options: { id: string; value: string; title: string; count: number; score: number }[]
}
const genreCounts = (matches: readonly Book[]) => {
  const counts = new Map<string, number>()
  for (const genre of matches.flatMap(book => book.genre)) counts.set(genre, (counts.get(genre) ?? 0) + 1)
  return [...counts].sort(
    ([a, m], [b, n]) => n - m || (Buffer.compare(Buffer.from(a), Buffer.from(b)) as number),
  )
}

test('options of a facet have exact counts, ordered by falling count and then by value', async () => {
  for (const [path, matches] of [
    ['library/options/genre', books],
    ['library/e/all/options/genre', books],
    ['library/e/search/p/query/golden/options/genre', books.filter(({ title }) => title.includes('golden'))],
  ] as const) {
    const reply = await json<OptionsReply>(path)
    assert.equal(reply.id, 'genre')
    assert.equal(reply.title, 'Genre')
    assert.deepEqual(reply.selected, [])
    assert.deepEqual(
      reply.options.map(({ value, count }) => [value, count]),
      genreCounts(matches),
    )
    for (const { id, value, title, count, score } of reply.options) {
      assert.deepEqual([id, title], [value, value])
      assert.equal(score, count / matches.length)
      const filtered = path === 'library/options/genre' ? 'library' : path.replace('/options/genre', '')
      assert.deepEqual(await json(`${filtered}/e/genre:FILTER/p/value/${encodeURIComponent(value)}/count`), {
        total: count,
      })
    }
  }
})

test("a facet's own selection narrows its counts, except with multiselect", async () => {
  const path = 'library/e/all/e/genre:FILTER/p/value/drama/options/genre'
  const drama = books.filter(({ genre }) => genre.includes('drama'))
  const narrow = await json<OptionsReply>(path)
  assert.deepEqual(
    narrow.options.map(({ value, count }) => [value, count]),
    genreCounts(drama),
  )
  assert.deepEqual(
    narrow.selected.map(({ value, count }) => [value, count]),
    [['drama', drama.length]],
  )
  const wide = await json<OptionsReply>(`${path}?multiselect=true`)
  assert.deepEqual(
    wide.options.map(({ value, count }) => [value, count]),
    genreCounts(books),
  )
  assert.deepEqual(
    wide.selected.map(({ value }) => value),
    ['drama'],
  )
})

test('a stack that ends in a facet has its options as results', async () => {
  const reply = await json<ResultsReply>('library/e/all/e/genre/results')
  const counts = genreCounts(books)
  assert.deepEqual(
    reply.items.map(({ tuple }) => [tuple[0].id, tuple[0].attributes.count]),
    counts,
  )
  assert.deepEqual(
    reply.items.map(({ probability }) => probability),
    counts.map(([, count]) => count / (counts[0]?.[1] ?? 0)),
  )
  assert.deepEqual(await json('library/e/all/e/genre/count'), { total: counts.length })
  const highlighted = await json<{ items: object[] }>('library/e/all/e/genre/results?highlight=true')
  assert.deepEqual(
    highlighted.items.map(item => ('highlights' in item ? item.highlights : undefined)),
    counts.map(() => ({})),
  )
})

test('about names endpoints with their parameters, with and without the trailing slash', async () => {
  const description = await json<{
    endpoints: { name: string; kind: string; title: string; parameters: unknown[] }[]
  }>('library')
  assert.deepEqual(description, await json('library/'))
  assert.deepEqual(
    description.endpoints.find(({ name }) => name === 'search'),
    {
      name: 'search',
      kind: 'match',
      title: 'search',
      parameters: [{ name: 'query', type: 'string', required: true }],
    },
  )
  assert.ok(description.endpoints.some(({ name }) => name === 'genre:FILTER'))
  assert.deepEqual(Object.keys(description).slice(0, 5), [
    'workspace',
    'api',
    'title',
    'access',
    'configurations',
  ])
})

test('status names the configuration and the live generations', async () => {
  assert.deepEqual(await json('library/status'), {
    status: 'ok',
    config: 'default',
    generations: { books: '1' },
  })
})

test('HEAD replies like GET without a body', async () => {
  const reply = await library.get('library/e/all/results', { method: 'HEAD' })
  assert.equal(reply.status, 200)
  assert.equal(await reply.text(), '')
})

const assertRefused = async (
  path: string,
  status: number,
  message: RegExp,
  code?: string,
  init?: RequestInit,
) => {
  const reply = await library.get(path, init)
  const body = (await reply.json()) as { message: string; status: number; code: string; requestId: string }
  assert.equal(reply.status, status, `${path}: ${body.message}`)
  assert.equal(body.status, status)
  assert.match(body.message, message, path)
  assert.equal(body.requestId, reply.headers.get('x-request-id'))
  if (code) assert.equal(body.code, code)
  return reply
}

test('the error for an unknown API, configuration, endpoint or facet names it and the existing ones', async () => {
  await assertRefused('libary', 404, /^No such api "libary".*library/, 'no-such-api')
  await assertRefused(
    'library/e/all/results?config=stagin',
    404,
    /^No such workspace configuration "stagin".*default/,
  )
  await assertRefused('library/e/serch/p/query/x/results', 400, /^no endpoint "serch".*search/)
  await assertRefused('library/e/all/options/gender', 400, /^no endpoint "gender".*genre/, 'unknown-endpoint')
})

test('the error for a bad path names the bad part and what is allowed', async () => {
  await assertRefused('library/e/all/resutls', 400, /resutls.*results/)
  await assertRefused('library/e/all', 400, /request is missing/)
  await assertRefused('library/e/all/e', 400, /endpoint's name is missing/)
  await assertRefused('library/e/search/p/query', 400, /"query" has no value/)
  await assertRefused('library/e/search/p/query/%zz/results', 400, /malformed percent-encoding.*%zz/)
  await assertRefused('library/e/search/p/query/%ff/results', 400, /malformed percent-encoding/)
  await assertRefused('library/e/genre/e/all/results', 400, /genre.*last/)
})

test('the error for an unknown, repeated or missing parameter names it', async () => {
  await assertRefused('library/e/search/p/querry/x/results', 400, /"querry".*query/)
  await assertRefused('library/e/search/p/query/x/p/query/y/results', 400, /"query".*twice/)
  await assertRefused('library/e/search/results', 400, /"query".*missing|missing.*"query"/)
  await assertRefused('library/e/long/p/pages/many/results', 400, /many.*number/)
})

test('the error for a bad or repeated option names it, and unknown options are ignored', async () => {
  await assertRefused('library/e/all/results?count=0', 400, /"count" is "0".*1 to 1000/)
  await assertRefused('library/e/all/results?count=1001', 400, /"count"/)
  await assertRefused('library/e/all/results?count=1e1', 400, /"count"/)
  await assertRefused('library/e/all/results?offset=10001', 400, /"offset".*10000/)
  await assertRefused('library/e/all/results?offset=-1', 400, /"offset"/)
  await assertRefused('library/e/all/results?cutoff=2', 400, /"cutoff"/)
  await assertRefused('library/e/all/results?count=1&count=2', 400, /"count" is given twice/)
  await assertRefused('library/e/all/results?config=%E0%A4%A', 400, /malformed percent-encoding/)
  assert.deepEqual(await json('library/e/all/count?colour=red&colour=blue'), { total: books.length })
})

test('other methods get 405 with the allowed methods', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const reply = await assertRefused(
      'library/e/all/results',
      405,
      new RegExp(method),
      'method-not-allowed',
      {
        method,
      },
    )
    assert.match(reply.headers.get('allow') ?? '', /GET/)
  }
})

test('an empty value is an empty string, and blank text matches everything', async () => {
  assert.deepEqual(await json('library/e/search/p/query//count'), { total: books.length })
  assert.deepEqual(await json('library/e/search/p/query/%20/count'), { total: books.length })
})

test('URLs up to 16 KiB are served, longer ones get 414, never 431', async () => {
  const path = (length: number) => {
    const start = '/4/library/api/library/e/search/p/query/'
    return `library/e/search/p/query/${'a'.repeat(length - start.length - '/count'.length)}/count`
  }
  assert.equal((await library.get(path(16 * 1024))).status, 200)
  await assertRefused(path(16 * 1024 + 1), 414, /16 KiB/)
  await assertRefused(path(60 * 1024), 414, /16 KiB/)
  const long = await library.get(path(200 * 1024))
  assert.equal(long.status, 414)
  assert.equal(((await long.json()) as { code: string }).code, 'url-too-long')
})

test('an unknown version of the contract gets 404 that names the existing versions', async () => {
  const reply = await fetch(`${server.baseUrl}/5/library/api/library/e/all/results`)
  assert.equal(reply.status, 404)
  assert.match(((await reply.json()) as { message: string }).message, /version 4/)
})

test('a client with the current reply gets 304 without a body, until documents or definitions change', async () => {
  const path = 'library/e/search/p/query/golden/results'
  const first = await library.get(path)
  const tag = first.headers.get('etag') ?? assert.fail('no ETag')
  assert.match(tag, /^W\/"/)
  await first.arrayBuffer()
  const getConditionally = (init: RequestInit = {}) =>
    library.get(path, { ...init, headers: { 'if-none-match': `"other", ${tag}` } })
  const notModified = await getConditionally()
  assert.equal(notModified.status, 304)
  assert.equal(notModified.headers.get('etag'), tag)
  assert.equal(await notModified.text(), '')
  assert.notEqual((await library.get(`${path}?count=5`)).headers.get('etag'), tag)
  const refusedFirst = await fetch(notModified.url, { headers: { 'if-none-match': tag } })
  assert.equal(refusedFirst.status, 401)
  const added = {
    id: 'zzz',
    title: 'Golden again',
    genre: [],
    pages: 1,
    inPrint: false,
    published: '2020-01-01T00:00:00Z',
  }
  await server.importDocuments('library', 'books', JSON.stringify(added))
  assert.equal((await getConditionally()).status, 200)
})

test('highlights mark the matching text, escaped, next to the tuple', async () => {
  const results = await json<{
    items: { highlights: Record<string, string[]>; tuple: [{ attributes: { title: string } }] }[]
  }>('library/e/search/p/query/rivers/results?highlight=true&count=3')
  assert.equal(results.items.length, 3)
  for (const { highlights, tuple } of results.items)
    assert.deepEqual(highlights, {
      title: [tuple[0].attributes.title.replace('river', '<mark>river</mark>')],
    })
  const unmarked = await json<{ items: object[] }>('library/e/all/results?highlight=true&count=1')
  assert.deepEqual(
    unmarked.items.map(item => 'highlights' in item),
    [true],
  )
  const page = await json<{ items: { highlights: object }[] }>(
    'library/e/search/p/query/rivers/resultpage?highlight=true&attributes=genre&count=1',
  )
  assert.deepEqual(page.items[0]?.highlights, {})
})
