import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readArrayItems } from './array-items.ts'
import type { Line } from './lines.ts'

const read = async (chunks: readonly Uint8Array[]) => {
  const lines: Line[] = []
  const source = async function* () {
    yield* chunks
  }
  for await (const items of readArrayItems(source())) lines.push(...items)
  return lines
}
const cut = (bytes: Uint8Array, places: readonly number[]) => {
  const ends = [...places.map(place => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}
const readText = (text: string) => read([Buffer.from(text)])

test('items are those of JSON.parse, wherever the stream is cut', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue(), { maxLength: 8 }),
      fc.constantFrom(undefined, 2),
      fc.array(fc.nat(500), { maxLength: 10 }),
      async (values, indent, places) => {
        const items = await read(cut(Buffer.from(JSON.stringify(values, null, indent)), places))
        assert.deepEqual(
          items.map(({ text, fault }) => fault ?? JSON.stringify(JSON.parse(text))),
          values.map(value => JSON.stringify(value)),
        )
      },
    ),
  ))

test('an item has its index, and the line where it begins', async () => {
  const items = await readText('\ufeff[\r\n  {"a":\n1},\n\n  {"b":2}\n]\n')
  assert.deepEqual(
    items.map(({ index, number }) => [index, number]),
    [
      [0, 2],
      [1, 5],
    ],
  )
})

test('errors name their line, and the other items are read', async () => {
  const faults = async (text: string) =>
    (await readText(text)).map(({ number, text, fault, breaksOff }) =>
      fault ? `${number} ${breaksOff ? 'broken off: ' : ''}${fault}` : text.trim(),
    )
  assert.deepEqual(await faults('[]'), [])
  assert.deepEqual(await faults('[{},\n,{}]'), [
    '{}',
    '2 a document is missing before or after the comma',
    '{}',
  ])
  assert.deepEqual(await faults('[{},\n]'), ['{}'])
  assert.deepEqual(await faults('[,]'), ['1 a document is missing before or after the comma'])
  assert.deepEqual(await faults('[{},\n{"a"'), [
    '{}',
    '2 broken off: the text ends before the "]" of the array; the rest is missing',
  ])
  assert.deepEqual(await faults('[{}]\nx'), [
    '{}',
    '2 broken off: unexpected text after the end of the array; nothing from here on was read',
  ])
  assert.deepEqual(await faults(`["${'x'.repeat(1024 * 1024)}",{}]`), [
    '1 the document is longer than 1048576 bytes',
    '{}',
  ])
  for (const text of ['{"a":1}', ' '])
    assert.match((await faults(text)).join(), /^1 the body is not a JSON array/)
})
