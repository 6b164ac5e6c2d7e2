import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addProposal,
  type Proposal,
  proposedApi,
  proposedCollection,
  titleWeight,
} from '@querent/contract/proposal'
import { writeProposal } from '@querent/contract/proposal-text'
import { readWorkspaceFile } from '@querent/contract/read-workspace-file'
import fc from 'fast-check'
import { checkId } from './check-id.ts'
import { propose } from './propose.ts'
import { readSample, type SampleFormat } from './read-sample.ts'

const proposeFor = async (
  text: string,
  format: SampleFormat = 'csv',
  { isCut = false, parts = [] }: { isCut?: boolean; parts?: string[] } = {},
): Promise<Proposal> => {
  const sample = await readSample(
    Buffer.from(text),
    format,
    isCut,
    parts.map(part => Buffer.from(part)),
  )
  return typeof sample === 'string' ? assert.fail(sample) : propose('my books', sample)
}
const toLines = (documents: readonly object[]) =>
  documents.map(document => `${JSON.stringify(document)}\n`).join('')
const toCsv = (documents: readonly Record<string, string>[]) =>
  [Object.keys(documents[0] ?? {}), ...documents.map(document => Object.values(document).map(quote))]
    .map(cells => `${cells.join(',')}\n`)
    .join('')
const chosen = ({ fields }: Proposal, role: 'facet' | 'range' | 'sort' | 'search' | 'breaksTies') =>
  fields.filter(field => field[role]).map(({ name }) => name)

const weights = ({ fields }: Proposal) =>
  Object.fromEntries(fields.flatMap(({ name, weight }) => (weight === 1 ? [] : [[name, weight]])))
const readTypes = ({ fields }: Proposal) => Object.fromEntries(fields.map(({ name, type }) => [name, type]))

const genres = ['novel', 'poetry', 'history', 'science']
const books = Array.from({ length: 60 }, (_, index) => ({
  isbn: `978000000${String(index).padStart(4, '0')}`,
  title: `The ${index} rivers of the north`,
  author: `Writer ${index % 45} Smith`,
  genre: genres[index % 4] ?? '',
  pages: String(100 + index),
  published: `19${String(10 + index)}-01-31`,
  available: index % 2 ? 'TRUE' : 'FALSE',
  where: `52.${index},4.89`,
  shelf: `00${index}`,
  about: 'A long story of the people who live by the river, and of what they do when it is cold.',
}))
const names = Object.keys(books[0] ?? {})
const quote = (cell: string) => (cell.includes(',') ? `"${cell}"` : cell)
const csv = (delimiter = ',') =>
  [names, ...books.map(book => Object.values(book).map(quote))]
    .map(cells => `${cells.join(delimiter)}\n`)
    .join('')

test('types, id, title, facets and sorts come from the values of a CSV file', async () => {
  for (const delimiter of [',', ';', '\t']) {
    const proposal = await proposeFor(csv(delimiter))
    assert.deepEqual(readTypes(proposal), {
      isbn: 'text',
      title: 'text',
      author: 'text',
      genre: 'keyword',
      pages: 'number',
      published: 'date',
      available: 'boolean',
      where: 'text',
      shelf: 'text',
      about: 'text',
    })
    assert.deepEqual(
      [proposal.id, proposal.collection, proposal.language, proposal.coverage],
      [{ field: 'isbn' }, 'my-books', 'english', 'whole'],
    )
    assert.deepEqual(chosen(proposal, 'facet'), ['genre', 'available'])
    assert.deepEqual(chosen(proposal, 'search'), ['genre'])
    assert.deepEqual(chosen(proposal, 'range'), ['pages', 'published'])
    assert.deepEqual(chosen(proposal, 'sort'), ['title', 'pages', 'published'])
    assert.deepEqual(
      proposal.fields.filter(({ weight }) => weight > 1).map(({ name }) => name),
      ['title'],
    )
  }
})

