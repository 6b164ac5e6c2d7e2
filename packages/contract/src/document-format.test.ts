import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detectFormat, findBinaryKind, findOtherFormat } from './document-format.ts'

test('the format of a file follows from its ending, and of JSON from its text', () => {
  const pretty = '{\n  "id": 1,\n  "rows": [{}]\n}\n'
  const lines = '{"id":1}\n{"id":2}\n'
  const collection = '{"type":"FeatureCollection","features":[{"type":"Feature"}]}'
  for (const [name, text, format] of [
    ['a.csv', '{', 'csv'],
    ['a.TSV.gz', '', 'tsv'],
    ['a.tab', '', 'tsv'],
    ['a.json', ' [{"id":1}]', 'json'],
    ['a.json', lines, 'ndjson'],
    ['a.json', '\ufeff{"id":1}\r\n\r\n{"id":2}', 'ndjson'],
    ['a.json', '{"id":1,"tags":["a"]}', 'ndjson'],
    ['a.json', '{"page":{"rows":[{"id":1}]}}\n', 'json'],
    ['a.json', '{"AD":{"name":"Andorra"},"AE":{"name":"Emirates"}}', 'json'],
    ['a.json', `{${Array.from({ length: 20 }, (_, index) => `"${index}":"x"`).join(',')}}`, 'json'],
    ['a.json', '{"lat":[1,2],"lon":[3,4]}', 'json'],
    ['a.json', '{"columns":["a","b"],"data":[[1,2],[3,4]]}', 'json'],
    ['a.json', '{"type":"Feature","geometry":{"coordinates":[[1,2],[3,4]]}}', 'ndjson'],
    ['a.json', `{${Array.from({ length: 12 }, (_, index) => `"${index}":["x"]`).join(',')}}`, 'json'],
    ['a.json', '{"id":1,"name":{"first":"A"},"address":{"city":"B"}}', 'ndjson'],
    ['a.json', pretty, 'json'],
    ['a.json', `{"a":"${'x'.repeat(1024 * 1024)}`, 'json'],
    ['a.ndjson', pretty, 'json'],
    ['a.jsonl', '[\n{"id":1}\n]', 'json'],
    ['a.ndjson', '{"id":1,"parts":[{}]}', 'ndjson'],
    ['a.ndjson', collection, 'json'],
    ['a.geojson', `${collection}\n`, 'json'],
    ['-', lines, 'ndjson'],
    ['-', pretty, 'json'],
    ['-', collection, 'json'],
    ['-', 'id;title\n1;x\n', 'csv'],
    ['data.txt', 'id\ttitle, long\n', 'tsv'],
    ['report.txt', 'Event Desc|En No|\n', 'csv'],
    ['words.txt', 'abandon\nability\n', 'csv'],
    ['-', 'abandon\n', 'ndjson'],
    ['-', '', 'ndjson'],
    ['a.json', 'not json', 'json'],
  ] as const)
    assert.equal(detectFormat(name, text), format, `${name}: ${text.slice(0, 40)}`)
})

test('spreadsheets and other binary files are no text', () => {
  assert.equal(findBinaryKind(Buffer.from('PK\u0003\u0004rest')), 'spreadsheet')
  assert.equal(findBinaryKind(Buffer.from('d0cf11e0a1b1', 'hex')), 'spreadsheet')
  assert.equal(findBinaryKind(Buffer.concat([Buffer.from('id'), Buffer.alloc(100)])), 'binary')
  for (const text of ['', 'id,title\n', 'a\u0000b'])
    assert.equal(findBinaryKind(Buffer.from(text)), undefined)
  assert.equal(findBinaryKind(Buffer.from('\ufeffid,title\n1,Emma\n', 'utf16le')), undefined)
})

test('formats that have to be converted are named', () => {
  for (const [name, text, format] of [
    ['posts.xml', '', 'XML'],
    ['feed', '\n<?xml version="1.0"?><rss/>', 'XML'],
    ['page.txt', '<!doctype html><html>', 'HTML'],
    ['contacts.txt', 'BEGIN:VCARD\n', 'vCard'],
    ['list.yml', '- name: a\n', 'YAML'],
    ['dump.sql', 'INSERT INTO a VALUES (1);', 'SQL'],
    ['a.parquet', 'PAR1\u0015', 'Parquet'],
    ['a.csv', 'id,name\n1,<b>x</b>\n', undefined],
    ['-', '{"id":1}', undefined],
  ] as const)
    assert.equal(findOtherFormat(name, Buffer.from(text)), format, name)
})

test('a line that begins with a time in brackets is no JSON, and assigned values are JavaScript', () => {
  for (const text of ['[1, 2', '[{"a":1}', '[\n{', '["a"]', '[]', '[', '[null,', '[-1.5e3]'])
    assert.equal(detectFormat('data', text), 'json', text)
  for (const text of ['[01/03/2023, 10:00] Anna: Hi', '[2023-01-01 10:00:00] INFO', '[error] down, again'])
    assert.equal(detectFormat('data.txt', text), 'csv', text)
  for (const text of [
    'window.YTD.tweets.part0 = [ {',
    'module.exports = {',
    'export default [',
    'const a = {',
  ])
    assert.equal(findOtherFormat('tweets.js', Buffer.from(text)), 'JavaScript', text)
})

test('an object in one line may have its documents inside, whatever ending the file has', () => {
  const text = JSON.stringify({ log: { version: '1.2', entries: [{ time: 1 }, { time: 2 }] } })
  assert.equal(detectFormat('page.har', text), 'json')
  assert.equal(detectFormat('page.json', text), 'json')
  assert.equal(detectFormat('-', text), 'ndjson')
  assert.equal(detectFormat('page.ndjson', text), 'ndjson')
})
