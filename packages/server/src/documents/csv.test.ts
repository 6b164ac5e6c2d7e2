import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Collection } from '@querent/contract/workspace-file'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { readCsv } from './csv.ts'

const collection: Collection = {
  fields: {
    title: { type: 'text' },
    genre: { type: 'keyword' },
    pages: { type: 'number' },
    inPrint: { type: 'boolean' },
    published: { type: 'date' },
    place: { type: 'geo' },
    extra: { type: 'object' },
  },
}
const read = async (chunks: readonly Uint8Array[], target = collection) => {
  const results: { number: number; document?: unknown; fault?: string; breaksOff?: true }[] = []
  const source = async function* () {
    yield* chunks
  }
  for await (const lines of readCsv(source(), target))
    for (const { number, text: _, document, ...fault } of lines)
      results.push(fault.fault === undefined ? { number, document } : { number, ...fault })
  return results
}
const readText = (text: string, target?: Collection) => read([Buffer.from(text)], target)
const cut = (bytes: Uint8Array, places: readonly number[]) => {
  const ends = [...places.map(place => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

test('a cell becomes a value of the type that its column is declared to have', async () => {
  const [one] = await readText(
    'id,title,genre,pages,inPrint,published,place,extra,colour\n' +
      '7,"He said ""no"", twice",a|b, 12.50 ,TRUE,2024-01-31,"52.37, 4.89","{""deep"":[1]}",12\n',
  )
  assert.deepEqual(one, {
    number: 2,
    document: {
      id: '7',
      title: 'He said "no", twice',
      genre: ['a', 'b'],
      pages: 12.5,
      inPrint: true,
      published: '2024-01-31',
      place: { lat: 52.37, lon: 4.89 },
      extra: { deep: [1] },
      colour: '12',
    },
  })
})

test('a cell is a list by the separator of its field, in texts too', async () => {
  const [one, next] = await readText(
    'id,label,tags,size,day,title\n1,gift; new,"red, blue",36;37.5,2024-01-31;2024-02-01,a;b\n2,a|b;c,green,38,,\n',
    {
      fields: {
        label: { type: 'keyword', listSeparator: ';' },
        tags: { type: 'text', listSeparator: ',' },
        size: { type: 'number', listSeparator: ';' },
        day: { type: 'date', listSeparator: ';' },
        title: { type: 'text' },
      },
    },
  )
  assert.deepEqual(one?.document, {
    id: '1',
    label: ['gift', 'new'],
    tags: ['red', 'blue'],
    size: [36, 37.5],
    day: ['2024-01-31', '2024-02-01'],
    title: 'a;b',
  })
  assert.deepEqual(next?.document, { id: '2', label: ['a', 'b;c'], tags: 'green', size: 38 })
})

test('several values stand in columns of the same name, or as a JSON list; an empty cell is no value', async () => {
  const lines = await readText(
    'id,genre,title,genre,genre,pages\n1,a,[sic],,b,"[1, 2]"\n2,,,,,\n3,,,"[""c"",""d""]",,12\n4,[1],,,,\n',
  )
  assert.deepEqual(
    lines.map(({ document }) => document),
    [
      { id: '1', genre: ['a', 'b'], title: '[sic]', pages: [1, 2] },
      { id: '2' },
      { id: '3', genre: ['c', 'd'], pages: 12 },
      { id: '4', genre: ['[1]'] },
    ],
  )
})

test('a value that does not fit its type stays as it is written, for the check of the document', async () => {
  const [one] = await readText('id,pages,inPrint,place,extra\n1,many,yes,here,{half\n')
  assert.deepEqual(one?.document, { id: '1', pages: 'many', inPrint: 'yes', place: 'here', extra: '{half' })
})

test('a cell has several values between |, in every declared field but text', async () => {
  const several: Collection = { fields: { ...collection.fields, shape: { type: 'vector', dimensions: 2 } } }
  const [one, two] = await readText(
    'id,title,genre,pages,inPrint,published,place,extra,shape,colour\n' +
      '1|2,a|b,a|b c,1| 2,true|FALSE,2024-01-31|2024-02-01,"52.37,4.89|-33,18",{"a":1}|{"b":2},"[1,2]",x|y\n' +
      '2,|,a|,1|many,,,,"[{""a"":""x|y""}]",,\n',
    several,
  )
  assert.deepEqual(one?.document, {
    id: '1|2',
    title: 'a|b',
    genre: ['a', 'b c'],
    pages: [1, 2],
    inPrint: [true, false],
    published: ['2024-01-31', '2024-02-01'],
    place: [
      { lat: 52.37, lon: 4.89 },
      { lat: -33, lon: 18 },
    ],
    extra: [{ a: 1 }, { b: 2 }],
    shape: [1, 2],
    colour: 'x|y',
  })
  assert.deepEqual(two?.document, {
    id: '2',
    title: '|',
    genre: 'a',
    pages: [1, 'many'],
    extra: [{ a: 'x|y' }],
  })
})

test('the delimiter is that of the header line, or the one that is given', async () => {
  const expected = [{ number: 2, document: { id: '1', title: 'a;b,c\td', pages: 7 } }]
  for (const delimiter of [',', ';', '\t'] as const) {
    const bytes = Buffer.from(
      ['id,title,pages', '1,"a;b,c\td",7']
        .map(line => line.replaceAll(/"[^"]*"|,/g, match => (match === ',' ? delimiter : match)))
        .join('\r\n'),
    )
    for (const places of [[], [...bytes.keys()]]) assert.deepEqual(await read(cut(bytes, places)), expected)
  }
  const documents = async (text: string) => (await readText(text)).map(({ document }) => document)
  assert.deepEqual(await documents('id;"a,b,c,d"\n1;x\n'), [{ id: '1', 'a,b,c,d': 'x' }])
  assert.deepEqual(await documents('\ufeff\n\n"id";x\n1;2\n'), [{ id: '1', x: '2' }])
  assert.deepEqual(
    await documents('id\n1;2\n'),
    [{ id: '1' }].map(() => ({ id: '1;2' })),
  )
  const source = async function* () {
    yield Buffer.from('id;x,id\n1;2,3\n')
  }
  for await (const lines of readCsv(source(), collection, { delimiter: ',' }))
    for (const { document } of lines) assert.deepEqual(document, { 'id;x': '1;2', id: '3' })
})

test('an import of exported results ignores columns that are no attributes, and removes apostrophes before formulas', async () => {
  const header = 'rank,probability,id,class,attributes.rank,title,genre,highlights.title'
  const row = "1,0.5,https://a.example/1,Book,3,'=1+1,'-a|b,<mark>x</mark>"
  const [one] = await readText(`${header}\n${row}\n`)
  assert.deepEqual(one?.document, { id: 'https://a.example/1', rank: '3', title: '=1+1', genre: ['-a', 'b'] })
  const [exported] = await readText("id,rank,title\n1,3,'=1+1\n")
  assert.deepEqual(exported?.document, { id: '1', rank: '3', title: "'=1+1" }, 'no export')
  const coded: Collection = { id: { field: 'code' } }
  const [third] = await readText('rank,probability,id,class,title\n1,1,https://a.example/1,,x\n', coded)
  assert.deepEqual(third?.document, { code: 'https://a.example/1', title: 'x' })
  const ranked: Collection = { fields: { rank: { type: 'number' } } }
  const [rankedLine] = await readText('id,rank,probability,class\n1,2,3,4\n', ranked)
  assert.deepEqual(
    rankedLine?.document,
    { id: '1', rank: 2, probability: '3', class: '4' },
    'fields of its own',
  )
})

test('ids that are written otherwise are no numbers of one value, and no lists', async () => {
  const idsAs = async (type: 'number' | 'keyword', text: string) => {
    const lines = await readText(text, { fields: { id: { type } } })
    return lines.map(({ document }) => (document as { id: unknown }).id)
  }
  assert.deepEqual(await idsAs('number', 'id\n7\n007\n7.0\n 7\n-1.5\n12345678901234567890\n[7]\n'), [
    7,
    '007',
    '7.0',
    ' 7',
    -1.5,
    '12345678901234567890',
    '[7]',
  ])
  assert.deepEqual(await idsAs('keyword', 'id\n007\n"[""a""]"\n'), ['007', '["a"]'])
})

test('lines are those of the file: byte order mark, CRLF, quoted line ends, blank lines, short and long records', async () => {
  const text =
    '\ufeffid,title\r\n1,"a\r\nb\nc"\r\n\r\n2,x\r\n3\r\n4,5" pipe\r\n5,a,b\r\n\n6,"multi\r\nline"\n7,last'
  const expected = [
    { number: 2, document: { id: '1', title: 'a\r\nb\nc' } },
    { number: 6, document: { id: '2', title: 'x' } },
    { number: 7, document: { id: '3' } },
    { number: 8, document: { id: '4', title: '5" pipe' } },
    { number: 9, fault: 'found 3 values; the header line has 2 columns' },
    { number: 11, document: { id: '6', title: 'multi\r\nline' } },
    { number: 13, document: { id: '7', title: 'last' } },
  ]
  const bytes = Buffer.from(text)
  for (const places of [[], [1], [2, 20, 30, 31, 32], [bytes.indexOf('\r') + 1], [...bytes.keys()]])
    assert.deepEqual(await read(cut(bytes, places)), expected, String(places))
})

test('documents are the same wherever the stream is cut, and as another program wrote them', () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', '"', ',', '\n', '\r\n', 'é', '😀', ' ', ';'),
    minLength: 1,
    maxLength: 8,
  })
  return fc.assert(
    fc.asyncProperty(
      fc.array(cell, { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(500), { maxLength: 10 }),
      async (titles, places) => {
        const rows = titles.map((title, index) => [`n${index}`, title])
        const bytes = Buffer.from(
          stringify([['id', 'title'], ...rows], { record_delimiter: '\r\n', quoted_match: /[\r\n]/ }),
        )
        const lines = await read(cut(bytes, places))
        let line = 2
        const expected = rows.map(([id, title]) => {
          const number = line
          line += (title ?? '').split('\n').length
          return { number, document: { id, title } }
        })
        assert.deepEqual(lines, expected)
      },
    ),
  )
})

test('a header line without the id, or of another kind of file is told', async () => {
  for (const [text, number, fault] of [
    ['title\nx\n', 1, /^the header line has no column "id", which holds the id$/],
    ['id/title;x\n1|x\n', 1, /no column "id"/],
  ] as const) {
    const lines = await readText(text)
    assert.equal(lines.length, 1)
    assert.equal(lines[0]?.number, number)
    assert.match(lines[0]?.fault ?? '', fault)
  }
  assert.deepEqual(await readText(''), [])
  assert.deepEqual(await readText('id,title\n'), [])
})

test('the error of an unclosed quote or an endless record names where it begins, and the records before it are read', async () => {
  const open = await readText('id,title\n1,x\n2,"half\n3,y\n')
  assert.deepEqual(open[0], { number: 2, document: { id: '1', title: 'x' } })
  assert.deepEqual([open.length, open[1]?.number, open[1]?.breaksOff], [2, 3, true])
  assert.match(open[1]?.fault ?? '', /never closed/)
  const long = await readText(`id,title\n1,x\n2,"${'y\n'.repeat(1024 * 1024)}`)
  assert.deepEqual([long.length, long.at(-1)?.number, long.at(-1)?.breaksOff], [2, 3, true])
  assert.match(long.at(-1)?.fault ?? '', /longer than 1048576 characters/)
})

test('a record that is not UTF-8 is refused, and the others are read', async () => {
  const bytes = Buffer.concat([
    Buffer.from('id,title\n1,é😀\n2,caf'),
    Buffer.from([0xe9]),
    Buffer.from('\n3,z\ufffd\n'),
  ])
  for (const places of [[], [...bytes.keys()]]) {
    const lines = await read(cut(bytes, places))
    assert.deepEqual(lines, [
      { number: 2, document: { id: '1', title: 'é😀' } },
      { number: 3, fault: lines[1]?.fault },
      { number: 4, document: { id: '3', title: 'z\ufffd' } },
    ])
    assert.match(lines[1]?.fault ?? '', /^the record is not UTF-8/)
  }
})

const everyCut = (bytes: Uint8Array) => [[], [...bytes.keys()]]

test('UTF-16 with a byte order mark and Windows-1252 are read, and their lines counted', async () => {
  const text = 'id,tïtle\r\n1,"caf\u00e9 \u201ca\u201d\r\n\u20ac"\r\n2,many'
  const expected = [
    { number: 2, document: { id: '1', tïtle: 'café “a”\r\n€' } },
    { number: 4, document: { id: '2', tïtle: 'many' } },
  ]
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le')
  const codes: Record<string, number> = { '“': 0x93, '”': 0x94, '€': 0x80 }
  const windows1252 = Buffer.from([...text].map(character => codes[character] ?? character.charCodeAt(0)))
  for (const bytes of [utf16, Buffer.from(utf16).swap16(), windows1252])
    for (const places of everyCut(bytes)) assert.deepEqual(await read(cut(bytes, places)), expected)
  for (const [bytes, encoding] of [
    [utf16.subarray(2), 'utf-16le'],
    [Buffer.from(text), 'utf-8'],
  ] as const) {
    const source = async function* () {
      yield bytes
    }
    const documents: unknown[] = []
    for await (const lines of readCsv(source(), collection, { encoding }))
      for (const { document } of lines) documents.push(document)
    assert.deepEqual(
      documents,
      expected.map(({ document }) => document),
    )
  }
  const short = Buffer.from('id\ncaf\xe9', 'latin1')
  for (const places of everyCut(short))
    assert.deepEqual(await read(cut(short, places)), [{ number: 2, document: { id: 'café' } }])
})

test('header cells are trimmed and may contain line breaks; blanks after delimiters are no part of values', async () => {
  const documents = async (text: string) => (await readText(text)).map(({ document }) => document)
  assert.deepEqual(await documents('id, title ,"in\r\nstock"\n1, Lamp, "5, or 6"\n'), [
    { id: '1', title: 'Lamp', 'in\r\nstock': '5, or 6' },
  ])
  assert.deepEqual(await documents(' id ;title\n1; Lamp\n'), [{ id: '1', title: ' Lamp' }])
})

test('a column without a name is named by its position, if it has values; rows may end early or with delimiters', async () => {
  const text = ';id;;title;;\n0;1;x;Lamp;;\n1;2\n;;;;;\n2;3;;Shade;;;;\n3;4;;;;;more\n'
  assert.deepEqual(await readText(text), [
    { number: 2, document: { 'column-1': '0', id: '1', 'column-3': 'x', title: 'Lamp' } },
    { number: 3, document: { 'column-1': '1', id: '2' } },
    { number: 5, document: { 'column-1': '2', id: '3', title: 'Shade' } },
    { number: 6, fault: 'found 7 values; the header line has 6 columns' },
  ])
})

test('in a number, date, boolean or geo field, cells such as NA are no value', async () => {
  for (const cell of ['', ' ', 'NA', 'N/A', 'NaN', 'null', '-', ' na ']) {
    const [one] = await readText(
      `id,pages,inPrint,published,place,title,genre\n1,${Array(6).fill(cell).join(',')}\n`,
    )
    const words = cell === '' ? {} : { title: cell, genre: cell }
    assert.deepEqual(one?.document, { id: '1', ...words }, JSON.stringify(cell))
  }
})

test('the header line is the first one that the collection knows; a title or comments may come before it', async () => {
  const collection = { id: { field: 'id' }, fields: { title: { type: 'text' as const } } }
  const documents = async (text: string, of: Parameters<typeof readCsv>[1] = collection) => {
    const lines: { number: number; document?: unknown; fault?: string }[] = []
    const source = async function* () {
      yield Buffer.from(text)
    }
    for await (const part of readCsv(source(), of)) lines.push(...part)
    return lines.map(({ number, document, fault }) => [number, document ?? fault])
  }
  const expected = [
    [4, { id: '1', title: 'Lamp, red' }],
    [5, { id: '2', title: 'Desk' }],
  ]
  assert.deepEqual(await documents('Stock of May;\n;\nid;title\n1;Lamp, red\n2;Desk\n'), expected)
  assert.deepEqual(await documents('# exported, by "me"\n#\nid,title\n1,"Lamp, red"\n2,Desk\n'), expected)
  // Names by position mean that there is no header line.
  const positional = {
    id: { generate: 'hash' as const },
    fields: { 'column-1': { type: 'number' as const }, 'column-3': { type: 'text' as const } },
  }
  assert.deepEqual(await documents('5.1,,setosa\n4.9,3,virginica\n', positional), [
    [1, { 'column-1': 5.1, 'column-3': 'setosa' }],
    [2, { 'column-1': 4.9, 'column-2': '3', 'column-3': 'virginica' }],
  ])
  const comments = Array.from({ length: 40 }, (_, index) => `# comment ${index}, "quoted"\n`).join('')
  assert.deepEqual(await documents(`${comments}5.1,3,virginica\n`, positional), [
    [41, { 'column-1': 5.1, 'column-2': '3', 'column-3': 'virginica' }],
  ])
  const commented = { id: { generate: 'row' as const }, fields: { '#code': { type: 'text' as const } } }
  assert.deepEqual(await documents(`${comments}#code\tname\ta\nAD\tAndorra\n`, commented), [
    [42, { '#code': 'AD', name: 'Andorra' }],
  ])
  // A column without a name in a header line with names is no such file.
  const unnamed = { id: { field: 'column-1' }, fields: { title: { type: 'text' as const } } }
  assert.deepEqual(await documents(',title\n1,Lamp\n', unnamed), [[2, { 'column-1': '1', title: 'Lamp' }]])
  assert.deepEqual(await documents('id|title|size\n1|a, b|2;3\n'), [
    [2, { id: '1', title: 'a, b', size: '2;3' }],
  ])
})