test('JSON has its own types, lists and places; nested attributes are paths', async () => {
  const documents = books.map(({ isbn, title }, index) => ({
    _id: isbn,
    title,
    tags: ['red', 'green', 'blue'].slice(0, 1 + (index % 3)),
    place: { lat: 52, lon: index },
    price: index / 2,
    maker: { name: 'x' },
    nothing: null,
  }))
  const lines = documents.map(document => `${JSON.stringify(document)}\n`).join('')
  for (const proposal of [
    await proposeFor(lines, 'ndjson'),
    await proposeFor(JSON.stringify(documents), 'json'),
    await proposeFor(`${lines}{"cut":`, 'ndjson', { isCut: true }),
  ]) {
    assert.deepEqual(proposal.id, { field: '_id' })
    const types = readTypes(proposal)
    assert.deepEqual(types, {
      _id: 'text',
      title: 'text',
      tags: 'keyword',
      place: 'geo',
      price: 'number',
      'maker.name': 'keyword',
      nothing: 'text',
    })
    const unused = proposal.fields.filter(({ use }) => !use).map(({ name }) => name)
    assert.deepEqual(unused, ['nothing'])
  }
})

test('places are narrowed and sorted by distance, and numbers and dates are sorted in both orders', async () => {
  const documents = books.map(({ title, published }, index) => ({
    title,
    published,
    price: 5 + index / 2,
    where: { lat: 52, lon: index },
  }))
  const proposal = await proposeFor(toLines(documents), 'ndjson')
  const { endpoints = {} } = proposedApi(proposal)
  const collection = 'my-books'
  assert.deepEqual(endpoints['where-near'], {
    kind: 'filter',
    collection,
    field: 'where',
    title: 'Near a place',
  })
  assert.deepEqual(endpoints['by-where'], {
    kind: 'sort',
    collection,
    field: 'where',
    title: 'Nearest first',
  })
  const sorts = Object.entries(endpoints).flatMap(([name, { kind, title }]) =>
    kind === 'sort' ? [`${name}: ${title}`] : [],
  )
  assert.deepEqual(sorts, [
    'by-title: Title, A to Z',
    'by-published: Published, newest first',
    'by-published-ascending: Published, oldest first',
    'by-price: Price, lowest first',
    'by-price-descending: Price, highest first',
    'by-where: Nearest first',
  ])
  const read = readWorkspaceFile(writeProposal('shop', proposal, 'books.ndjson'))
  assert.ok('file' in read, JSON.stringify(read))
  const fields = proposal.fields.concat(
    proposal.fields.filter(({ type }) => type === 'geo').map(field => ({ ...field, name: 'depot' })),
  )
  assert.equal(proposedApi({ ...proposal, fields }).endpoints?.['by-depot']?.title, 'Depot, nearest first')
})

test('broken JSON is named with its line and column', async () => {
  const faults: Readonly<Record<string, RegExp>> = {
    '{"a": 1,\n "b": [}': /^line 2: .* column 8/,
    '[\n {"a": 1},\n {"a": 2\n  "b": 3}\n]': /^(?:line 4, column 3)/,
    '[{"a" 1}]': /^line 1: this is not JSON/,
    '[{"a": 1},\n {"a": 2}': /^line 2: the text ends before the "]" of the array/,
  }
  for (const [text, place] of Object.entries(faults)) {
    const sample = await readSample(Buffer.from(text), 'json', false)
    if (typeof sample === 'string') assert.match(sample, place)
    else {
      assert.equal(sample.documents.length, 1)
      assert.deepEqual(sample.unreadable?.documents, 1)
      assert.match(sample.unreadable?.first ?? '', place)
    }
  }
})

test('the language comes from the words, or from the script', async () => {
  const texts = {
    dutch: 'De rivier stroomt door het land en de mensen wonen aan het water',
    german: 'Der Fluss fließt durch das Land und die Menschen wohnen an dem Wasser',
    french: 'La rivière coule dans le pays et les gens habitent au bord de son eau',
    cjk: '川は国を流れ、人々は水のそばに住んでいる',
    general: 'แม่น้ำไหลผ่านประเทศ และผู้คนอาศัยอยู่ริมน้ำ',
    english: 'The river flows through the land and the people live by it',
  }
  for (const [language, text] of Object.entries(texts)) {
    const lines = [1, 2, 3].map(id => `${JSON.stringify({ id, text: `${text} ${id}` })}\n`).join('')
    assert.equal((await proposeFor(lines, 'ndjson')).language, language)
  }
})

