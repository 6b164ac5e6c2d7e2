import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Collection } from '@querent/contract/workspace-file'
import { guessColumns, readCsv } from './csv.ts'

/** Returns the documents of a file, imported into the collection that is proposed for it. */
const read = async (text: string): Promise<unknown[]> => {
  const bytes = Buffer.from(text)
  const { names, layout } = guessColumns(bytes)
  const fields = Object.fromEntries(names.map(name => [name, { type: 'text' } as const]))
  const collection: Collection = { id: { generate: 'hash' }, fields }
  const documents: unknown[] = []
  const source = async function* () {
    yield bytes
  }
  for await (const lines of readCsv(source(), collection))
    documents.push(...lines.map(line => line.document ?? line.fault))
  assert.ok(layout.skippedRecords >= 0)
  return documents
}

const people = [
  { id: '1', name: 'Anna', city: 'Oslo' },
  { id: '2', name: 'Bob', city: 'Rome' },
  { id: '3', name: 'Cem', city: 'New York' },
  { id: '4', name: 'Dora', city: 'Paris' },
]
const rows = (separator: string) => people.map(({ id, name, city }) => [id, name, city].join(separator))

test('a colon, a bar or CR alone separates what nothing else does', async () => {
  assert.deepEqual(await read(`id:name:city\n${rows(':').join('\n')}\n`), people)
  assert.deepEqual(await read(`id,name,city\r${rows(',').join('\r')}\r`), people)
  const times = ['at', '10:30:00', '10:31:00', '10:32:00', '10:33:00']
  assert.deepEqual(
    await read(times.join('\n')),
    times.slice(1).map(at => ({ at })),
  )
  const log = rows('|').map((row, index) => `${row}${index > 1 ? ', of course' : ''}`)
  assert.deepEqual((await read(`9|Eve|Bern, Lyss\n${log.join('\n')}`)).length, 5)
  const accounts = 'root:x:0:/root\nmail:x:8:/var/mail\nman:x:6:/var/man\nsync:x:4:/bin\nuucp:x:10:/var/uucp'
  assert.deepEqual((await read(accounts))[0], {
    'column-1': 'root',
    'column-2': 'x',
    'column-3': '0',
    'column-4': '/root',
  })
})

test('comments are no documents, above the table or in it', async () => {
  const [anna, bob, ...others] = rows('\t')
  const table = [anna, bob, '# the south', ...others].join('\n')
  const heads = ['# one\n\n# two\n#\n# three, of four\n#\n', '# one\n']
  for (const head of heads) assert.deepEqual(await read(`${head}id\tname\tcity\n${table}\n`), people)
  const countries = await read(
    '# a\n# b\n# c\n# d\n#code\tname, or country\nNL\tNiederlande\nAT\tAustria\nBE\tBelgium\n',
  )
  assert.deepEqual(countries[0], { '#code': 'NL', 'name, or country': 'Niederlande' })
  assert.equal((await read('tag,count\n#one,1\n#two,2\n#three,3\n')).length, 3)
})

test('sizes above a table, rules below names and the missing name of row names are understood', async () => {
  const data = '1.5,2,3,4,5,6,0\n2.5,3,4,5,6,7,1\n3.5,4,5,6,7,8,1\n4.5,5,6,7,8,9,0\n'
  assert.equal((await read(`4,6,first\n${data}`)).length, 4)
  const houses = await read(`4,6,,,,,\na,b,c,d,e,f,target\n${data}`)
  assert.deepEqual(houses[0], { a: '1.5', b: '2', c: '3', d: '4', e: '5', f: '6', target: '0' })
  const cells = rows(' | ').map(row => `| ${row} |`)
  const table = await read(`| id | name | city |\n|----|:----:|---:|\n${cells.join('\n')}\n`)
  assert.equal(table.length, 4)
  assert.equal((await read(` id | name | city\n----+------+------\n${rows('|').join('\n')}`)).length, 4)
  const fromR = await read(
    `${`"mpg" "cyl"\n`.replace(' ', ',')}"Mazda RX4",21,6\n"Datsun 710",22.8,4\n"Valiant",18.1,6\n`,
  )
  assert.deepEqual(fromR[0], { 'column-1': 'Mazda RX4', mpg: '21', cyl: '6' })
})

test('a list of words in any order has no name, unless the first one is a usual name', async () => {
  const words = Array.from({ length: 24 }, (_, index) => `${'zyxwvutsrqponmlkjihgfedc'[index]}word`)
  assert.equal((await read(words.join('\n'))).length, 24)
  for (const name of ['word', 'Fruit', 'fruit_name'])
    assert.equal((await read([name, ...words].join('\n'))).length, 24)
  const commits = Array.from({ length: 5 }, (_, index) => `${String(index).repeat(40)},Ann,fix part ${index}`)
  assert.equal((await read(commits.join('\n'))).length, 5)
})

