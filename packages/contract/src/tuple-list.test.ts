import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readFilterValue, readUnquotedTuples, writeFilterValue, writeTupleList } from './tuple-list.ts'

const plain = (text: string) => [{ score: 1, values: [text] }]

test('a tuple list gives its alternatives with their scores', () => {
  assert.deepEqual(readFilterValue('1(drama)|0.5(comedy)'), [
    { score: 1, values: ['drama'] },
    { score: 0.5, values: ['comedy'] },
  ])
  assert.deepEqual(readFilterValue('1("a",b)'), [{ score: 1, values: ['a', 'b'] }])
  assert.deepEqual(readFilterValue(' 1 ( "a" , b ) | .5 ( "c" ) '), [
    { score: 1, values: ['a', 'b'] },
    { score: 0.5, values: ['c'] },
  ])
})

test('the whole text of an unquoted tuple with commas is a value too', () => {
  assert.deepEqual(readFilterValue('1(Greek, islands)'), [
    { score: 1, values: ['Greek', 'islands', 'Greek, islands'] },
  ])
  assert.deepEqual(readFilterValue('1( a ,b )|2(c)|3("d",e)'), [
    { score: 1, values: ['a', 'b', 'a ,b'] },
    { score: 2, values: ['c'] },
    { score: 3, values: ['d', 'e'] },
  ])
  assert.deepEqual(readFilterValue('1(a,b)|2("a,b")'), [
    { score: 1, values: ['a', 'b'] },
    { score: 2, values: ['a,b'] },
  ])
  assert.deepEqual(readUnquotedTuples('1(a, b)|1("c",d)|1(e)'), {
    unquoted: [{ parts: ['a', 'b'], joined: 'a, b' }],
    certain: ['c', 'd', 'e'],
  })
  assert.deepEqual(readUnquotedTuples('a,b'), { unquoted: [], certain: ['a,b'] })
})

test('the whole text of an unquoted tuple counts only where it is a value of the type', () => {
  const isDigits = (value: string) => /^[0-9]+$/.test(value)
  const isPlace = (value: string) => /^[0-9]+,[0-9]+$/.test(value)
  assert.deepEqual(readFilterValue('1(1,2)', isDigits), [{ score: 1, values: ['1', '2'] }])
  assert.deepEqual(readFilterValue('1(1,x)', isDigits), [{ score: 1, values: ['1', 'x'] }])
  assert.deepEqual(readFilterValue('1(1,2)', isPlace), plain('1,2'))
})

test('quoted values keep what separates others, and \\" is a quote', () => {
  assert.deepEqual(readFilterValue('1("a, b")'), plain('a, b'))
  assert.deepEqual(readFilterValue('1("say \\"a|b\\" (twice)")'), plain('say "a|b" (twice)'))
  assert.deepEqual(readFilterValue('1("C:\\dir")'), plain('C:\\dir'))
  assert.deepEqual(readFilterValue('1("")'), plain(''))
  assert.deepEqual(readFilterValue('1(" a ")'), plain(' a '))
})

test('what is no tuple list is a plain value', () => {
  for (const text of [
    '',
    'drama',
    'f(x)',
    '1(',
    '1()',
    '1(a',
    '1(a)|',
    '1(a)b',
    '0(a)',
    '-1(a)',
    '1e3(a)',
    '1(a,)',
    '(a)',
    '1.(a)',
    '1(a"b")',
    '1("a)',
    '1(a)|x',
    '1(a)||1(b)',
    'Orlando (1992)',
    '0.0(a)',
    `${'9'.repeat(400)}(a)`,
    '1("a" b)',
  ])
    assert.deepEqual(readFilterValue(text), plain(text), text)
})

test('a value that appears twice counts once, with the higher score', () => {
  assert.deepEqual(readFilterValue('1(a)|2(a,b)|0.5(b,c,c)'), [
    { score: 2, values: ['a', 'b', 'a,b'] },
    { score: 0.5, values: ['c', 'b,c,c'] },
  ])
})

test('any string is accepted, and gives at least one value and scores above 0', () => {
  const pieces = fc.constantFrom('1', '0.5', '(', ')', '|', ',', '"', '\\', 'a', ' ', 'é', '\n')
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces, { maxLength: 30 }).map(parts => parts.join('')),
  )
  fc.assert(
    fc.property(text, value => {
      const read = readFilterValue(value)
      assert.ok(read.length > 0)
      for (const { score, values } of read)
        assert.ok(score > 0 && Number.isFinite(score) && values.length > 0)
    }),
  )
})

test('a hostile list takes time in proportion to its length', () => {
  const started = performance.now()
  for (const text of [
    '1("'.repeat(5000),
    `1(${'\\"'.repeat(8000)}`,
    `1(${' '.repeat(16000)}`,
    `1("${'\\'.repeat(16001)}`,
    `${' '.repeat(16000)}(`,
  ])
    assert.deepEqual(readFilterValue(text), plain(text))
  assert.ok(performance.now() - started < 1000)
})

test('what is written is read again', () => {
  const score = fc.oneof(
    fc.integer({ min: 1, max: 1_000_000 }),
    fc.double({ min: 1e-5, max: 1e19, noNaN: true }),
  )
  const value = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('a,b', '"', '\\"', '\\', ' x ', '(', '|'),
  )
  const tuples = fc
    .uniqueArray(fc.tuple(score, value), { selector: ([, text]) => text, minLength: 1, maxLength: 8 })
    .map(pairs => pairs.map(([score, text]) => ({ score, values: [text] })))
  fc.assert(fc.property(tuples, tuples => assert.deepEqual(readFilterValue(writeTupleList(tuples)), tuples)))
  const shared = fc.uniqueArray(value, { minLength: 1, maxLength: 8 }).map(values => [{ score: 1, values }])
  fc.assert(fc.property(shared, tuples => assert.deepEqual(readFilterValue(writeTupleList(tuples)), tuples)))
})

test('every value has a text by which a filter finds exactly it', () => {
  assert.equal(writeFilterValue('f(x), or so'), 'f(x), or so')
  assert.equal(writeFilterValue('1(drama)|0.5("a")'), '1("1(drama)|0.5(\\"a\\")")')
  const tupleLike = fc
    .array(fc.constantFrom('1', '(', ')', ',', '|', '"', '\\', 'a', ' '))
    .map(parts => parts.join(''))
  fc.assert(
    fc.property(fc.oneof(fc.string(), tupleLike), text =>
      assert.deepEqual(readFilterValue(writeFilterValue(text)), plain(text)),
    ),
  )
})