test('titles of few documents have a language if their small words are of one language', async () => {
  const titles = {
    dutch:
      'Theepot met deksel|Mok van porselein|Vaas voor bloemen|Set van zes kopjes|Lamp in blauw|Bord en kom',
    english: 'Teapot with lid|Mug of porcelain|Vase for flowers|Set of six cups|Lamp in blue|Plate and bowl',
    general: 'Vincent van Gogh|Jan van Eyck|Piet de Jong|Rogier van der Weyden|Las Vegas|Port au Prince',
  }
  for (const [language, text] of Object.entries(titles)) {
    const documents = text.split('|').map((title, id) => ({ id, title }))
    assert.equal((await proposeFor(toLines(documents), 'ndjson')).language, language)
  }
})

test('proper names have no language', async () => {
  const names = [
    'Castell de Sant Joan',
    'Villa de la Reina',
    'El Prat de Llobregat',
    'Los Angeles',
    'Den Haag',
  ]
  const documents = Array.from({ length: 200 }, (_, id) => ({ id, place: `${names[id % 5]} ${id}` }))
  const { language, languageConfidence } = await proposeFor(toLines(documents), 'ndjson')
  assert.deepEqual([language, languageConfidence], ['general', 0])
})

test('a file without a unique column gets a hash as id, or the row if documents are equal', async () => {
  const films = Array.from({ length: 40 }, (_, index) => ({
    title: `Film ${index % 20}`,
    votes: index * 7919,
  }))
  assert.deepEqual((await proposeFor(toLines(films), 'ndjson')).id, { generate: 'hash' })
  const proposal = await proposeFor(toLines([...films, ...films]), 'ndjson')
  assert.deepEqual([proposal.id, proposal.equalDocuments, proposal.idFields], [{ generate: 'row' }, 40, []])
})

test('values that differ by chance are no id', async () => {
  const people = Array.from({ length: 30 }, (_, index) => ({
    first_name: `Ada${index}`,
    address: `Street ${index}`,
    population: index * 7919,
    share: index / 7,
  }))
  assert.deepEqual((await proposeFor(toLines(people), 'ndjson')).idFields, [])
})

test('a column whose values repeat later in the file is no id, in each format', async () => {
  const rows = (start: number) =>
    Array.from({ length: 30 }, (_, index) => ({
      county: `c${index}`,
      name: `Bird ${start + index}`,
      seen: `${start}`,
      notes: 'a, b',
    }))
  const start = rows(0)
  const rest = [rows(100), rows(200)]
  /** A part begins and ends within a record. */
  const cut = (text: string) => text.slice(9, -9)
  for (const [format, write] of [
    ['ndjson', toLines],
    ['json', (documents: object[]) => JSON.stringify(documents, null, 2)],
    ['csv', toCsv],
  ] as const) {
    const parts = rest.map(documents => cut(write(documents)))
    const text = format === 'json' ? write(start).slice(0, -1) : write(start)
    const wholeFile = await proposeFor(write(start), format)
    assert.ok(wholeFile.idFields.includes('county'), format)
    const proposal = await proposeFor(text, format, { isCut: true, parts })
    assert.deepEqual([proposal.idFields, proposal.coverage], [['name'], 'spread'], format)
    assert.ok(proposal.documents > 80, `${format}: ${proposal.documents}`)
  }
})

