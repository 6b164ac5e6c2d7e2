/** Facets of ranges, intervals and hierarchies over HTTP (docs/describe-your-search.md, facet). */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Book, books, makeLibrary, workspaceFile } from '#tests/support/library'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const endpoints = `
      length: { kind: facet, field: pages, ranges: [{ to: 200 }, { from: 200, to: 400 }, { from: 400 }, { from: 9000, to: 9001 }] }
      hundreds: { kind: facet, field: pages, interval: 100 }
      decade: { kind: facet, field: published, interval: year }
      shelf: { kind: facet, field: genre, separator: / }
      tenths: { kind: facet, field: pages, interval: 0.3 }
      days: { kind: facet, field: published, interval: day, timeZone: America/New_York }
      hours: { kind: facet, field: published, interval: hour, timeZone: Europe/Amsterdam }
      absent: { kind: facet, field: note, missing: true }
      absent-hundreds: { kind: facet, field: pages, interval: 100, missing: true }
      absent-shelf: { kind: facet, field: genre, separator: /, missing: true }
      has-note: { kind: filter, field: note, present: true }
      no-note: { kind: filter, field: note, present: false }
      has-title: { kind: filter, field: title, present: true }
      figures: { kind: facet, field: pages, statistics: true }
      year:`.replace('{ from: 400 }, { from: 9000, to: 9001 }', '{ from: 400, to: 9000 }, { from: 9000 }')

