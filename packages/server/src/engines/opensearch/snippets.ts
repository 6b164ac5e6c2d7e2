/** Splits a text into fragments around its marks. Lengths count code points, positions count UTF-16 units. */

export interface Range {
  start: number
  end: number
}

export interface Fragment extends Range {
  text: string
  marks: readonly Range[]
}

/** Returns fragments of at most `chars` characters, unless a single mark is longer. */
export function splitIntoFragments(text: string, ranges: readonly Range[], chars: number): Fragment[] {
  if (ranges.length === 0) return []
  if (countCharacters(text) <= chars) return [{ text, start: 0, end: text.length, marks: ranges }]
  const fragments: Fragment[] = []
  let rest = ranges
  let previousEnd = 0
  for (let first = rest[0]; first !== undefined; first = rest[0]) {
    const { start: marksStart } = first
    const tooLong = rest.findIndex(mark => countCharacters(text.slice(marksStart, mark.end)) > chars)
    // Take the first mark even if it is too long.
    const count = Math.max(1, tooLong < 0 ? rest.length : tooLong)
    const marks = rest.slice(0, count)
    const marksEnd = marks.at(-1)?.end ?? first.end
    rest = rest.slice(count)
    const spare = Math.max(0, chars - countCharacters(text.slice(marksStart, marksEnd)))
    const start = startOfWord(text, { start: previousEnd, end: marksStart }, Math.floor(spare / 2))
    const remaining = Math.max(0, chars - countCharacters(text.slice(start, marksEnd)))
    const end = endOfWord(text, { start: marksEnd, end: rest[0]?.start ?? text.length }, remaining)
    fragments.push({ text, start, end, marks })
    previousEnd = end
  }
  return fragments
}

const countCharacters = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Returns the start of a fragment with at most `chars` characters before `bounds.end`, at the beginning of a word. */
function startOfWord(text: string, bounds: Range, chars: number): number {
  const characters = [...text.slice(bounds.start, bounds.end)]
  if (chars === 0 || characters.length === 0) return bounds.end
  const lastCharacters = characters.slice(Math.max(0, characters.length - chars))
  if (lastCharacters.length === characters.length && bounds.start === 0) return 0
  const piece = lastCharacters.join('')
  const space = piece.search(/\s/)
  if (space < 0) return bounds.end
  return bounds.end - piece.slice(space).trimStart().length
}

/** Returns the end of a fragment with at most `chars` characters after `bounds.start`, at the end of a word. */
function endOfWord(text: string, bounds: Range, chars: number): number {
  const characters = [...text.slice(bounds.start, bounds.end)]
  if (characters.length <= chars)
    return bounds.end === text.length ? bounds.end : bounds.start + characters.join('').trimEnd().length
  const firstCharacters = characters.slice(0, chars).join('')
  if (/^\s/.test(characters[chars] ?? '')) return bounds.start + firstCharacters.trimEnd().length
  const space = firstCharacters.search(/\s\S*$/)
  return bounds.start + (space < 0 ? 0 : firstCharacters.slice(0, space).trimEnd().length)
}

export function renderHtml({ text, start, end, marks }: Fragment): string {
  let markup = ''
  let position = start
  for (const mark of marks) {
    markup += `${escapeHtml(text.slice(position, mark.start))}<mark>${escapeHtml(text.slice(mark.start, mark.end))}</mark>`
    position = mark.end
  }
  return markup + escapeHtml(text.slice(position, end))
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes the five special characters of HTML texts and attributes. */
const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, character => entities[character] ?? character)
