import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pickRejectedLines } from './rejected-lines.ts'

const pick = async (text: string, places: [number, number][], isTable = true): Promise<string> => {
  const openText = async function* () {
    for (let start = 0; start < text.length; start += 5) yield text.slice(start, start + 5)
  }
  let picked = ''
  for await (const line of pickRejectedLines(openText, places, isTable)) picked += line
  return picked
}

test('rejected records of a table stand below its header line, whole, also if cells have line breaks', async () => {
  const text = 'id,title\na,One\nb,"Two\nlines"\nc,Three\n'
  assert.equal(await pick(text, [[3, 3]]), 'id,title\nb,"Two\nlines"\n')
  assert.equal(await pick(text, [[5, 5]]), 'id,title\nc,Three\n')
})

test('a title above the header line stays, and lines may end with CR alone', async () => {
  const text = 'Books of May,\nid,title\na,One\nb,Two'
  assert.equal(await pick(text, [[4, 4]]), 'Books of May,\nid,title\nb,Two\n')
  assert.equal(await pick(text.replaceAll('\n', '\r'), [[4, 4]]), 'Books of May,\nid,title\nb,Two\n')
})

test('lines of NDJSON have no header line', async () => {
  assert.equal(await pick('{"a":1}\n{"a":"x}\n{"a":2}\n', [[2, 3]], false), '{"a":"x}\n{"a":2}\n')
})
