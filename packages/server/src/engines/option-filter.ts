/** Filters the options of a facet by the start of a word. The embedded engine has the same rules (`option_filter.rs`). */

/** Returns a test of options. Every option passes a blank text. */
export const createOptionFilter = (text: string): ((option: string) => boolean) => {
  const prefix = foldText(text).trim()
  if (prefix === '') return () => true
  return option => {
    const folded = foldText(option)
    for (let start = folded.indexOf(prefix); start >= 0; start = folded.indexOf(prefix, start + 1))
      if (startsWord(folded, start)) return true
    return false
  }
}

/** A word starts with a letter or digit after something else, or after white space. */
const startsWord = (text: string, start: number): boolean => {
  const [previous = ' '] = [...text.slice(Math.max(0, start - 2), start)].slice(-1)
  const letter = String.fromCodePoint(text.codePointAt(start) ?? 0)
  return /\s/u.test(previous) || (isWordLetter(letter) && !isWordLetter(previous))
}
const isWordLetter = (letter: string): boolean => /[\p{Alphabetic}\p{N}]/u.test(letter)

/** Letters that Unicode does not decompose. */
const plainLetters: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['þ', 'th'],
  ['ø', 'o'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['ł', 'l'],
  ['ħ', 'h'],
  ['ŧ', 't'],
  ['ı', 'i'],
  ['ς', 'σ'],
])

/** Removes case and accents. */
const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßæœþøđðłħŧıς]/g, letter => plainLetters.get(letter) ?? letter)
