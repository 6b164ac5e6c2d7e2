/** Synonyms: which words and phrases of a query stand for others (as packages/engine/src/synonyms.rs). */
import type { SynonymSet } from '#engines/engine'
import type { Analyser, Word } from './analysis.ts'

/** A member of a set, as typed and as the index knows it. */
export interface Member {
  typed: string
  words: Word[]
}

/** Members by their words, one level for each word. */
interface Trie {
  next: Map<string, Trie>
  /** What the member that ends here finds: members of each of its sets. */
  lists: (readonly Member[])[]
}

/** A query is widened by so many synonyms in each field; further ones are ignored. */
const synonymsMax = 1_000

/**
 * The synonyms of the members in a query, at most 1,000: of its words as typed, each with its words in the index. Members are looked for
 * from left to right and do not overlap; where several begin at a word, the one with the most words is taken. Of two equally long ones,
 * the one written as typed goes first: in the index `C++` and `C#` have the same form. Each form is found once for a member, and never the
 * member's own.
 */
export type FindSynonyms = (typed: readonly string[], words: readonly Word[][]) => Member[]

export interface Synonyms {
  /** As texts of the language are read. */
  in(language: string, analyser: Analyser): Promise<FindSynonyms>
}

export function openSynonyms(sets: readonly SynonymSet[]): Synonyms {
  const languages = new Map<string, FindSynonyms>()
  return {
    async in(language, analyser) {
      if (sets.length === 0) return () => []
      const cached = languages.get(language)
      if (cached) return cached
      const finder = finderOver(await readSets(sets, language, analyser))
      languages.set(language, finder)
      return finder
    },
  }
}

interface ReadSet {
  sources: Member[]
  targets: Member[]
}

/** Members without letters and digits are left out. */
async function readSets(
  sets: readonly SynonymSet[],
  language: string,
  analyser: Analyser,
): Promise<ReadSet[]> {
  const lists = sets.map(set => (Array.isArray(set) ? [set] : [set.from, set.to]))
  const read = (await analyser.words(language, lists.flat(2))).values()
  const members = (list: string[]) =>
    list.map(typed => ({ typed, words: read.next().value ?? [] })).filter(({ words }) => words.length > 0)
  return lists.map(([first = [], second]) => {
    const sources = members(first)
    return { sources, targets: second ? members(second) : sources }
  })
}

function finderOver(sets: readonly ReadSet[]): FindSynonyms {
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
    /** For each typed word the number of words before it, and the number of all. */
    const starts = [0]
    for (const list of words) starts.push((starts.at(-1) ?? 0) + list.length)
    const synonyms: Member[] = []
    let next = 0
    for (const [place, start] of starts.slice(0, -1).entries())
      while (next < (starts[place + 1] ?? 0)) {
        const byItsForm = longestPrefix(byForm, indexWords, next)
        const asItIsWritten = next === start ? longestPrefix(asWritten, typedWords, place) : undefined
        const count = asItIsWritten ? (starts[place + asItIsWritten.count] ?? 0) - next : 0
        const isWritten = asItIsWritten !== undefined && count >= (byItsForm?.count ?? 0)
        const taken = isWritten ? count : (byItsForm?.count ?? 1)
        const lists = (isWritten ? asItIsWritten : byItsForm)?.lists ?? []
        const forms = new Set([indexWords.slice(next, next + taken).join(' ')])
        for (const member of lists.flat())
          if (!forms.has(form(member.words))) {
            if (synonyms.length === synonymsMax) return synonyms
            forms.add(form(member.words))
            synonyms.push(member)
          }
        next += taken
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

/** The longest member that the words from `start` on begin with: its number of words, and what it finds. */
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