let server: StartedServer
let get: (path: string) => Promise<Response>
let getFiltered: (path: string) => Promise<Response>
before(async () => {
  server = await startServer()
  const library = await makeLibrary(server)
  const folder = await mkdtemp(join(tmpdir(), 'querent-facet-groups-'))
  const account = ['s2s', 'create', library.workspace, 'drama-only', '--role', 'api']
  const dramaOnly = (await server.run(account)) as { clientId: string; clientSecret: string }
  try {
    const file = workspaceFile(library.workspace)
      .replace('\n      year:', endpoints)
      .replace('\n      inPrint:', '\n      note: { type: keyword }\n      inPrint:')
      .concat('systemToSystem:\n  drama-only: { roles: [api], filter: { genre: drama } }\n')
    await writeFile(join(folder, 'library.yaml'), file)
    await server.applyFile(join(folder, 'library.yaml'))
  } finally {
    await rm(folder, { recursive: true })
  }
  get = library.get
  const token = await fetchToken(server, dramaOnly)
  getFiltered = path =>
    fetch(`${server.baseUrl}/4/${library.workspace}/api/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    })
})
after(() => server.stop())

interface Option {
  id: string
  value: string
  count: number
}
const json = async <T>(path: string, from = get): Promise<T> => {
  const response = await from(`library/e/${path}`)
  assert.equal(response.status, 200, await response.clone().text())
  return (await response.json()) as T
}
const options = (path: string, from = get) => json<{ options: Option[]; selected: Option[] }>(path, from)
const pairs = (list: readonly Option[]) => list.map(({ value, count }) => [value, count])
const countBooks = (accepts: (book: Book) => boolean) => books.filter(accepts).length

test('ranges keep their order, also without documents', async () => {
  const { options: ranges } = await options('all/options/length')
  assert.deepEqual(pairs(ranges), [
    ['..200', countBooks(({ pages }) => pages < 200)],
    ['200..400', countBooks(({ pages }) => pages >= 200 && pages < 400)],
    ['400..9000', countBooks(({ pages }) => pages >= 400)],
    ['9000..', 0],
  ])
})

test('intervals ascend, and their filter finds what they count', async () => {
  const hundreds = (await options('all/options/hundreds?count=100')).options
  assert.equal(
    hundreds.reduce((sum, { count }) => sum + count, 0),
    books.length,
  )
  for (const { id, value, count } of hundreds) {
    const [from, to] = value.split('..').map(Number)
    assert.equal(
      countBooks(({ pages }) => pages >= Number(from) && pages < Number(to)),
      count,
    )
    assert.equal((await json<{ total: number }>(`all/e/hundreds:FILTER/p/value/${id}/count`)).total, count)
  }
  const years = (await options('all/options/decade?count=100')).options
  assert.deepEqual(
    years.map(({ value }) => value),
    years.map(({ value }) => value).toSorted(),
  )
  assert.equal(years[0]?.value, '2010')
})

test("with multiselect, a facet's own filter does not narrow its options, and selected values have their counts", async () => {
  const path =
    'all/e/hundreds:FILTER/p/value/1(100..200,150..160)/options/hundreds?count=100&multiselect=true'
  const { options: all, selected } = await options(path)
  assert.deepEqual(pairs(all), pairs((await options('all/options/hundreds?count=100')).options))
  assert.deepEqual(pairs(selected), [
    ['100..200', countBooks(({ pages }) => pages >= 100 && pages < 200)],
    ['150..160', countBooks(({ pages }) => pages >= 150 && pages < 160)],
  ])
})

test('the filter of a hierarchy keeps everything below, and its options are one level deeper', async () => {
  const { options: first } = await options('all/options/shelf?count=100')
  const history = first.find(({ value }) => value === 'history')
  assert.equal(
    history?.count,
    countBooks(({ genre }) => genre.includes('history/modern')),
  )
  const below = await options('all/e/shelf:FILTER/p/value/history/options/shelf')
  assert.deepEqual(pairs(below.options), [['history/modern', history?.count]])
  assert.deepEqual(pairs(below.selected), [['history', history?.count]])
  assert.equal(
    (await json<{ total: number }>('all/e/shelf:FILTER/p/value/history/count')).total,
    history?.count,
  )
})

test('a hierarchy lists what is below each selected value', async () => {
  const { options: first } = await options('all/options/shelf?count=100')
  const parents = first.map(({ value }) => value)
  const list = parents.map(value => `1("${value}")`).join('|')
  const below = await options(
    `all/e/shelf:FILTER/p/value/${encodeURIComponent(list)}/options/shelf?count=100`,
  )
  const children = new Set(books.flatMap(({ genre }) => genre).filter(path => path.includes('/')))
  assert.deepEqual(below.options.map(({ value }) => value).toSorted(), [...children].toSorted())
})

test('each option of a decimal interval or of one in a time zone has the count of its filter', async () => {
  for (const facet of ['tenths', 'days', 'hours']) {
    const { options: list } = await options(`all/options/${facet}?count=1000`)
    assert.ok(list.length > 1, facet)
    for (const { id, count } of list) {
      const path = `all/e/${facet}:FILTER/p/value/${encodeURIComponent(id)}/count`
      assert.equal((await json<{ total: number }>(path)).total, count, `${facet} ${id}`)
    }
  }
  const response = await get('library/e/all/e/days:FILTER/p/value/2024-01/count')
  assert.equal(response.status, 200)
})

test('documents without a value are an option, and filters keep them', async () => {
  const total = async (path: string) => (await json<{ total: number }>(`all/e/${path}/count`)).total
  for (const facet of ['absent', 'absent-hundreds', 'absent-shelf']) {
    const { options: list } = await options(`all/options/${facet}?count=1000`)
    for (const { id, count } of list) {
      assert.equal(await total(`${facet}:FILTER/p/value/${encodeURIComponent(id)}`), count, `${facet} ${id}`)
      const chosen = encodeURIComponent(`1("")|1("${id}")`)
      const { selected } = await options(`all/e/${facet}:FILTER/p/value/${chosen}/options/${facet}`)
      assert.ok(
        selected.some(option => option.value === id && option.count === count),
        `${facet} ${id}`,
      )
    }
  }
  const { options: notes } = await options('all/options/absent')
  assert.deepEqual(pairs(notes), [['', books.length]])
  assert.equal(await total('has-note'), 0)
  assert.equal(await total('no-note'), books.length)
  assert.equal(await total('no-note/e/has-title'), books.length)
})

test('statistics describe the values of the result', async () => {
  const { statistics } = await json<{ statistics: unknown }>('all/options/figures')
  const pages = books.map(book => book.pages)
  const sum = pages.reduce((total, count) => total + count, 0)
  assert.deepEqual(statistics, {
    min: Math.min(...pages),
    max: Math.max(...pages),
    sum,
    average: sum / pages.length,
    count: pages.length,
  })
})

test('options are also results, pages and statistics', async () => {
  const results = await json<{ items: { tuple: [{ attributes: { title: string } }] }[] }>(
    'all/e/length/results?offset=1&count=2',
  )
  assert.deepEqual(
    results.items.map(({ tuple: [option] }) => option.attributes.title),
    ['200..400', '400..9000'],
  )
  assert.deepEqual(await json('all/e/length/count'), { total: 4 })
  const matching = await options('all/options/shelf?query=hist')
  assert.deepEqual(
    matching.options.map(({ value }) => value),
    ['history'],
  )
})

test('a value that is no range, date or number is an error that says what is allowed', async () => {
  for (const path of [
    'length:FILTER/p/value/long',
    'decade:FILTER/p/value/lately',
    'hundreds:FILTER/p/value/1..x',
  ]) {
    const response = await get(`library/e/all/e/${path}/results`)
    const { code, message } = (await response.json()) as { code: string; message: string }
    assert.deepEqual([response.status, code], [400, 'bad-parameter'])
    assert.match(message, /allowed: a (number|date).*or a range/)
  }
})

test('a row filter leaves nothing of hidden documents in the groups', async () => {
  const visible = (accepts: (book: Book) => boolean) =>
    countBooks(book => book.genre.includes('drama') && accepts(book))
  const { options: ranges } = await options('all/options/length', getFiltered)
  assert.equal(
    ranges[0]?.count,
    visible(({ pages }) => pages < 200),
  )
  const years = (await options('all/options/decade?count=100', getFiltered)).options
  for (const { value, count } of years)
    assert.equal(
      count,
      visible(({ published }) => published.startsWith(value)),
    )
})
