/**
 * The documents of the demo: the synsets of WordNet with the words around them, so that people find a word by what they know of it.
 * "someone who studies stars" shares no word with the definition of astronomer, "a physicist who studies astronomy", but with that of astronomy.
 */
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Entry, type Pointer, readSynsets, wordnetFolder } from './wordnet.ts'

export interface DictionaryEntry extends Entry {
  /** The words of all broader entries: tiger has "big cat", "feline", "mammal" and "animal". */
  kinds: string[]
  /** Words and definitions of entries that are related in other ways: astronomer has those of astronomy. */
  related: string[]
  /** 0 to 5: how often people use these words in this sense, and how much WordNet says about it. 0 for names. */
  popularity: number
}

/** Derived from the same word (`+`), of a subject (`;c`), similar (`&`), has the attribute (`=`). */
const relatedSymbols = new Set(['+', ';c', '&', '='])
/** Broader entries above these say nothing: entity, physical entity, object. */
const levelsMax = 12
const relatedMax = 6

/** Reads every entry. All of WordNet is in memory meanwhile, about 100 MB. */
export const readEntries = async function* (folder = wordnetFolder()): AsyncGenerator<DictionaryEntry> {
  const uses = await readUses(folder)
  const synsets = new Map<string, { entry: Entry; pointers: Pointer[] }>()
  for await (const synset of readSynsets(folder)) synsets.set(synset.entry.id, synset)

  const listKinds = (id: string, levels = levelsMax): string[] =>
    levels === 0
      ? []
      : (synsets.get(id)?.pointers ?? [])
          .filter(({ symbol }) => symbol.startsWith('@'))
          .flatMap(({ target }) => [
            ...(synsets.get(target)?.entry.words ?? []),
            ...listKinds(target, levels - 1),
          ])
  for (const { entry, pointers } of synsets.values()) {
    const targets = pointers.filter(({ symbol }) => relatedSymbols.has(symbol)).map(({ target }) => target)
    const related = [...new Set(targets)].slice(0, relatedMax).flatMap(target => {
      const neighbor = synsets.get(target)?.entry
      return neighbor ? [...neighbor.words, neighbor.definition] : []
    })
    yield {
      ...entry,
      kinds: [...new Set(listKinds(entry.id))],
      related: [...new Set(related)],
      popularity: rate(entry, uses.get(entry.id) ?? 0, pointers),
    }
  }
}

/** Each tenfold use adds 1, and a thing 0.5. A name, such as Vesuvius, is one of its kind (`@i`). */
const rate = ({ domain }: Entry, uses: number, pointers: readonly Pointer[]): number => {
  if (pointers.some(({ symbol }) => symbol === '@i')) return 0
  const rating = Math.log10(1 + uses + pointers.length / 4) + (thingDomains.has(domain) ? thingBonus : 0)
  return Math.min(5, Math.round(100 * rating) / 100)
}

/** People who type "tiger" mean the animal, not the person who is like it. */
const thingDomains = new Set([
  'noun.animal',
  'noun.artifact',
  'noun.food',
  'noun.plant',
  'noun.body',
  'noun.object',
])
const thingBonus = 0.5

const letters = ['', 'n', 'v', 'a', 'r', 'a']

/**
 * Counts how often the words of each synset are used in its sense, by the texts that WordNet's authors marked.
 * A line of `index.sense` is `sense_key synset_offset sense_number tag_cnt`, where the key is `lemma%ss_type:…`.
 */
const readUses = async (folder: string): Promise<Map<string, number>> => {
  const uses = new Map<string, number>()
  const lines = createInterface({ input: createReadStream(join(folder, 'index.sense')), crlfDelay: Infinity })
  for await (const line of lines) {
    const [key = '', offset, , count] = line.split(' ')
    const id = `${offset}-${letters[Number(key[key.indexOf('%') + 1])]}`
    uses.set(id, (uses.get(id) ?? 0) + Number(count))
  }
  return uses
}
