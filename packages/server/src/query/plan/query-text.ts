/** Parses free text as people type it (query-service.md, "What endpoints are": match). */
import type { ParsedText } from '#engines/engine'

/** Straight and typographic quotation marks, also those of French, Russian and full-width text. */
const quotes = new Set(['"', '“', '”', '„', '‟', '«', '»', '＂'])
const isQuote = (character: string | undefined): boolean => character !== undefined && quotes.has(character)

const spacePattern = /\s/

/**
 * Reads any text in one pass, and never fails:
 * - White space separates words, except in `50 %` and `€ 20`. They stay as typed, because engines fold and stem them.
 * - A quotation mark that starts a word opens a phrase, up to the next mark. Without a next one, or inside a word (`12" disc`), it is text.
 * - A `-` before a letter or a phrase excludes it. `--force` and `-40` are text.
 * - With `completeLast`, a last word is `unfinished` if nothing follows it and it is not excluded.
 */
export const readQueryText = (text: string, completeLast: boolean): ParsedText => {
  const parsed: ParsedText = { words: [], phrases: [], excludedWords: [], excludedPhrases: [] }
  let position = 0
  let hasClosing = true
  while (position < text.length) {
    position = skipSpace(text, position)
    if (position === text.length) break
    const excludes = text[position] === '-' && canBeExcluded(text, position + 1)
    const start = excludes ? position + 1 : position
    const closing = hasClosing && isQuote(text[start]) ? nextQuote(text, start + 1) : -1
    if (closing >= 0) {
      addPhrase(parsed, text.slice(start + 1, closing).trim(), excludes)
      position = closing + 1
      continue
    }
    // If no mark follows here, none follows later either. So a text with many opening marks is searched only once.
    if (isQuote(text[start])) hasClosing = false
    position = wordEnd(text, start)
    const word = text.slice(isQuote(text[start]) ? start + 1 : start, position)
    addWord(parsed, word, excludes, completeLast && position === text.length)
  }
  return parsed
}

const addPhrase = (parsed: ParsedText, phrase: string, isExcluded: boolean): void => {
  if (phrase !== '') (isExcluded ? parsed.excludedPhrases : parsed.phrases).push(phrase)
}

const addWord = (parsed: ParsedText, word: string, isExcluded: boolean, isUnfinished: boolean): void => {
  if (word === '') return
  if (isExcluded) parsed.excludedWords.push(word)
  else if (isUnfinished) parsed.unfinished = word
  else parsed.words.push(word)
}

const skipSpace = (text: string, start: number): number => {
  let position = start
  while (position < text.length && spacePattern.test(text.charAt(position))) position++
  return position
}

const letterPattern = /\p{L}/uy

const canBeExcluded = (text: string, position: number): boolean => {
  letterPattern.lastIndex = position
  return isQuote(text[position]) || letterPattern.test(text)
}

const nextQuote = (text: string, start: number): number => {
  for (let position = start; position < text.length; position++) if (isQuote(text[position])) return position
  return -1
}

/** A percentage or an amount with a space: `50 %`, `€ 20` and `5,00 €`. */
const measurePattern = /(?:\S*\d\s[%€$£¥]|[€$£¥]\s\d\S*)(?=\s|$)/uy

const wordEnd = (text: string, start: number): number => {
  measurePattern.lastIndex = start
  if (measurePattern.test(text)) return measurePattern.lastIndex
  let position = start + 1
  while (position < text.length && !spacePattern.test(text.charAt(position))) position++
  return position
}
