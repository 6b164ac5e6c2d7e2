/** Finds the synonyms of words and phrases in a query, like packages/engine/src/synonyms.rs. */
import type { SynonymSet } from '#engines/engine'
import { indexedWords, type Word } from './analysis.ts'

/** A member of a synonym set, as typed and as indexed. */
export interface Member {
  typed: string
  words: Word[]
}

/** A synonym of the words of a query from `start` up to, but not including, `end`. */
export interface Synonym extends Member {
  start: number
  end: number
}

/** A trie of members with one level per word. */
interface Trie {
  next: Map<string, Trie>
  /** Synonyms of the member that ends here, one list per set. */
  lists: (readonly Member[])[]
}

/** Maximum number of synonyms of a query per field; further ones are ignored. */
const synonymsMax = 1_000

/**
 * Returns at most 1,000 synonyms of the members in a query, given its words as typed and as indexed. It searches members from left to
 * right, without overlaps. At each word the longest member wins; of two equally long ones, the one spelled as typed, because `C++` and `C#`
 * have the same indexed form. For each member it returns each indexed form once, and never the member's own form. Positions count the indexed
 * words of all typed words.
 */
export type FindSynonyms = (typed: readonly string[], words: readonly Word[][]) => Synonym[]

export interface Synonyms {
  /** Returns the finder for fields of this language. */
  finderFor(language: string): FindSynonyms
}

export function createSynonyms(sets: readonly SynonymSet[]): Synonyms {
  const languages = new Map<string, FindSynonyms>()
  return {
    finderFor(language) {
      if (sets.length === 0) return () => []
      const cached = languages.get(language)
      if (cached) return cached
      const finder = createFinder(readSets(sets, language))
      languages.set(language, finder)
      return finder
    },
  }
}

interface ReadSet {
  sources: Member[]
  targets: Member[]
}

/** Analyzes the members of all sets. Omits members without letters and digits. */
function readSets(sets: readonly SynonymSet[], language: string): ReadSet[] {
  const lists = sets.map(set => (Array.isArray(set) ? [set] : [set.from, set.to]))
  const read = indexedWords(language, lists.flat(2)).values()
  const members = (list: string[]) =>
    list.map(typed => ({ typed, words: read.next().value ?? [] })).filter(({ words }) => words.length > 0)
  return lists.map(([first = [], second]) => {
    const sources = members(first)
    return { sources, targets: second ? members(second) : sources }
  })
}

function createFinder(sets: readonly ReadSet[]): FindSynonyms {
  const asWritten: Trie = { next: new Map(), lists: [] }
  const byForm: Trie = { next: new Map(), lists: [] }
  for (const { sources, targets } of sets)
    for (const { typed, words } of sources) {
      insert(asWritten, typed.toLowerCase().trim().split(/\s+/), targets)
      insert(byForm, texts(words), targets)
    }
  return (typed, words) => {
    const typedWords = typed.map(word => word.toLowerCase())
    const indexWords = words.flatMap(texts)
    /** The number of indexed words before each typed word, and at the end their total. */
    const starts = [0]
    for (const list of words) starts.push((starts.at(-1) ?? 0) + list.length)
    const synonyms: Synonym[] = []
    let next = 0
    for (const [place, start] of starts.slice(0, -1).entries())
      while (next < (starts[place + 1] ?? 0)) {
        const byItsForm = longestPrefix(byForm, indexWords, next)
        const asItIsWritten = next === start ? longestPrefix(asWritten, typedWords, place) : undefined
        const count = asItIsWritten ? (starts[place + asItIsWritten.count] ?? 0) - next : 0
        const isWritten = asItIsWritten !== undefined && count >= (byItsForm?.count ?? 0)
        const consumed = isWritten ? count : (byItsForm?.count ?? 1)
        const lists = (isWritten ? asItIsWritten : byItsForm)?.lists ?? []
        const forms = new Set([indexWords.slice(next, next + consumed).join(' ')])
        for (const member of lists.flat())
          if (!forms.has(form(member.words))) {
            if (synonyms.length === synonymsMax) return synonyms
            forms.add(form(member.words))
            synonyms.push({ ...member, start: next, end: next + consumed })
          }
        next += consumed
      }
    return synonyms
  }
}

function insert(trie: Trie, words: readonly string[], targets: readonly Member[]): void {
  let node = trie
  for (const word of words) {
    const child: Trie = node.next.get(word) ?? { next: new Map(), lists: [] }
    node.next.set(word, child)
    node = child
  }
  if (node.lists.at(-1) !== targets) node.lists.push(targets)
}

/** Returns the longest member at `start`: its number of words and its synonyms. */
function longestPrefix(
  trie: Trie,
  words: readonly string[],
  start: number,
): { count: number; lists: Trie['lists'] } | undefined {
  let longest: { count: number; lists: Trie['lists'] } | undefined
  let node: Trie | undefined = trie
  for (let place = start; place < words.length; place++) {
    node = node.next.get(words[place] ?? '')
    if (node === undefined) break
    if (node.lists.length > 0) longest = { count: place + 1 - start, lists: node.lists }
  }
  return longest
}

const texts = (words: readonly Word[]): string[] => words.map(({ text }) => text)
const form = (words: readonly Word[]): string => texts(words).join(' ')
