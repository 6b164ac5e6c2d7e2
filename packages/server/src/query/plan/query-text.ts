/** Free text as people type it (query-service.md, "What endpoints are": match). */
import type { ParsedText } from '#engines/engine'

/** What keyboards make of a quotation mark. */
const isQuote = (character: string | undefined): boolean =>
  character === '"' || character === '“' || character === '”' || character === '„'

const spacePattern = /\s/

/**
 * Reads typed text; no input fails, and any is read in one pass. White space parts words. A quotation mark that starts a word opens a
 * phrase up to the next one; without a next one, or inside a word (`12" disc`), it is text. A `-` that starts a word or a phrase, and has
 * something behind it, excludes it. With `completeLast`, a last word that nothing stands behind (no space, no quote) and that is not
 * excluded is `unfinished`. Words are as typed: engines fold and stem them.
 */
export const readQueryText = (text: string, completeLast: boolean): ParsedText => {
  const read: ParsedText = { words: [], phrases: [], excludedWords: [], excludedPhrases: [] }
  let at = 0
  let hasClosing = true
  while (at < text.length) {
    if (spacePattern.test(text.charAt(at))) {
      at++
      continue
    }
    const excludes = text[at] === '-' && at + 1 < text.length && !spacePattern.test(text.charAt(at + 1))
    const start = excludes ? at + 1 : at
    const closing = hasClosing && isQuote(text[start]) ? nextQuote(text, start + 1) : -1
    if (closing >= 0) {
      const phrase = text.slice(start + 1, closing).trim()
      if (phrase !== '') (excludes ? read.excludedPhrases : read.phrases).push(phrase)
      at = closing + 1
      continue
    }
    // No closing mark from here on is none from further on either: so that many open ones cost one search.
    if (isQuote(text[start])) hasClosing = false
    at = wordEnd(text, start)
    const word = text.slice(isQuote(text[start]) ? start + 1 : start, at)
    if (word === '') continue
    if (excludes) read.excludedWords.push(word)
    else if (completeLast && at === text.length) read.unfinished = word
    else read.words.push(word)
  }
  return read
}

const nextQuote = (text: string, from: number): number => {
  for (let at = from; at < text.length; at++) if (isQuote(text[at])) return at
  return -1
}

const wordEnd = (text: string, from: number): number => {
  let at = from + 1
  while (at < text.length && !spacePattern.test(text.charAt(at))) at++
  return at
}
