/**
 * The characters that languages of other scripts fold, and those of scripts without spaces. The same as in the embedded engine
 * (packages/engine/src/word_tokenizer.rs).
 */

/** Accents and vowel signs that are often left out in writing, nuktas, and the Arabic tatweel; as the inside of a character class. */
const accents = [
  String.raw`\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670`,
  String.raw`\u06d6-\u06dc\u06df-\u06e4\u06e7-\u06e8\u06ea-\u06ed\u093c\u09bc\u0a3c\u0abc\u0b3c\u0cbc`,
  String.raw`\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f`,
].join('')

/** Han, kana and hangul below U+10000. */
const eastAsian = [
  String.raw`\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff`,
  String.raw`\u3131-\u318e\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9d\uffa0-\uffdc`,
].join('')
/** Han above, as Java writes it. */
const rareHan = String.raw`\x{20000}-\x{3ffff}`

/** Thai, Lao and Khmer, without their digits. */
const southEastAsian = String.raw`\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf\u1780-\u17d3\u17dc-\u17dd`

const accent = new RegExp(`[${accents}]`, 'gu')
const isEastAsian = (text: string): boolean => new RegExp(`^[${eastAsian}]$`, 'u').test(text)
const isLatinOrSouthEastAsian = new RegExp(`^[\\u0000-\\u024f\\u1e00-\\u1eff${southEastAsian}]$`, 'u')
const isAlphanumeric = /^[\p{Alphabetic}\p{N}]+$/u

/** The scripts whose texts are split into overlapping pairs of characters, because they have no spaces between words. */
export type PairedScripts = 'east-asian' | 'all'

/**
 * Returns the pattern of a pattern tokenizer in Java's syntax, whose group 1 is a word. The lookahead makes words overlap.
 * https://docs.opensearch.org/latest/analyzers/tokenizers/pattern/
 */
export const makePairPattern = (scripts: PairedScripts): string => {
  const ranges = eastAsian + rareHan + (scripts === 'all' ? southEastAsian : '')
  const paired = `[${ranges}]`
  const letter = String.raw`[[\p{IsAlphabetic}\p{N}]&&[^${ranges}]]`
  return `(?=((?<!${letter})${letter}+|${paired}${paired}|(?<!${paired})${paired}(?!${paired})))`
}

function foldCharacter(character: string): string {
  if (character === 'İ') return 'i'
  if (character === 'ς') return 'σ'
  if (isLatinOrSouthEastAsian.test(character)) return character
  const folded = character.normalize('NFKD').replaceAll(accent, '').normalize('NFC')
  const parts = [...folded]
  const keepsScript = isEastAsian(character)
    ? parts.length === 1 && isEastAsian(folded)
    : isAlphanumeric.test(folded) && !parts.some(isEastAsian)
  return keepsScript ? folded : character
}

/** Kana with a voicing mark that follows as a character of its own, also in half width. */
function* listVoicedKana(): Generator<[string, string]> {
  const marks = { '\u3099': '\u3099', '\u309a': '\u309a', '\uff9e': '\u3099', '\uff9f': '\u309a' }
  for (const [first, last] of [
    [0x30_41, 0x30_ff],
    [0xff_66, 0xff_9d],
  ] as const)
    for (let code = first; code <= last; code++)
      for (const [mark, combining] of Object.entries(marks)) {
        const voiced = (String.fromCodePoint(code).normalize('NFKC') + combining).normalize('NFC')
        if ([...voiced].length === 1) yield [String.fromCodePoint(code) + mark, voiced]
      }
}

let mappings: string[] | undefined

/**
 * Returns the rules of a mapping character filter that folds accents and special forms of letters, about 2,500.
 * https://docs.opensearch.org/latest/analyzers/character-filters/mapping-character-filter/
 */
export function makeFoldMappings(): string[] {
  if (mappings) return mappings
  const pairs = [...listVoicedKana()]
  for (let code = 0x80; code <= 0xff_ff; code++) {
    const character = String.fromCodePoint(code)
    const isSurrogate = code >= 0xd8_00 && code <= 0xdf_ff
    if (isSurrogate) continue
    if (character.replace(accent, '') === '') pairs.push([character, ''])
    else if (isAlphanumeric.test(character) && foldCharacter(character) !== character)
      pairs.push([character, foldCharacter(character)])
  }
  mappings = pairs.map(([from, to]) => `${from} => ${to}`)
  return mappings
}

/** Folds a lower-case word as the character filter does. */
export const foldWord = (word: string): string => [...word.replaceAll(accent, '')].map(foldCharacter).join('')