test('dates, numbers and places are read as people write them', async () => {
  const rows = Array.from({ length: 40 }, (_, index) => ({
    nr: `${index + 1}`,
    film: `Der ${index}. Film`,
    start: `${1 + (index % 28)}.06.${1980 + index}`,
    us: `${1 + (index % 12)}/${1 + (index % 28)}/1998 0:00`,
    written: `Jun ${1 + (index % 28)} ${1980 + index}`,
    mailed: `Mon, ${1 + (index % 28)} Dec 1995 13:30:00 +0430`,
    dateOfOrder: `199512${10 + (index % 20)}`,
    rating: `${index % 9},${index % 10}`,
    budget: `${1 + index}.000.000`,
    price: `$${1 + index},000.50`,
    share: `${index}%`,
    people: index % 3 ? `${1 + index}.617` : `${100 + index}`,
    weight: `${1 + index}.617`,
    catalog: `NGC${100 + index}`,
    latitude: `${index}.5`,
    longitude: index % 3 ? `-${100 + index}.25` : '',
    start_lat: `${index}`,
    start_lng: `${index}`,
    Ziel_Breitengrad: `${index},5`,
    Ziel_Längengrad: `${index},25`,
    end_lat: `${index},0907`,
    end_lng: `-${index},25`,
    zip: `${10_000 + index}`,
    missing: index % 2 ? 'NA' : `${index}.5`,
  }))
  const { fields } = await proposeFor(toCsv(rows))
  const definition = proposedCollection(await proposeFor(toCsv(rows))).fields ?? {}
  const { start, us, written, mailed, dateOfOrder } = definition
  const { rating, budget, price, share, people, weight, catalog, place, zip, missing } = definition
  assert.deepEqual(
    {
      start,
      us,
      written,
      mailed,
      dateOfOrder,
      rating,
      budget,
      price,
      share,
      people,
      weight,
      catalog: catalog?.type,
      place,
      zip: zip?.type,
      missing,
    },
    {
      start: { type: 'date', formats: ['dd.MM.yyyy'] },
      us: { type: 'date', formats: ['MM/dd/yyyy HH:mm'] },
      written: { type: 'date', formats: ['MMM dd yyyy'] },
      mailed: { type: 'date', formats: ['dd MMM yyyy HH:mm:ss'] },
      dateOfOrder: { type: 'date', formats: ['yyyyMMdd'] },
      rating: { type: 'number', decimal: ',' },
      budget: { type: 'number', decimal: ',' },
      price: { type: 'number', decimal: '.' },
      share: { type: 'number', decimal: '.' },
      people: { type: 'number', decimal: ',' },
      weight: { type: 'number' },
      catalog: 'text',
      place: { type: 'geo', from: { lat: 'latitude', lon: 'longitude' } },
      zip: 'text',
      missing: { type: 'number' },
    },
  )
  assert.deepEqual(definition.startPlace, { type: 'geo', from: { lat: 'start_lat', lon: 'start_lng' } })
  assert.deepEqual(definition.end, { type: 'geo', from: { lat: 'end_lat', lon: 'end_lng' } })
  assert.deepEqual(definition.Ziel, {
    type: 'geo',
    from: { lat: 'Ziel_Breitengrad', lon: 'Ziel_Längengrad' },
  })
  const examples = fields.find(({ name }) => name === 'end')?.examples
  assert.match(examples?.[0] ?? '', /^\d+\.0907,-\d+\.25$/)
  const date = fields.find(({ name }) => name === 'start')?.fits.find(({ type }) => type === 'date')
  assert.deepEqual(date, { type: 'date', plain: 0, fitting: 40, formats: ['dd.MM.yyyy'] })
})

test('nested names are titles; facets with words are searched by a field of their own', async () => {
  const countries = Array.from({ length: 40 }, (_, index) => ({
    tld: `.${String.fromCharCode(97 + (index % 26))}${index}`,
    name: { official: `Kingdom of Place ${index}`, common: `Place ${index}` },
    code: `C${index}`,
    region: ['Africa', 'Europe', 'Asia'][index % 3],
    translations: Object.fromEntries(Array.from({ length: 30 }, (_, code) => [`l${code}`, { common: 'x' }])),
    loc: { type: 'Point', coordinates: [index, 5] },
    latlng: [5, index],
    capital: { location: { latitude: 5, longitude: index } },
  }))
  const proposal = await proposeFor(JSON.stringify(countries), 'json')
  const { fields = {} } = proposedCollection(proposal)
  assert.deepEqual(fields['name.common'], { type: 'text', weight: titleWeight, suggest: true })
  assert.deepEqual(fields['region-text'], { type: 'text', source: 'region' })
  assert.deepEqual(fields.region, { type: 'keyword' })
  assert.deepEqual(fields.loc, { type: 'geo' })
  assert.deepEqual(fields.latlng, { type: 'geo', pairs: 'lat-lon' })
  assert.equal(fields.translations, undefined)
  assert.deepEqual(fields.location, {
    type: 'geo',
    from: { lat: 'capital.location.latitude', lon: 'capital.location.longitude' },
  })
})

