import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainToASCII } from 'node:url'
import fc from 'fast-check'
import {
  canonicalDomain,
  canonicalEmail,
  displayDomain,
  displayEmail,
  distinctEmails,
  isEmail,
} from './email-address.ts'
import { anyText } from './test-texts.ts'

/** Letters of many alphabets, some with case, and marks to compose. */
const letter = fc.oneof(
  fc.constantFrom(...'abzABZ09éÉüÜßẞæÆøØşŞıİςσΣжЖаАيهぁ漢한\u0301\u0308\u030c\u0323'),
  fc.integer({ min: 0xa0, max: 0x2fff }).map(code => String.fromCharCode(code)),
)
const local = fc.array(letter, { minLength: 1, maxLength: 12 }).map(letters => letters.join(''))
const label = fc.constantFrom('bücher', 'example', 'faß', 'почта', '例え', 'نامه', 'mañana', 'a-b', 'ελλάδα')
const domain = fc.array(label, { minLength: 1, maxLength: 3 }).map(labels => labels.join('.'))
const address = fc.tuple(local, domain).map(parts => parts.join('@'))
/** NFC makes ASCII of them, so they are never composed. */
const isComposable = (text: string) => !/[\u212a\u037e\u1fef]/.test(text)

test('the one form of an address stays the same, in NFC, in NFD, with its domain in ASCII, and as people read it', () => {
  fc.assert(
    fc.property(address, text => {
      const email = canonicalEmail(text)
      assert.equal(canonicalEmail(email), email)
      assert.equal(canonicalEmail(displayEmail(email)), email)
      const separator = text.lastIndexOf('@')
      const ascii = `${text.slice(0, separator)}@${domainToASCII(text.slice(separator + 1))}`
      assert.equal(canonicalEmail(ascii), email)
      assert.equal(canonicalEmail(` ${ascii}\t`), email)
      if (isComposable(text))
        for (const form of ['NFC', 'NFD'] as const) assert.equal(canonicalEmail(text.normalize(form)), email)
    }),
    { numRuns: 1000 },
  )
})

test('the one form exists for every text, and stays the same', () => {
  fc.assert(
    fc.property(fc.oneof(anyText(), fc.string()), text => {
      const email = canonicalEmail(text)
      assert.equal(canonicalEmail(email), email)
      assert.equal(canonicalEmail(displayEmail(email)), email)
    }),
    { numRuns: 2000 },
  )
})

test('two letters are equal only as capital, title and small letter of one letter, or if they are canonically equivalent', () => {
  const groups = new Map<string, string[]>()
  // Nothing beyond this plane has case or a canonical equivalent, except Han.
  for (let code = 0x21; code <= 0x1ffff; code++) {
    const character = String.fromCodePoint(code)
    if (/[\p{Cs}\p{White_Space}\ufeff@]/u.test(character)) continue
    const email = canonicalEmail(`${character}@example.org`)
    groups.set(email, [...(groups.get(email) ?? []), character])
  }
  for (const [email, characters] of groups) {
    const small = email.slice(0, email.indexOf('@'))
    const composed = new Set(
      characters.map(character => (isComposable(character) ? character.normalize('NFC') : character)),
    )
    const oddOnes = [...composed].filter(
      character => character !== small && character.toLowerCase() !== small,
    )
    assert.deepEqual(oddOnes, [], email)
    // A letter has one small form, at most one capital form, and the title form of a digraph.
    const capitals = [...composed].filter(character => character !== small)
    assert.ok(
      capitals.length <= (/[\u01c6\u01c9\u01cc\u01f3]/.test(small) ? 2 : 1),
      `${email}: ${characters}`,
    )
  }
  const ascii = [...groups].filter(([email]) => /^[\0-\x7f]*$/.test(email)).flatMap(([, group]) => group)
  assert.ok(
    ascii.every(character => character < '\x80'),
    'nothing but ASCII becomes ASCII',
  )
})

