/** JSON bodies that are parsed on the thread that answers requests. */

/** Parsed within some 10 ms whatever it holds. */
const anyBodyCharactersMax = 256 * 1024
/** Brackets, commas, numbers, and texts with their quotes: the body of `apply` has some 50 characters beside the file. */
const structureCharactersMax = 10_000

/**
 * Whether a body takes no longer to parse than its length makes it: a large one has to consist of a few long texts. Millions of small
 * values take a hundred times as long.
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

/** Position of the quote that ends the text; the end of the body where none does. */
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