test('a text with several values is a list that people choose from, in tables and in JSON, and says so in the file', async () => {
  const labels = ['gift;new', 'new;sale', 'sale', 'gift']
  const products = Array.from({ length: 40 }, (_, index) => ({
    sku: `SKU-${1000 + index}`,
    name: `Chair number ${index} of oak`,
    labels: labels[index % 4] ?? '',
    maker: ['Smith, John', 'Doe, Jane', 'Brown, Mary'][index % 3] ?? '',
    photos: `https://img.example/${index}a; https://img.example/${index}b`,
    foto: `https://picsum.photos/id/${index}/300`,
  }))
  for (const proposal of [await proposeFor(toCsv(products)), await proposeFor(toLines(products), 'ndjson')]) {
    const byName = Object.fromEntries(proposal.fields.map(field => [field.name, field]))
    const { labels, maker, photos, foto } = byName
    assert.deepEqual(
      [labels?.type, labels?.facet, labels?.search, labels?.listSeparator, labels?.distinct],
      ['keyword', true, true, ';', 3],
    )
    assert.deepEqual([maker?.listSeparator, maker?.listSeparators], [undefined, [',']])
    // Pictures are shown. A field makes two of them.
    assert.deepEqual(
      [photos?.use, photos?.type, photos?.search, photos?.facet],
      [true, 'keyword', false, false],
    )
    assert.deepEqual([foto?.use, foto?.listSeparator], [false, undefined])
    assert.deepEqual(proposedCollection(proposal).fields?.labels, { type: 'keyword', listSeparator: ';' })
    const text = writeProposal('shop', proposal, 'products.csv')
    assert.match(text, /labels: \{ type: keyword, listSeparator: ; \} # .*several values, separated by ;/)
    assert.ok(!('errors' in readWorkspaceFile(text)))
  }
})

test('a title that differs from the name is that of the collection too', async () => {
  const proposal = await proposeFor(toCsv(books))
  assert.equal(proposedCollection(proposal).title, undefined)
  assert.equal(proposedCollection({ ...proposal, title: 'My books (final)' }).title, 'My books (final)')
})

test('short names in objects are searched, and addresses of pictures are not', async () => {
  const orders = Array.from({ length: 30 }, (_, index) => ({
    id: `O-${index}`,
    customer: { name: ['Ada', 'Bob', 'Cé'][index % 3] },
    image: `https://images.example/${index}`,
    scan: `https://files.example/${index}.png?w=80`,
  }))
  const proposal = await proposeFor(toLines(orders), 'ndjson')
  assert.deepEqual(chosen(proposal, 'search'), ['customer.name'])
  assert.deepEqual(
    proposal.fields.filter(({ use }) => !use).map(({ name }) => name),
    ['image', 'scan'],
  )
})

test('a file of one species is still searched by its name', async () => {
  const rows = Array.from({ length: 50 }, (_, index) => ({
    key: `${index}`,
    species: 'Bufo bufo',
    count: `${index}`,
  }))
  const { apis } = addProposal({ workspace: 'w' }, await proposeFor(toCsv(rows)))
  assert.ok(Object.values(apis?.['my-books']?.endpoints ?? {}).some(({ kind }) => kind === 'match'))
})

test('a search page has few endpoints, whatever the number of columns', async () => {
  const rows = Array.from({ length: 100 }, (_, index) => ({
    id: index,
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_, column) => [`kind${column}`, `Value ${index % (3 + column)}`]),
    ),
    ...Object.fromEntries(Array.from({ length: 20 }, (_, column) => [`size${column}`, index * 1.5 + column])),
  }))
  const { endpoints = {} } = proposedApi(await proposeFor(toLines(rows), 'ndjson'))
  const count = (kind: string) => Object.values(endpoints).filter(endpoint => endpoint.kind === kind).length
  assert.deepEqual([count('facet'), count('range')], [8, 3])
  assert.ok(Object.keys(endpoints).length <= 20)
  assert.ok(Object.values(endpoints).every(({ title }) => title !== undefined))
})