test('letters that case folding or another normal form would merge are different people', () => {
  for (const [one, other] of [
    ['i', '\u0130'],
    ['i', '\u0131'],
    ['i\u0307', '\u0130'],
    ['ss', '\u00df'],
    ['ss', '\u1e9e'],
    ['k', '\u212a'],
    ['k\u0301e', '\u212ae\u0301'],
    ['\u03c3', '\u03c2'],
    ['\u03b8', '\u03f4'],
    ['s', '\u017f'],
    ['fi', '\ufb01'],
    ['a', '\uff41'],
    ['a', '\u0430'],
    ['\u00b5', '\u03bc'],
  ]) {
    const [first, second] = [canonicalEmail(`${one}@example.org`), canonicalEmail(`${other}@example.org`)]
    assert.notEqual(first, second, `${one} and ${other}`)
  }
  for (const [capital, small] of ['ÉÀÇ éàç', 'ẞ ß', 'ΟΔΟΣ οδοσ', 'ЖУК жук', 'ǅ ǆ'].map(pair =>
    pair.split(' '),
  ))
    assert.equal(canonicalEmail(`${capital}@example.org`), `${small}@example.org`)
})

test('a domain has one form, and what is no domain has none', () => {
  for (const [text, ascii] of [
    ['BÜCHER.Example', 'xn--bcher-kva.example'],
    ['bu\u0308cher\u3002example', 'xn--bcher-kva.example'],
    ['ｅｘａｍｐｌｅ．ｏｒｇ', 'example.org'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['faß.de', 'xn--fa-hia.de'],
    ['نامه\u200cای.com', 'xn--mgba3gch31f060k.com'],
    ['localhost', 'localhost'],
  ] as const)
    assert.equal(canonicalDomain(text), ascii, text)
  const wrong =
    '127.1 １２７.0.0.1 1.2.3.4 0x7f.1 a.0x1 [::1] a:80 a%2eb a/b a\u2100b xn--a xn--example xn--fa-hia- xn-- .. a..b .a a. -a a- a_b a\u200db'
  for (const text of [...wrong.split(' '), '', 'a b', `${'a'.repeat(64)}.org`, `${'ab.'.repeat(90)}org`])
    assert.equal(canonicalDomain(text), undefined, text)
})

test('new addresses have a local part in dot-atoms of at most 64 octets', () => {
  for (const text of [
    'a.b@example.org',
    'jörg+x@example.org',
    `${'é'.repeat(32)}@example.org`,
    "o'b@bücher.example",
  ])
    assert.ok(isEmail(text), text)
  const wrong = [
    'a..b@x.org',
    '.a@x.org',
    'a.@x.org',
    '@x.org',
    'a@',
    'a',
    '',
    'a@b@x.org',
    'a b@x.org',
    'a@xn--a',
  ]
  const tooLong = [`${'a'.repeat(65)}@x.org`, `${'é'.repeat(33)}@x.org`, `a@${'abcdefg.'.repeat(32)}org`]
  for (const text of [...wrong, ...tooLong, 'a\u202e@x.org', '\u212a@x.org', 'a@1.2.3.4', 'a@x.org.'])
    assert.ok(!isEmail(text), text)
})

test('people read a domain in Unicode, unless it looks like another one', () => {
  for (const text of 'bücher.example mañana.com łódź.pl việt.vn почта.рф 例え.jp 한국.kr ελλάδα.gr שלום.il ไทย.th'.split(
    ' ',
  ))
    assert.equal(displayDomain(canonicalDomain(text) ?? ''), text)
  for (const text of 'exаmple.org аррӏе.com ɡoogle.com gооgle.com ехаmple.org a.раураӏ.com bücheг.example'.split(
    ' ',
  ))
    assert.match(
      displayDomain(canonicalDomain(text) ?? ''),
      /^(?:a\.)?xn--[a-z0-9-]+\.(?:com|org|example)$/,
      text,
    )
  assert.equal(displayEmail('rémy@xn--bcher-kva.example'), 'rémy@bücher.example')
  assert.equal(displayEmail('a@xn--a'), 'a@xn--a')
})

test('an address in several spellings is one', () => {
  assert.deepEqual(
    distinctEmails([
      'maria@example.org',
      'ann@bücher.example',
      'MARIA@example.org',
      'ann@xn--bcher-kva.example',
    ]),
    ['maria@example.org', 'ann@bücher.example'],
  )
})
