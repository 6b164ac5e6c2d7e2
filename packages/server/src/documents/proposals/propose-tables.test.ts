import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findNearType, type Proposal } from '@querent/contract/proposal'
import { writeProposal } from '@querent/contract/proposal-text'
import { propose } from './propose.ts'
import { readSample } from './read-sample.ts'

const proposeFor = async (text: string): Promise<Proposal> => {
  const sample = await readSample(Buffer.from(text), 'csv', false)
  return typeof sample === 'string' ? assert.fail(sample) : propose('shops', sample)
}
const readTypes = ({ fields }: Proposal) => Object.fromEntries(fields.map(({ name, type }) => [name, type]))

test('a file without a header line, and one with a title above it, become columns', async () => {
  const rows = Array.from(
    { length: 30 },
    (_, index) => `${5 + index / 10},${3 + index / 7},kind ${index % 3}`,
  )
  const headerless = await proposeFor(`${rows.join('\n')}\n`)
  assert.equal(headerless.documents, 30)
  assert.deepEqual(readTypes(headerless), {
    'column-1': 'number',
    'column-2': 'number',
    'column-3': 'keyword',
  })
  const titled = await proposeFor(`Kinds of May,,\n,,\nlength,width,kind\n${rows.join('\n')}\n`)
  assert.deepEqual(readTypes(titled), { length: 'number', width: 'number', kind: 'keyword' })
  // Years and numbers in order are names.
  const years = await proposeFor('country,1960,1961\na,1,2\nb,3,4\nc,5,6\nd,7,8\n')
  assert.equal(years.documents, 4)
  const words = Array.from({ length: 30 }, (_, index) => `word${String(index).padStart(2, '0')}`)
  assert.equal((await proposeFor(`${words.join('\n')}\n`)).documents, 30)
  assert.equal((await proposeFor(`words\n${words.join('\n')}\n`)).documents, 30)
})

test('many lines of comments come before a table; the last one may name the columns', async () => {
  const comments = Array.from({ length: 40 }, (_, index) => `# comment ${index}, "quoted"\n`).join('')
  const rows = ['AD\tEurope/Andorra\tsmall', 'AE\tAsia/Dubai', 'AF\tAsia/Kabul'].join('\n')
  const { fields, documents } = await proposeFor(`${comments}#codes\tTZ\tcomments\n${rows}\n`)
  assert.deepEqual([fields.map(({ name }) => name), documents], [['#codes', 'TZ', 'comments'], 3])
})

test('of columns that say the same, the one with words is a facet; contacts are none', async () => {
  const regions = ['North', 'South', 'East', 'West']
  const rows = Array.from({ length: 80 }, (_, index) => ({
    name: `Shop ${index} of the street`,
    'region.id': `r0${index % 4}`,
    'region.name': regions[index % 4] ?? '',
    phone: `0911/21910${index % 4}`,
    kind: index % 3 ? 'large' : 'small',
  }))
  const text = [Object.keys(rows[0] ?? {}), ...rows.map(row => Object.values(row))]
    .map(cells => cells.join(','))
    .join('\n')
  const { fields } = await proposeFor(`${text}\n`)
  const facets = fields.filter(({ facet }) => facet).map(({ name }) => name)
  assert.deepEqual(facets, ['region.name', 'kind'])
})