test('a file without documents, or in another form, says so', async () => {
  const refusals: [text: string, format: SampleFormat, message: RegExp][] = [
    ['', 'csv', /no documents/],
    ['id,title\n', 'csv', /no documents/],
    ['<a/>', 'json', /not a JSON array/],
    ['not json\n', 'ndjson', /line 1/],
  ]
  for (const [text, format, message] of refusals)
    assert.match(String(await readSample(Buffer.from(text), format, false)), message)
})

test('whatever the documents are, the proposal is a workspace file that the reader accepts', async () => {
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant('2024-01-31'),
    fc.array(fc.string(), { maxLength: 3 }),
  )
  const attributes = fc.dictionary(fc.string({ minLength: 1, maxLength: 30 }), value, { maxKeys: 8 })
  await fc.assert(
    fc.asyncProperty(fc.array(attributes, { minLength: 1, maxLength: 10 }), async generated => {
      const lines = generated.map(
        (document, index) => `${JSON.stringify({ ...document, id: `d${index}` })}\n`,
      )
      const proposal = await proposeFor(lines.join(''), 'ndjson')
      const read = readWorkspaceFile(writeProposal('books', proposal, 'books.ndjson'))
      assert.deepEqual('errors' in read ? read.errors : [], [])
      assert.ok(!('errors' in read))
      const { collections, apis } = addProposal({ workspace: 'books' }, proposal)
      assert.deepEqual({ ...read.file.collections }, { ...collections })
      assert.deepEqual({ ...read.file.apis }, { ...apis })
    }),
    { numRuns: 200, examples: [[[JSON.parse('{ "__proto__": "2024-01-31" }')]]] },
  )
})

test('one number that says how popular things are breaks ties of the searches', async () => {
  const rows = Array.from({ length: 50 }, (_, index) => ({
    id: `c${index}`,
    name: `Town ${index}`,
    elevation: String(index * 3),
    population: String(index * 1000),
    votes: String(index),
  }))
  const proposal = await proposeFor(toCsv(rows))
  assert.deepEqual(chosen(proposal, 'breaksTies'), ['population'])
  const { endpoints = {} } = proposedApi(proposal)
  assert.deepEqual(endpoints['boost-population'], {
    kind: 'boost',
    collection: 'my-books',
    field: 'population',
    by: 'log',
    title: 'Population breaks ties',
  })
  for (const name of ['search', 'suggest']) {
    const endpoint = endpoints[name]
    assert.deepEqual(endpoint?.kind === 'match' && endpoint.boosts, ['boost-population'])
  }
  const text = writeProposal('towns', proposal, 'towns.csv')
  readWorkspaceFile(text)
  assert.equal(text.split('boosts: [ boost-population ]').length, 3, text)
  const below = rows.map(row => ({ ...row, population: `-${row.population}`, votes: `-${row.votes}` }))
  assert.deepEqual(chosen(await proposeFor(toCsv(below)), 'breaksTies'), [])
})

test('a person may choose what breaks ties: more than a search takes, or a date', async () => {
  const proposal = await proposeFor(csv())
  const dated = proposal.fields.map(field => ({ ...field, breaksTies: field.name === 'published' }))
  const { endpoints = {} } = proposedApi({ ...proposal, fields: dated })
  const boost = endpoints['boost-published']
  assert.ok(boost?.kind === 'boost' && boost.halfLife !== undefined)
  const [pages] = proposal.fields.filter(({ name }) => name === 'pages')
  assert.ok(pages)
  const copies = Array.from({ length: 12 }, (_, index) => ({ ...pages, name: `n${index}`, breaksTies: true }))
  readWorkspaceFile(
    writeProposal('books', { ...proposal, fields: [...proposal.fields, ...copies] }, 'books.csv'),
  )
})

