import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyText } from './test-texts.ts'
import {
  readAmbiguousTuples,
  readFilterValue,
  readShownValues,
  type Tuple,
  writeFilterValue,
  writeTupleList,
} from './tuple-list.ts'

const plain = (text: string) => [{ score: 1, values: [text] }]

test('a tuple list gives its alternatives with their scores', () => {
  assert.deepEqual(readFilterValue('1(drama)|0.5(comedy)'), [
    { score: 1, values: ['drama'] },
    { score: 0.5, values: ['comedy'] },
  ])
})

test('the text between the brackets is a value too, exactly as it is', () => {
  assert.deepEqual(readFilterValue('1(Greek, islands)'), [
    { score: 1, values: ['Greek', 'islands', 'Greek, islands'] },
  ])
  assert.deepEqual(readFilterValue('1( a ,b )|2(c)|3("d",e)'), [
    { score: 1, values: ['a', 'b', ' a ,b '] },
    { score: 2, values: ['c'] },
    { score: 3, values: ['d', 'e', '"d",e'] },
  ])
  assert.deepEqual(readFilterValue(' 1 ( "a" , b ) | .5 ( "c" ) '), [
    { score: 1, values: ['a', 'b', ' "a" , b '] },
    { score: 0.5, values: ['c', ' "c" '] },
  ])
  assert.deepEqual(readFilterValue('1(a,b)|2("a,b")'), [
    { score: 1, values: ['a', 'b'] },
    { score: 2, values: ['a,b', '"a,b"'] },
  ])
  assert.deepEqual(readAmbiguousTuples('1(a, b)|1("c",d)|1(e)'), {
    ambiguous: [
      { parts: ['a', 'b'], wholeText: 'a, b' },
      { parts: ['c', 'd'], wholeText: '"c",d' },
    ],
    certain: ['e'],
  })
  assert.deepEqual(readAmbiguousTuples('a,b'), { ambiguous: [], certain: ['a,b'] })
})

test('texts that existing clients write without quotes are values', () => {
  const cases: [string, Tuple[]][] = [
    ['1(Smith, John,)', plain('Smith, John,')],
    ['1(Rock (UK))', plain('Rock (UK)')],
    ['1(7" single)', plain('7" single')],
    ['1(a|b)', plain('a|b')],
    ['1()', plain('')],
    ['1( )', plain(' ')],
    ['1("a)', plain('"a')],
    ['1(a)||1(b)', plain('a)||1(b')],
    ['1(a)|0(b)', plain('a)|0(b')],
    ['1("a" b)', plain('"a" b')],
    ['1(a"b")', plain('a"b"')],
    ['1("a")', [{ score: 1, values: ['a', '"a"'] }]],
    [
      '1(Rock (UK))|0.5(7" single)|.5(a,b)',
      [
        { score: 1, values: ['Rock (UK)'] },
        { score: 0.5, values: ['7" single'] },
        { score: 0.5, values: ['a', 'b', 'a,b'] },
      ],
    ],
    [
      '1(a) | 1(b)',
      [
        { score: 1, values: ['a'] },
        { score: 1, values: ['b'] },
        { score: 1, values: ['a) | 1(b'] },
      ],
    ],
  ]
  for (const [text, tuples] of cases) assert.deepEqual(readFilterValue(text), tuples, text)
})

test('any value without a separator of tuples is found unquoted, alone, and in a list unless it begins with a quote', () => {
  const pieces = fc.constantFrom('1', '0.5', '(', ')', '|', ',', '"', '\\', 'a', ' ', 'é')
  const value = fc
    .oneof(
      anyText(),
      fc.array(pieces).map(parts => parts.join('')),
    )
    .filter(text => !/\)\|[0-9.]+\(/.test(text))
  const values = (text: string) => readFilterValue(text).flatMap(tuple => tuple.values)
  fc.assert(
    fc.property(value, value, (text, other) => {
      assert.ok(values(`1(${text})`).includes(text))
      fc.pre(!text.startsWith('"') && !other.startsWith('"'))
      for (const list of [`1(${text})|1(${other})`, `1(${other})|0.5(${text})`])
        assert.ok(values(list).includes(text), list)
    }),
  )
})

