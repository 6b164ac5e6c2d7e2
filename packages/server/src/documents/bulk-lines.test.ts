import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBulkLines } from './bulk-lines.ts'
import { readJsonText } from './text-encoding.ts'

const read = async (bytes: Buffer, chunkBytes: number): Promise<string> => {
  const source = async function* () {
    for (let start = 0; start < bytes.length; start += chunkBytes)
      yield bytes.subarray(start, start + chunkBytes)
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of readBulkLines(readJsonText(source()))) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test('the actions of a bulk file become blank lines, and their ids attributes', async () => {
  const bulk = [
    '{"index":{"_index":"films","_id":"a\\"1"}}',
    '{"title":"Zoë"}',
    '{ "create" : { "_id": 2 } }',
    '{}',
    '{"delete":{"_id":"3"}}',
    '{"index":{}}',
    '{"title":"no id"}',
    '{"index":{"_id":"5"}}',
    '{"_id":"own"}',
    '{"index":{"name":"a document"}}',
  ]
  const lines = [
    '',
    '{"_id":"a\\"1","title":"Zoë"}',
    '',
    '{"_id":2}',
    '',
    '',
    '{"title":"no id"}',
    '',
    '{"_id":"own"}',
    bulk[9],
  ]
  for (const chunkBytes of [1, 7, 1000])
    assert.equal(await read(Buffer.from(bulk.join('\n')), chunkBytes), lines.join('\n'))
  const plain = ['{"index":{"name":"a document"}}', ...bulk].slice(0, 1).concat('{"a":1}').join('\n')
  assert.equal(await read(Buffer.from(plain), 5), plain)
  assert.equal(await read(Buffer.alloc(0), 5), '')
})

test('JSON in UTF-16 with a byte order mark is read', async () => {
  const text = '{"name":"Ötzi"}\n'
  const little = Buffer.from(`\ufeff${text}`, 'utf16le')
  for (const bytes of [little, Buffer.from(little).swap16(), Buffer.from(text)])
    for (const chunkBytes of [1, 1000]) assert.equal(await read(bytes, chunkBytes), text)
})