test('an id that is a name is the title; codes and addresses are not', async () => {
  const breeds = ['Abyssinian', 'Aegean', 'Balinese', 'Bengal', 'Birman'].map(breed => ({
    breed,
    origin: `From the ${breed} hills`,
    image: `https://images.example/${breed}.jpg`,
  }))
  const breedProposal = await proposeFor(toLines(breeds), 'ndjson')
  assert.deepEqual([breedProposal.id, weights(breedProposal)], [{ field: 'breed' }, { breed: titleWeight }])
  const { fields = {} } = proposedCollection(breedProposal)
  assert.deepEqual(
    Object.entries(fields).flatMap(([name, field]) => ('suggest' in field && field.suggest ? [name] : [])),
    ['breed', 'origin'],
  )
  const keyProposal = await proposeFor(
    JSON.stringify(Object.fromEntries(breeds.map(({ breed, origin }) => [`${breed}-cat`, { origin }]))),
    'json',
  )
  assert.deepEqual([keyProposal.id, weights(keyProposal)], [{ field: 'key' }, { key: titleWeight }])
})

test('titles are texts that most documents have: no codes, no tags, no lists if there is a text', async () => {
  const documents = ['Apple', 'Brown bear', 'Cherry', 'Red deer', 'Elk'].map((label, index) => ({
    symbol: String.fromCodePoint(0x1f400 + index),
    hexcode: `1F4${index}A`,
    'my book_tags': `tag ${index}, other`,
    ...(index === 0 ? { title: 'Only one' } : {}),
    annotation: label,
    drawing: `<svg viewBox="0 0 ${index} 9"></svg>`,
  }))
  const proposal = await proposeFor(toLines(documents), 'ndjson')
  assert.deepEqual(weights(proposal), { annotation: titleWeight })
  assert.equal(proposal.fields.find(({ name }) => name === 'drawing')?.use, false)
})

test('digits in texts of JSON are numbers by the name of a measure, otherwise codes', async () => {
  const documents = [812, 8_405_837, 77].map((number, index) => ({
    name: `City ${index}`,
    population: String(number),
    line: String(number),
  }))
  const { population, line } = readTypes(await proposeFor(toLines(documents), 'ndjson'))
  assert.deepEqual([population, line], ['number', 'text'])
})

test('an id is checked against the whole file', async () => {
  const rows = (numbers: readonly number[]) => numbers.map(number => ({ code: number, name: `n${number}` }))
  const proposal = await proposeFor(toLines(rows([1, 2, 3])), 'ndjson')
  const check = async (numbers: readonly number[], more: object[] = []) => {
    const documents = async function* () {
      yield [...rows(numbers), ...more] as Record<string, unknown>[]
    }
    const { id, idFields, equalDocuments } = await checkId(proposal, documents())
    return [id, idFields, equalDocuments]
  }
  assert.deepEqual(await check([1, 2, 3, 4]), [{ field: 'code' }, ['code', 'name'], 0])
  assert.deepEqual(await check([1, 2], [{ code: 2, name: 'n3' }]), [{ field: 'name' }, ['name'], 0])
  assert.deepEqual(await check([1, 2], [{ other: 2 }]), [{ generate: 'hash' }, [], 0])
  assert.deepEqual(await check([1, 2, 2]), [{ generate: 'row' }, [], 1])
})

