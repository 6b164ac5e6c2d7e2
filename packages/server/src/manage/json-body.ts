/** JSON bodies parsed on the request thread. */

/** Parses within about 10 ms, whatever it contains. */
const anyBodyCharactersMax = 256 * 1024
/**
 * Brackets, commas, numbers, and quotes of texts. The body of `apply` has about 50 of these characters
 * besides the file.
 */
const structureCharactersMax = 10_000

/**
 * Whether the parse time is bounded by the length of the body: a large body must consist of a few long texts.
 * Millions of small values take a hundred times as long.
 */
export const isQuickToParse = (body: string): boolean => {
  if (body.length <= anyBodyCharactersMax) return true
  let structureCharacters = 0
  let index = 0
  while (index < body.length) {
    const start = body.indexOf('"', index)
    structureCharacters += (start < 0 ? body.length : start) - index
    if (start < 0) break
    const end = findClosingQuote(body, start)
    structureCharacters += 2
    if (structureCharacters > structureCharactersMax) return false
    index = end + 1
  }
  return structureCharacters <= structureCharactersMax
}

/** Returns the index of the closing quote, or the end of the body if there is none. */
const findClosingQuote = (body: string, start: number): number => {
  let end = body.indexOf('"', start + 1)
  while (end >= 0) {
    let backslashes = 0
    while (body[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end
    end = body.indexOf('"', end + 1)
  }
  return body.length
}