test('two colons separate the cells of MovieLens, and times in a log separate nothing', async () => {
  const films = [
    '1::Toy Story (1995)::Animation|Comedy|Drama',
    '2::Heat, The (1995)::Action|Crime',
    '3::Sabrina::Romance',
    '4::Nixon::Drama',
  ]
  assert.deepEqual((await read(films.join('\n')))[1], {
    'column-1': '2',
    'column-2': 'Heat, The (1995)',
    'column-3': 'Action|Crime',
  })
  const log = [1, 2, 3, 4, 5].map(second => `10:00:0${second} started ${second}`)
  assert.equal(Object.keys((await read(log.join('\n')))[0] ?? {}).length, 1)
  const requests = [1, 2, 3, 4].map(
    number =>
      `::1 - - [10/Oct/2000:13:55:0${number} -0700] "GET /${number}" 200 - "-" "Mozilla (X11; KHTML, like)"`,
  )
  assert.deepEqual(
    await read(`${requests.join('\n')}\n`),
    requests.map(line => ({ 'column-1': line })),
  )
})

test('a cell with the null of databases is empty', async () => {
  const films = await read('id\ttitle\tend\ntt1\tCarmencita\t\\N\ntt2\t\\N\t1990\ntt3\tC:\\New\t1991\n')
  assert.deepEqual(films[0], { id: 'tt1', title: 'Carmencita' })
  assert.deepEqual(films[2], { id: 'tt3', title: 'C:\\New', end: '1991' })
})

test('codes like those below them are no header line', async () => {
  const blocks = [
    '0000..007F; Basic Latin',
    '0080..00FF; Latin-1',
    '0100..017F; Latin A',
    '0180..024F; Latin B',
  ]
  const comments = Array.from({ length: 6 }, (_, index) => `# ${index}\n`).join('')
  assert.deepEqual((await read(`${comments}\n${blocks.join('\n')}\n`))[0], {
    'column-1': '0000..007F',
    'column-2': 'Basic Latin',
  })
  const codes = Array.from(
    { length: 26 },
    (_, index) => `A${String.fromCharCode(65 + index)}\tMaker ${index}`,
  )
  assert.equal((await read(codes.join('\n'))).length, 26)
  assert.equal((await read(['ISO\tname', ...codes].join('\n'))).length, 26)
  const ports = ['ssh\t22/tcp\tx y', 'smtp\t25/tcp\tmail', 'tftp\t69/udp\tz', 'http\t80/tcp\twww']
  assert.equal((await read(ports.join('\n'))).length, 4)
  const chapters = Array.from({ length: 24 }, (_, index) => `Chapter ${index * 7 + 9}.  The rivers`)
  assert.equal((await read(chapters.join('\n'))).length, 24)
  assert.equal((await read(['Chapter', ...chapters].join('\n'))).length, 24)
  const logs = Array.from(
    { length: 24 },
    (_, index) => `2024-01-${11 + (index % 9)} 10:00 job ${'x '.repeat(index)}`,
  )
  assert.equal((await read(logs.join('\n'))).length, 24)
  const versions = ['apt,adduser,3.134', 'apt,aha,43-1', 'apt,bash,1:2', 'apt,cron,2.4']
  assert.equal((await read(versions.join('\n'))).length, 4)
  const sizes = ['V1,V2', 'a10,b20', 'a11,b21', 'a12,b22', 'a13,b23']
  assert.equal((await read(sizes.join('\n'))).length, 4)
})

test('slashes begin comments of a list of names, between them too', async () => {
  const hosts = Array.from({ length: 24 }, (_, index) => `host${index % 7}.example${index}.net`)
  const text = [...Array.from({ length: 6 }, () => '// about'), '', 'ac', '// more: of', ...hosts].join('\n')
  const documents = await read(text)
  assert.equal(documents.length, 25)
  assert.deepEqual(documents[0], { 'column-1': 'ac' })
})

test('names of groups above the names of the columns are no names of columns', async () => {
  const goods = ['Chair,oak,10.5,12', 'Table,pine,99,120', 'Lamp,steel,20,25', 'Bed,oak,200,240']
  const chair = { name: 'Chair', wood: 'oak', net: '10.5', gross: '12' }
  assert.deepEqual((await read(`Product,,Price,\nname,wood,net,gross\n${goods.join('\n')}\n`))[0], chair)
  // A first row with missing values is a row.
  assert.deepEqual((await read(`name,wood,net,gross\nStool,,3,\n${goods.join('\n')}\n`))[0], {
    name: 'Stool',
    net: '3',
  })
  const words = ['Chair,oak,a,b', 'Table,pine,c,d', 'Lamp,steel,e,f', 'Bed,oak,g,h']
  assert.equal((await read(`name,,x,\nStool,ash,y,z\n${words.join('\n')}\n`)).length, 5)
})
