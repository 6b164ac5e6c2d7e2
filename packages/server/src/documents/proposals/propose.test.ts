import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addProposal, type Proposal } from '@querent/contract/proposal'
import { writeProposal } from '@querent/contract/proposal-text'
import { readWorkspaceFile } from '@querent/contract/read-workspace-file'
import fc from 'fast-check'
import { propose } from './propose.ts'
import { readSample, type SampleFormat } from './read-sample.ts'

const proposeFor = async (text: string, format: SampleFormat = 'csv', isCut = false): Promise<Proposal> => {
  const sample = await readSample(Buffer.from(text), format, isCut)
  const proposal = typeof sample === 'string' ? sample : propose('my books', sample)
  return typeof proposal === 'string' ? assert.fail(proposal) : proposal
}

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
      title: 'text',
      author: 'text',
      genre: 'keyword',
      pages: 'number',
      published: 'date',
      available: 'boolean',
      where: 'keyword',
      shelf: 'keyword',
      about: 'text',
    })
    assert.deepEqual(
      [proposal.idField, proposal.collection, proposal.language],
      ['isbn', 'my-books', 'english'],
    )
    const chosen = (role: 'facet' | 'sort') =>
      proposal.fields.filter(field => field[role]).map(({ name }) => name)
    assert.deepEqual(chosen('facet'), ['genre', 'available'])
    assert.deepEqual(chosen('sort'), ['pages', 'published'])
    assert.deepEqual(
      proposal.fields.filter(({ weight }) => weight > 1).map(({ name }) => name),
      ['title'],
    )
  }
})

test('JSON has its own types, lists and places; nested objects are stored only', async () => {
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
    await proposeFor(`${lines}{"cut":`, 'ndjson', true),
  ]) {
    assert.equal(proposal.idField, '_id')
    const { title, tags, place, price, maker } = readTypes(proposal)
    assert.deepEqual(
      { title, tags, place, price, maker },
      { title: 'text', tags: 'keyword', place: 'geo', price: 'number', maker: 'object' },
    )
    const unused = proposal.fields.filter(({ use }) => !use).map(({ name }) => name)
    assert.deepEqual(unused, ['maker', 'nothing'])
  }
})

test('the language comes from the words, or from the script', async () => {
  const texts = {
    dutch: 'De rivier stroomt door het land en de mensen wonen aan het water',
    german: 'Der Fluss fließt durch das Land und die Menschen wohnen an dem Wasser',
    french: 'La rivière coule dans le pays et les gens habitent au bord de son eau',
    cjk: '川は国を流れ、人々は水のそばに住んでいる',
    general: 'แม่น้ำไหลผ่านประเทศ และผู้คนอาศัยอยู่ริมน้ำ',
    english: 'Kettle Teapot Stove Tent Lamp',
  }
  for (const [language, text] of Object.entries(texts)) {
    const lines = [1, 2, 3].map(id => `${JSON.stringify({ id, text: `${text} ${id}` })}\n`).join('')
    assert.equal((await proposeFor(lines, 'ndjson')).language, language)
  }
})

test('a file without an id, without documents, or in another form says so', async () => {
  const refusals: [text: string, format: SampleFormat, message: RegExp][] = [
    ['name,kind\na,x\na,x\n', 'csv', /no column has a different value in each document/],
    ['{"a":1}\n{"a":1}\n', 'ndjson', /no attribute has a different value/],
    ['', 'csv', /no documents/],
    ['id,title\n', 'csv', /no documents/],
    ['<a/>', 'json', /not a JSON array/],
    ['not json\n', 'ndjson', /line 1/],
    ['id,title\r1,3\r', 'csv', /end with CR alone/],
  ]
  for (const [text, format, message] of refusals) {
    const sample = await readSample(Buffer.from(text), format, false)
    const outcome = typeof sample === 'string' ? sample : propose('x', sample)
    assert.equal(typeof outcome, 'string', text)
    assert.match(String(outcome), message)
  }
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