test('a column without a value is in the proposal, unused, and says how to search it', async () => {
  const rows = Array.from({ length: 30 }, (_, index) => `Shop ${index},,${index % 3},`)
  const proposal = await proposeFor(`name,fax,floor,\n${rows.join('\n')}\n`)
  assert.deepEqual(
    proposal.fields.map(({ name, type, use }) => [name, type, use]),
    [
      ['name', 'text', true],
      ['fax', 'text', false],
      ['floor', 'number', true],
    ],
  )
  assert.match(writeProposal('town', proposal, 'shops.csv'), /# without a value[^\n]*: fax\n/)
})

test('prose is no id, whatever the column is called, and names of things are', async () => {
  const rows = Array.from({ length: 30 }, (_, index) => [
    `A shop that sells the ${index} best things in all of the old town`,
    `Open on day ${index}.`,
    `Shop ${index}`,
  ])
  const text = (columns: readonly number[]) =>
    `${columns.map(column => `c${column}`).join()}\n${rows.map(row => columns.map(column => row[column]).join()).join('\n')}\n`
  assert.deepEqual((await proposeFor(text([0, 1]))).id, { generate: 'hash' })
  assert.deepEqual((await proposeFor(text([0, 2]))).id, { field: 'c2' })
})

test('each latitude has the longitude of its own pair, signed numbers with decimals too', async () => {
  const header = 'name,lat,latitude,longitude,lon,lat2,lon2,latFrom,lonFrom,phone'
  const rows = Array.from(
    { length: 30 },
    (_, index) => `Shop ${index},1.${index},2.5,3.${index},4.5,"+53,2194","-6,5",7.5,8.5,+31${index}`,
  )
  const { fields } = await proposeFor(`${header}\n${rows.join('\n')}\n`)
  const pairs = fields.flatMap(({ from }) => (from ? [[from.lat, from.lon]] : []))
  assert.deepEqual(pairs, [
    ['lat', 'lon'],
    ['latitude', 'longitude'],
    ['lat2', 'lon2'],
    ['latFrom', 'lonFrom'],
  ])
  assert.notEqual(fields.find(({ name }) => name === 'phone')?.type, 'number')
})

test('a table without a header line repeats cells of its first record, and a file with one column has no delimiter', async () => {
  const families = ['Cushitic', 'Abkhaz', 'Romance']
  const rows = Array.from(
    { length: 30 },
    (_, index) =>
      `c${index}\tLanguage ${index}\t${families[index % 3]}\t${index % 2 ? 'Latn' : 'Cyrl'}\t${index ? 'x' : ''}`,
  )
  const table = await proposeFor(`${rows.join('\n')}\n`)
  assert.deepEqual([table.documents, table.fields[0]?.name], [30, 'column-1'])
  const lines = Array.from(
    { length: 30 },
    (_, index) => `Say ${index}${index % 5 === 1 ? ', and; again' : ''}`,
  )
  for (const header of ['', 'line\n']) {
    const { documents, fields, sample } = await proposeFor(`${header}${lines.join('\n')}\n`)
    assert.equal(fields.length, 1)
    assert.equal(documents, 30)
    assert.ok(sample.some(document => Object.values(document).includes('Say 6, and; again')))
  }
})

test('countries are chosen from a list, and one abbreviation makes no language', async () => {
  const rows = Array.from(
    { length: 1000 },
    (_, index) => `SPARKASSE ${index} AG,${index % 300 < 240 ? `Land ${index % 240}` : 'Land 1'},DE${index}`,
  )
  const { fields, language } = await proposeFor(`Bank name,country,Bank code\n${rows.join('\n')}\n`)
  assert.equal(language, 'general')
  assert.deepEqual(
    fields.map(({ name, weight, facet }) => [name, weight, facet]),
    [
      ['Bank name', 3, false],
      ['country', 1, true],
      ['Bank code', 1, false],
    ],
  )
})

test('a sample of more documents than fit on the stack is read', async () => {
  const words = JSON.stringify(Array.from({ length: 200_000 }, (_, index) => index))
  const sample = await readSample(Buffer.from(words), 'json', false)
  assert.equal(typeof sample === 'string' ? sample : sample.documents.length, 2000)
})

test('dates whose times have no zone are said to be UTC', async () => {
  const describe = async (...starts: readonly string[]) => {
    const rows = starts.map((start, index) => `${index + 1},Show ${index},${start}`).join('\n')
    return writeProposal('w', await proposeFor(`id,show,start\n${rows}\n`), 'shows.csv')
  }
  assert.match(
    await describe('2026-07-30 22:30', '2026-07-31 06:30'),
    /start: .*; times without a zone are UTC/,
  )
  for (const starts of [
    ['2026-07-30T22:30:00+02:00', '2026-07-31T06:30:00Z'],
    ['30.07.2026', '31.07.2026'],
  ])
    assert.doesNotMatch(await describe(...starts), /zone/)
})

test('a few values that make years of JSON, some of them texts, no numbers are named', async () => {
  const year = (index: number) => (index % 3 ? 1880 + (index % 140) : String(1880 + (index % 140)))
  const rows = Array.from({ length: 300 }, (_, index) => ({ id: `f${index}`, vuosi: year(index) }))
  const proposeRows = async (documents: readonly object[]) => {
    const sample = await readSample(Buffer.from(JSON.stringify(documents)), 'json', false)
    return typeof sample === 'string' ? assert.fail(sample) : propose('kirjat', sample)
  }
  const [, years] = (await proposeRows([...rows, { id: 'c', vuosi: 'c1989' }])).fields
  assert.deepEqual(years && findNearType(years)?.rejected, ['c1989'])
  assert.equal(readTypes(await proposeRows(rows)).vuosi, 'number')
  // Texts of digits alone may be codes.
  const codes = rows.map(({ id, vuosi }) => ({ id, vuosi: String(vuosi) }))
  assert.notEqual(readTypes(await proposeRows(codes)).vuosi, 'number')
})

test('a few values that make a column of numbers or dates a text are named', async () => {
  const rows = Array.from(
    { length: 60 },
    (_, index) =>
      `${index + 1},Film ${index},${index === 40 ? 'call us' : index + 0.5},${index === 9 ? '31.02.2024 ?' : `2024-01-${10 + (index % 20)}`},${index === 7 ? 'x1' : `0${1000 + index}`}`,
  )
  const proposal = await proposeFor(`id,film,price,day,code\n${rows.join('\n')}\n`)
  const near = proposal.fields.map(field => [
    field.name,
    field.type,
    findNearType(field)?.type,
    findNearType(field)?.rejected,
  ])
  assert.deepEqual(near.slice(2), [
    ['price', 'text', 'number', ['call us']],
    ['day', 'text', 'date', ['31.02.2024 ?']],
    ['code', 'text', undefined, undefined],
  ])
  const text = writeProposal('shop', proposal, 'films.csv')
  assert.match(
    text,
    /price: .*; 59 of 60 are numbers, not "call us": correct these and use \{ type: number \}/,
  )
})

test('columns without names and points of Esri are places', async () => {
  const cities = [
    'Oslo,59.91,10.75',
    'Lima,-12.05,-77.04',
    'Tokyo,35.68,139.69',
    'Cairo,30.04,31.24',
    'Rome,41.89,12.51',
  ]
  const { fields } = await proposeFor(`${cities.join('\n')}\n`)
  assert.deepEqual(fields.find(({ type }) => type === 'geo')?.from, { lat: 'column-2', lon: 'column-3' })
  const features = cities.map(city => {
    const [name, y, x] = city.split(',')
    return { attributes: { name }, geometry: { x: Number(x), y: Number(y) } }
  })
  const sample = await readSample(Buffer.from(JSON.stringify({ features })), 'json', false)
  const esri = typeof sample === 'string' ? assert.fail(sample) : propose('cities', sample)
  assert.deepEqual(esri.fields.find(({ type }) => type === 'geo')?.from, {
    lat: 'geometry.y',
    lon: 'geometry.x',
  })
})

test('a name is no id beside a unique id inside an object', async () => {
  const people = Array.from({ length: 9 }, (_, index) => ({
    _id: { $oid: `a${index}` },
    name: `Person ${index}`,
  }))
  const sample = await readSample(Buffer.from(JSON.stringify(people)), 'json', false)
  assert.deepEqual(typeof sample === 'string' ? sample : propose('people', sample).id, { generate: 'hash' })
})

test('accounts, bank statements and exports of trackers have numbers and dates', async () => {
  const rows = Array.from({ length: 40 }, (_, index) => {
    const day = 10 + (index % 19)
    const month = 10 + (index % 3)
    const amount = index % 4 === 0 ? `"(1,0${day}.25)"` : `"1,0${day}.25"`
    const price = index % 4 === 0 ? `$(${day})` : `$${day}`
    return `Row ${index},${amount},${price},2021${month}${day},${day}/Mar/23 9:${day} AM,2021-${month},${month}/2021,(${index + 1})`
  })
  const header = 'name,balance,price,Datum,opened,month,period,note'
  const proposal = await proposeFor(`${[header, ...rows].join('\n')}\n`)
  const { name, note, ...types } = readTypes(proposal)
  assert.deepEqual(types, {
    balance: 'number',
    price: 'number',
    Datum: 'date',
    opened: 'date',
    month: 'date',
    period: 'date',
  })
  assert.notEqual(note, 'number')
  const seasons = Array.from(
    { length: 40 },
    (_, index) =>
      `Row ${index},20${String(index % 11).padStart(2, '0')}-${String((index % 11) + 1).padStart(2, '0')}`,
  )
  assert.equal(readTypes(await proposeFor(`name,season\n${seasons.join('\n')}\n`)).season, 'keyword')
})

test('each line of a chat or of a log is a text, and lists that are no JSON are texts', async () => {
  const count = (write: (index: number) => string) =>
    proposeFor(`${Array.from({ length: 30 }, (_, index) => write(10 + index)).join('\n')}\n`)
  const lines = await Promise.all([
    count(index => `[01/03/2023, 10:${index}:05] Anna: Did you see it, number ${index}?`),
    count(index => `01/03/2023, 10:${index} - Anna: Did you see it, number ${index}?`),
    count(index => `2023-03-01 10:${index}:00,123 INFO app: started, number ${index}`),
    count(index => `Mar  1 10:${index}:00 web-1 sshd[${index}]: accepted, number ${index}`),
  ])
  for (const proposal of lines) {
    assert.equal(proposal.documents, 30)
    assert.deepEqual(readTypes(proposal), { 'column-1': 'text' })
  }
  const films = await proposeFor(
    `film,genres\n${Array.from({ length: 30 }, (_, index) => `Film ${index},"['Drama', 'Comedy ${index}']"`).join('\n')}\n`,
  )
  assert.equal(readTypes(films).genres, 'text')
})

test('blanks on both sides of bars are no part of the values, and COPY ends with a line that is no row', async () => {
  const { sample } = await proposeFor('| Town | Price |\n|---|---:|\n| Oslo | 1.50 |\n| Rome | 2.50 |\n')
  assert.deepEqual(sample, [
    { Town: 'Oslo', Price: '1.50' },
    { Town: 'Rome', Price: '2.50' },
  ])
  const copied = await proposeFor('id\ttown\n1\tOslo\n2\tRome\n\\.\n')
  assert.equal(copied.documents, 2)
})

test('a balanced column is a facet beside another one, unless both divide the documents in the same way', async () => {
  const rows = Array.from(
    { length: 80 },
    (_, index) =>
      `Trial ${index},${['female', 'male'][index % 2]},${['placebo', 'drug'][index < 40 ? 0 : 1]},${['F', 'M'][index % 2]}`,
  )
  const { fields } = await proposeFor(`name,sex,arm,code\n${rows.join('\n')}\n`)
  assert.deepEqual(
    fields.filter(({ facet }) => facet).map(({ name }) => name),
    ['sex', 'arm'],
  )
})

test('a quote that is never closed is named with its line, before anything is created', async () => {
  const text = 'id,title\n1,Oslo\n2,"Rome\n3,Bern\n'
  const fault = await readSample(Buffer.from(text), 'csv', false)
  assert.match(String(fault), /^line 3: a quote that opens a value here .* never closed/)
  assert.equal(typeof (await readSample(Buffer.from(text), 'csv', true)), 'object')
})

test('percentages are numbers that the check of types takes as the import does', async () => {
  for (const shares of [
    ['19%', '7%'],
    ['5.5%', '5 %'],
    ['5,5 %', '19 %'],
  ]) {
    const rows = Array.from({ length: 30 }, (_, index) => `Lamp ${index};${shares[index % 2]}`)
    const { fields } = await proposeFor(`Name;Share\n${rows.join('\n')}\n`)
    const [, share] = fields
    const fit = share?.fits.find(({ type }) => type === 'number')
    assert.deepEqual([share?.type, fit?.fitting, fit?.decimal], ['number', 30, share?.decimal], shares.join())
  }
})

test('kinds and makers of products are facets, and texts for search engines and pictures are none', async () => {
  const kinds = ['Shirts', 'Trousers', 'Shoes', 'Hats']
  const makers = ['Acme', 'Nordic', 'Riva']
  const tags = ['summer, linen', 'winter, wool', 'sale', 'new, summer']
  const products = Array.from({ length: 40 }, (_, index) => [
    `shirt-${index},Linen shirt ${index},${makers[index % 3]},${kinds[Math.floor(index / 10)]},"${tags[index % 4]}",S,1,Shirt on a table,Buy shirts`,
    `shirt-${index},,,,,M,2,Shirt from behind,`,
    `shirt-${index},,,,,L,,,`,
  ]).flat()
  const header = 'Handle,Title,Vendor,Type,Tags,Size,Image Position,Image Alt Text,SEO Title'
  const { fields } = await proposeFor(`${header}\n${products.join('\n')}\n`)
  const facets = fields.filter(({ facet }) => facet).map(({ name }) => name)
  assert.deepEqual(facets, ['Vendor', 'Type', 'Tags', 'Size'])
})

test('a small export of Shopify has its title, and facets of vendor and type, though few rows have them', async () => {
  const header = 'Handle,Title,Vendor,Type,Tags,Option1 Name,Option1 Value,Variant SKU,Variant Price'
  const { fields } = await proposeFor(
    `${header}\nlinen-shirt,Linen Shirt,Acme,Shirts,summer,Size,S,linen-shirt-S,49.00\nlinen-shirt,,,,,,M,linen-shirt-M,49.00\nlinen-shirt,,,,,,L,linen-shirt-L,49.00\n`,
  )
  const facets = fields.filter(({ facet }) => facet).map(({ name }) => name)
  assert.deepEqual(facets.slice(0, 3), ['Vendor', 'Type', 'Tags'])
  const [title] = fields.toSorted((one, next) => next.weight - one.weight)
  assert.equal(title?.name, 'Title')
  assert.equal(fields.find(({ name }) => name === 'Handle')?.type, 'text')
  const option = fields.find(({ name }) => name === 'Option1 Name')
  assert.equal(option?.type === 'keyword' && option.search, false)
})
