import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { lineBytesMax, readLines } from './lines.ts'

const read = async (chunks: readonly Uint8Array[]) => {
  const lines: { number: number; text: string; fault?: string }[] = []
  const source = async function* () {
    yield* chunks
  }
  for await (const block of readLines(source())) lines.push(...block)
  return lines
}
const cut = (bytes: Uint8Array, places: readonly number[]) => {
  const ends = [...places.map(place => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

test('lines are the same wherever the stream is cut', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 20 }),
      fc.array(fc.nat(500), { maxLength: 10 }),
      async (texts, places) => {
        const expected = texts.map(text => text.replaceAll('\n', ' ').replace(/^\ufeff+/, ''))
        const bytes = new TextEncoder().encode(expected.map(text => `${text}\n`).join(''))
        const lines = await read(cut(bytes, places))
        assert.deepEqual(
          lines.map(({ number, text }) => [number, text]),
          expected.map((text, index) => [index + 1, text]),
        )
      },
    ),
  ))

test('a line that is too long or no UTF-8 is told by its number, and the others are read', async () => {
  const long = Buffer.alloc(lineBytesMax + 1, 'x')
  const bytes = Buffer.concat([
    Buffer.from('a\n'),
    long,
    Buffer.from('\nb\n'),
    Buffer.from([0xff, 0x0a]),
    Buffer.from('c'),
  ])
  for (const places of [[], [5], [100, 500_000, lineBytesMax + 3]]) {
    const lines = await read(cut(bytes, places))
    assert.deepEqual(
      lines.map(({ number, text, fault }) => [
        number,
        fault ? fault.replace(String(lineBytesMax), 'N') : text,
      ]),
      [
        [1, 'a'],
        [2, 'the line is longer than N bytes'],
        [3, 'b'],
        [4, 'the line is not UTF-8'],
        [5, 'c'],
      ],
    )
  }
  assert.equal((await read([long.subarray(1)])).at(0)?.fault, undefined, 'exactly the longest')
})

test('a byte order mark is no part of a line, so files that have one can be joined', async () => {
  const lines = await read([Buffer.from('\ufeffa\n\ufeffb\u{feff}')])
  assert.deepEqual(
    lines.map(({ text }) => text),
    ['a', 'b\ufeff'],
  )
})