test('an id that a few documents lack or repeat is offered, not taken, and says why', async () => {
  const events = (ids: readonly unknown[]) =>
    ids.map((id, index) => ({ id, title: `Market ${index % 9}`, visitors: index * 7919 }))
  const ids = Array.from({ length: 59 }, (_, index) => index + 1)
  const repeated = { documents: 59, repeated: 1, missing: 0, examples: ['5'] }
  const missing = { documents: 59, repeated: 0, missing: 1, examples: [] }
  for (const [values, fault, remark] of [
    [ids.with(12, 5), repeated, '1 of 59 documents repeats the id of an earlier one, such as "5"'],
    [ids.with(12, Number.NaN), missing, '1 of 59 documents lacks id, and an import rejects it'],
  ] as const) {
    const documents = events(values)
    for (const [format, text] of [
      ['ndjson', toLines(documents)],
      ['csv', toCsv(documents.map(({ id, title }) => ({ id: String(id || ''), title })))],
    ] as const) {
      const proposal = await proposeFor(text, format)
      assert.deepEqual(
        [proposal.id, proposal.nearIds],
        [{ generate: 'hash' }, [{ field: 'id', ...fault }]],
        format,
      )
      assert.ok(
        writeProposal('fair', proposal, 'events.json').includes(`not taken as id: id, because ${remark}`),
        remark,
      )
    }
  }
  const lateProposal = await proposeFor(toLines(events(ids.map(id => id % 50))), 'ndjson')
  assert.deepEqual([lateProposal.id, lateProposal.nearIds], [{ generate: 'hash' }, []])
})

test('an id that repeats only later in the file is not taken, and counted in the whole file', async () => {
  const rows = (ids: readonly number[]) => ids.map(id => ({ id, kind: 'x' }))
  const ids = Array.from({ length: 100 }, (_, index) => index)
  const proposal = await proposeFor(toLines(rows(ids.slice(0, 20))), 'ndjson')
  const documents = async function* () {
    yield rows(ids.with(90, 7))
  }
  const { id, idFields, nearIds } = await checkId(proposal, documents())
  const fault = { field: 'id', documents: 100, repeated: 1, missing: 0, examples: ['7'] }
  assert.deepEqual([id, idFields, nearIds], [{ generate: 'row' }, [], [fault]])
})

test('symbols of two letters tell no language, and NA in JSON is no value', async () => {
  const symbols = ['La', 'Ce', 'Al', 'Am', 'Os', 'Es', 'Cu', 'Se', 'In', 'As', 'Pe', 'Ai', 'Fi', 'Nu']
  const elements = symbols.map((symbol, index) => ({
    symbol,
    name: `Element${index}ium`,
    density: index % 5 === 0 ? 'NA' : index % 5 === 1 ? '' : index + 0.5,
  }))
  const proposal = await proposeFor(JSON.stringify(elements), 'json')
  assert.deepEqual([proposal.language, readTypes(proposal).density], ['general', 'number'])
})

test('the title of an issue in Jira is its summary, not its key', async () => {
  const issues = Array.from({ length: 40 }, (_, index) => ({
    key: `SUP-${100 + index}`,
    fields: {
      summary: `Login fails on tablet ${index}`,
      status: { name: index % 2 ? 'Open' : 'Done' },
      created: '2026-05-10T01:30:00.000+0200',
    },
  }))
  const proposal = await proposeFor(toLines(issues), 'ndjson')
  assert.deepEqual(weights(proposal), { 'fields.summary': titleWeight })
})

test('a number of the owner is a better id than a trade number of the package', async () => {
  const readId = async (...names: string[]) => {
    const rows = Array.from({ length: 30 }, (_, index) =>
      names
        .map(name => (/ean|gtin/i.test(name) ? 6_836_882_244_880 + index * 31 : `0030-${index}/A`))
        .join(';'),
    )
    const sample = await readSample(Buffer.from(`${names.join(';')}\n${rows.join('\n')}\n`), 'csv', false)
    return typeof sample === 'string' ? assert.fail(sample) : propose('parts', sample).id
  }
  assert.deepEqual(await readId('Artikel-Nr.', 'EAN'), { field: 'Artikel-Nr.' })
  assert.deepEqual(await readId('GTIN', 'SKU'), { field: 'SKU' })
  assert.deepEqual(await readId('EAN', 'Farbe'), { field: 'EAN' })
})