test('a page shows the values without quotes', () => {
  assert.deepEqual(readShownValues('1("a, b",c)|1(d, e)|1("f")'), [
    { score: 1, values: ['a, b', 'c'] },
    { score: 1, values: ['d', 'e', 'd, e'] },
    { score: 1, values: ['f'] },
  ])
})

test('the whole text of an unquoted tuple counts only where it is a value of the type', () => {
  const isDigits = (value: string) => /^[0-9]+$/.test(value)
  const isPlace = (value: string) => /^[0-9]+,[0-9]+$/.test(value)
  assert.deepEqual(readFilterValue('1(1,2)', isDigits), [{ score: 1, values: ['1', '2'] }])
  assert.deepEqual(readFilterValue('1(1,x)', isDigits), [{ score: 1, values: ['1', 'x'] }])
  assert.deepEqual(readFilterValue('1(1,2)', isPlace), plain('1,2'))
})

test('quoted values keep what separates others, and \\" is a quote', () => {
  assert.deepEqual(readShownValues('1("a, b")'), plain('a, b'))
  assert.deepEqual(readShownValues('1("say \\"a|b\\" (twice)")'), plain('say "a|b" (twice)'))
  assert.deepEqual(readShownValues('1("C:\\dir")'), plain('C:\\dir'))
  assert.deepEqual(readShownValues('1("")'), plain(''))
  assert.deepEqual(readShownValues('1(" a ")'), plain(' a '))
})

test('text that is no tuple list is a plain value', () => {
  for (const text of [
    '',
    'drama',
    'f(x)',
    '1(',
    '1(a',
    '1(a)|',
    '1(a)b',
    '0(a)',
    '-1(a)',
    '1e3(a)',
    '(a)',
    '1.(a)',
    '1(a)|x',
    'Orlando (1992)',
    '0.0(a)',
    `${'9'.repeat(400)}(a)`,
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
    anyText(),
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

test('written lists are read again', () => {
  const score = fc.oneof(
    fc.integer({ min: 1, max: 1_000_000 }),
    fc.double({ min: 1e-5, max: 1e19, noNaN: true }),
  )
  const value = fc.oneof(fc.string(), anyText(), fc.constantFrom('a,b', '"', '\\"', '\\', ' x ', '(', '|'))
  const tuples = fc
    .uniqueArray(fc.tuple(score, value), { selector: ([, text]) => text, minLength: 1, maxLength: 8 })
    .map(pairs => pairs.map(([score, text]) => ({ score, values: [text] })))
  fc.assert(fc.property(tuples, tuples => assert.deepEqual(readShownValues(writeTupleList(tuples)), tuples)))
  const shared = fc.uniqueArray(value, { minLength: 1, maxLength: 8 }).map(values => [{ score: 1, values }])
  fc.assert(fc.property(shared, tuples => assert.deepEqual(readShownValues(writeTupleList(tuples)), tuples)))
})

test('every value has a text by which a filter finds it', () => {
  assert.equal(writeFilterValue('f(x), or so'), 'f(x), or so')
  assert.equal(writeFilterValue('1()'), '1("1()")')
  assert.equal(writeFilterValue('1(drama)|0.5("a")'), '1("1(drama)|0.5(\\"a\\")")')
  const tupleLike = fc
    .array(fc.constantFrom('1', '(', ')', ',', '|', '"', '\\', 'a', ' '))
    .map(parts => parts.join(''))
  fc.assert(
    fc.property(fc.oneof(fc.string(), tupleLike), text =>
      assert.deepEqual(readShownValues(writeFilterValue(text)), plain(text)),
    ),
  )
})
