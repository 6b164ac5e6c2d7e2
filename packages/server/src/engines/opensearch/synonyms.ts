/** Words that find each other, as the texts of one language know them. */
import type { Analyser, Word } from './analysis.ts'

/** What stands for a word besides, as typed in its set; each form once, so that none counts twice. */
export interface Member {
  typed: string
  words: Word[]
}
type Others = Map<string, Member>

interface Known {
  /** By the word as it stands in its set, in small letters. */
  asWritten: Map<string, Others>
  byForm: Map<string, Others>
}

export interface Synonyms {
  /** For a word whose words to the index are `words`. One written just so goes first: to the index `C++` and `C#` have the same form. */
  in(language: string, analyser: Analyser): Promise<(typed: string, words: Word[]) => Member[]>
}

export function openSynonyms(sets: readonly (readonly string[])[]): Synonyms {
  const languages = new Map<string, Known>()
  const known = async (language: string, analyser: Analyser): Promise<Known> => {
    const before = languages.get(language)
    if (before) return before
    const found: Known = { asWritten: new Map(), byForm: new Map() }
    const read = await analyser.words(language, sets.flat())
    let at = 0
    for (const set of sets) {
      const members = set
        .map(typed => ({ typed, words: read[at++] ?? [] }))
        .filter(({ words }) => words.length > 0)
      for (const { typed, words } of members)
        for (const [by, key] of [
          [found.asWritten, typed.toLowerCase()],
          [found.byForm, form(words)],
        ] as const) {
          const others: Others = by.get(key) ?? new Map()
          by.set(key, others)
          for (const other of members)
            if (form(other.words) !== form(words)) others.set(form(other.words), other)
        }
    }
    languages.set(language, found)
    return found
  }
  return {
    async in(language, analyser) {
      if (sets.length === 0) return () => []
      const { asWritten, byForm } = await known(language, analyser)
      return (typed, words) => {
        const others = asWritten.get(typed.toLowerCase()) ?? byForm.get(form(words))
        return [...(others?.values() ?? [])]
      }
    },
  }
}

const form = (words: readonly Word[]): string => words.map(({ text }) => text).join(' ')
