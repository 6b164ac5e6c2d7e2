/** Pieces of a text around what is marked in it. Lengths in letters (code points), places in UTF-16 units. */

export interface Range {
  start: number
  end: number
}

export interface Fragment extends Range {
  text: string
  marks: readonly Range[]
}

/** Each piece is at most so many letters long, unless one mark alone is longer. */
export function fragmentsOf(text: string, found: readonly Range[], chars: number): Fragment[] {
  if (found.length === 0) return []
  if (letters(text) <= chars) return [{ text, start: 0, end: text.length, marks: found }]
  const fragments: Fragment[] = []
  let rest = found
  let from = 0
  for (let first = rest[0]; first !== undefined; first = rest[0]) {
    const { start: begins } = first
    const tooLong = rest.findIndex(mark => letters(text.slice(begins, mark.end)) > chars)
    // The first is taken even if it is too long.
    const count = Math.max(1, tooLong < 0 ? rest.length : tooLong)
    const marks = rest.slice(0, count)
    const ends = marks.at(-1)?.end ?? first.end
    rest = rest.slice(count)
    const spare = Math.max(0, chars - letters(text.slice(begins, ends)))
    const start = startOfWord(text, { start: from, end: begins }, Math.floor(spare / 2))
    const left = Math.max(0, chars - letters(text.slice(start, ends)))
    const end = endOfWord(text, { start: ends, end: rest[0]?.start ?? text.length }, left)
    fragments.push({ text, start, end, marks })
    from = end
  }
  return fragments
}

const letters = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Where a piece begins that may have so many letters before `within.end`: at a word, never inside one. */
function startOfWord(text: string, within: Range, chars: number): number {
  const before = [...text.slice(within.start, within.end)]
  if (chars === 0 || before.length === 0) return within.end
  const kept = before.slice(Math.max(0, before.length - chars))
  if (kept.length === before.length && within.start === 0) return 0
  const piece = kept.join('')
  const space = piece.search(/\s/)
  if (space < 0) return within.end
  return within.end - piece.slice(space).trimStart().length
}

/** Where a piece ends that may have so many letters after `within.start`. */
function endOfWord(text: string, within: Range, chars: number): number {
  const after = [...text.slice(within.start, within.end)]
  if (after.length <= chars)
    return within.end === text.length ? within.end : within.start + after.join('').trimEnd().length
  const kept = after.slice(0, chars).join('')
  if (/^\s/.test(after[chars] ?? '')) return within.start + kept.trimEnd().length
  const space = kept.search(/\s\S*$/)
  return within.start + (space < 0 ? 0 : kept.slice(0, space).trimEnd().length)
}

export function html({ text, start, end, marks }: Fragment): string {
  let written = ''
  let at = start
  for (const mark of marks) {
    written += `${escaped(text.slice(at, mark.start))}<mark>${escaped(text.slice(mark.start, mark.end))}</mark>`
    at = mark.end
  }
  return written + escaped(text.slice(at, end))
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The five characters that mean something in HTML, in texts and in attributes. */
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, letter => entities[letter] ?? letter)
