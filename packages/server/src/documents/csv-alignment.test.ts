import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alignStream, alignText, findAlignment } from './csv-alignment.ts'

/** Returns the cells of each line; undefined if nothing is aligned. */
const split = (lines: readonly string[]): string[][] | undefined => {
  const text = `${lines.join('\n')}\n`
  const align = findAlignment(text)
  return align && lines.map(line => alignText(line, align).split('\t'))
}

test('columns of fixed width are found, with empty cells, blanks in cells and longer cells', () => {
  const cities = [
    'name            country      people',
    'Oslo            Norway       709037',
    'New York City   USA         8804190',
    'Atlantis                          0',
    'Rome            Italy       2755309',
    'Llanfairpwllgwyngyllgogerychwyrn   Wales  3107',
    ...Array.from(
      { length: 20 },
      (_, index) => `City ${String(index).padEnd(11)}Norway      ${1_000_000 + index}`,
    ),
  ]
  const [, oslo, york, atlantis, , llanfair] = split(cities) ?? []
  assert.deepEqual(oslo, ['Oslo', 'Norway', '709037'])
  assert.deepEqual(york, ['New York City', 'USA', '8804190'])
  assert.deepEqual(atlantis, ['Atlantis', '', '0'])
  assert.deepEqual(llanfair, ['Llanfairpwllgwyngyllgogerychwyrn', 'Wales', '3107'])
})

test('names above numbers have their columns', () => {
  const processes = Array.from(
    { length: 20 },
    (_, index) => `root  ${String(index * 500).padStart(6)}  0.${index % 9}  sh`,
  )
  assert.deepEqual(split(['USER  PID %CPU  COMMAND', ...processes])?.[0], ['USER', 'PID', '%CPU', 'COMMAND'])
})

test('several tabs are one delimiter where they only align', () => {
  const types = [
    '# types\tof files',
    'text/css\t\t\tcss',
    'text/csv\t\t\tcsv',
    'text/plain',
    'text/html\t\thtml htm',
  ]
  const rows = split([...types, 'application/vnd.ms-excel\txls', 'text/xml'])
  assert.deepEqual(rows?.slice(0, 5), [
    ['# types of files'],
    ['text/css', 'css'],
    ['text/csv', 'csv'],
    ['text/plain', ''],
    ['text/html', 'html htm'],
  ])
  const short = ['a\tb\tc\td', '1\t\t3\t4', '1\t2', '1\t\t\t4', '1', '1\t2\t3\t4', '2\t\t3']
  assert.equal(split(short), undefined)
})

test('one blank is a delimiter between numbers and codes only', () => {
  const iris = Array.from({ length: 6 }, (_, index) => `5.${index} 3.5 1.4 0.2 setosa`)
  assert.deepEqual(split(iris)?.[0], ['5.0', '3.5', '1.4', '0.2', 'setosa'])
  const fromR = Array.from({ length: 6 }, (_, index) => `"Mazda RX${index}" 21 6`)
  assert.deepEqual(split(['"mpg" "cyl"', ...fromR])?.[1], ['"Mazda RX0"', '21', '6'])
  for (const text of ['Apollo', 'New York', 'the quick brown fox'])
    assert.equal(split(Array.from({ length: 8 }, (_, index) => `${text} ${index}`)), undefined)
  assert.equal(split(Array.from({ length: 8 }, (_, index) => `10:00:0${index} started ${index}`)), undefined)
  assert.equal(split(Array.from({ length: 8 }, (_, index) => `${index},a  b,c`)), undefined)
})

test('a stream is aligned wherever its chunks end, and a line without an end fills no memory', async () => {
  const table = `name      port\n${Array.from({ length: 8 }, (_, index) => `é${index}        ${index}0\n`).join('')}`
  const align = findAlignment(table) ?? assert.fail('nothing is aligned')
  const readPieces = async (source: Iterable<Uint8Array>) => {
    const pieces: string[] = []
    const stream = async function* () {
      yield* source
    }
    for await (const piece of alignStream(stream(), align)) pieces.push(Buffer.from(piece).toString())
    return pieces
  }
  const bytes = [...Buffer.from(table)].map(byte => Buffer.of(byte))
  assert.equal((await readPieces(bytes)).join(''), alignText(table, align))
  const chunk = Buffer.alloc(512 * 1024, 'x')
  const pieces = await readPieces([Buffer.from(table), ...Array.from({ length: 20 }, () => chunk)])
  assert.equal(pieces.join(''), alignText(table, align) + chunk.toString().repeat(20))
  assert.ok(pieces.every(({ length }) => length <= 4 * chunk.length))
})
