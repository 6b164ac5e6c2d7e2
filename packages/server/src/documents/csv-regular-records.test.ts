import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readCsv } from './csv.ts'
import { createRegularReader } from './csv-regular-records.ts'
import type { Line } from './lines.ts'

async function* cut(bytes: Buffer, places: readonly number[]): AsyncGenerator<Buffer> {
  const ends = [...new Set(places.map(place => place % (bytes.length + 1)))].toSorted((a, b) => a - b)
  for (const [index, end] of [...ends, bytes.length].entries())
    yield bytes.subarray(ends[index - 1] ?? 0, end)
}

const read = async (source: AsyncIterable<Uint8Array>, readsAllByLibrary: boolean): Promise<Line[]> => {
  const lines: Line[] = []
  const collection = { fields: { title: { type: 'text' }, 'column-1': { type: 'text' } } } as const
  for await (const part of readCsv(source, collection, { readsAllByLibrary })) lines.push(...part)
  return lines
}

/** The library names a line before the one where the stream breaks off if blank lines stand between them. */
const leaveEndOut = ({ number, ...line }: Line) => (line.breaksOff ? line : { number, ...line })

test('random tables, regular or not, are the same documents as the library reads', () => {
  const piece = fc.constantFrom(
    'a',
    '"',
    '""',
    ',',
    '\n',
    '\r\n',
    '\r',
    'é',
    '😀',
    ' ',
    ';',
    '"a,b"',
    ',"x\n"',
    '\ufeff',
  )
  return fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 40 }),
      fc.array(fc.nat(300), { maxLength: 8 }),
      fc.option(fc.nat(200), { freq: 4 }),
      async (pieces, places, brokenAt) => {
        const bytes = Buffer.from(`id,title\n1,x\n${pieces.join('')}`)
        if (brokenAt !== null && brokenAt > 10 && brokenAt < bytes.length) bytes[brokenAt] = 0xe9
        const readBoth = await Promise.all([read(cut(bytes, places), false), read(cut(bytes, []), true)])
        const [fast, slow] = readBoth.map(lines => lines.map(leaveEndOut))
        assert.deepEqual(fast, slow)
      },
    ),
    { numRuns: 500 },
  )
})

test('regular records stop before the first other one, whose bytes are the rest', () => {
  const reader = createRegularReader(',')
  const first = reader.take(Buffer.from('\ufeffid,title\r\n\r\n1,"a ""b""\n'))
  assert.deepEqual(first, { records: [{ cells: ['id', 'title'], number: 1 }] })
  const second = reader.take(Buffer.from('c"\n2,5" pipe\n3,"x"y\n4,z\n'))
  assert.deepEqual(second.records, [
    { cells: ['1', 'a "b"\nc'], number: 3 },
    { cells: ['2', '5" pipe'], number: 5 },
  ])
  assert.deepEqual([second.rest?.toString(), reader.nextLine()], ['3,"x"y\n4,z\n', 6])
})

test('a record that goes on without an end is left to the library, which bounds it', () => {
  const reader = createRegularReader(',')
  reader.take(Buffer.from('id,title\n1,"'))
  const { rest } = reader.take(Buffer.alloc(300 * 1024, 'y\n'))
  assert.equal(rest?.subarray(0, 3).toString(), '1,"')
})
