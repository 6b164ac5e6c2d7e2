/**
 * How texts become words in OpenSearch: defined here to give what the embedded engine's analysis gives (packages/engine/src/analysis.rs).
 * Split into runs of letters and digits, small letters, accents dropped, stemmed in the language; stop words go to a twin field of their
 * own, words as typed to another. What cannot be equal stands in docs/scale.md.
 */
import { LRUCache } from 'lru-cache'
import { EngineError } from '#engines/engine'
import type { Call } from './cluster.ts'
import { stopWords } from './stop-words.ts'

/** Raised with every change to what a text is split into: generations are then built again. */
export const analyserVersion = 1

/** Longer words are noise; in letters. */
const wordLettersMax = 254
/** A text is at most 256 KiB where it is read for snippets. */
export const tokensMax = 10_000_000

/** Names of Snowball's stemmers, by the names of the workspace file. */
const stemmers: Readonly<Record<string, string | undefined>> = {
  none: undefined,
  danish: 'Danish',
  dutch: 'Dutch',
  english: 'English',
  finnish: 'Finnish',
  french: 'French',
  german: 'German',
  hungarian: 'Hungarian',
  italian: 'Italian',
  norwegian: 'Norwegian',
  portuguese: 'Portuguese',
  romanian: 'Romanian',
  russian: 'Russian',
  spanish: 'Spanish',
  swedish: 'Swedish',
  turkish: 'Turkish',
}

/** What reads a text: all words but stop words, stop words alone, words as typed without and with stop words. */
export type Reading = 'words' | 'stop' | 'typed' | 'all'
export const analyserName = (language: string, reading: Reading): string => `querent-${language}-${reading}`

/** Whether the language has a list of stop words. Throws `unsupported` for one that nobody knows. */
export function hasStopWords(language: string): boolean {
  if (!Object.hasOwn(stemmers, language))
    throw new EngineError('unsupported', `the OpenSearch engine does not know the language \`${language}\``)
  return language !== 'none'
}

/** The `analysis` settings of an index with texts of these languages. */
export function analysisOf(languages: ReadonlySet<string>): object {
  const each = [...languages].map(language => definitionsOf(language))
  return {
    // A combining accent belongs to its letter and is dropped, as folding drops the accent of é.
    tokenizer: {
      querent: {
        type: 'pattern',
        pattern: String.raw`[\p{IsAlphabetic}\p{N}][\p{IsAlphabetic}\p{N}\u0300-\u036f]*`,
        group: 0,
      },
    },
    filter: Object.assign(
      {
        'querent-accents': replaced(String.raw`[\u0300-\u036f]`, ''),
        'querent-long': { type: 'length', min: 0, max: wordLettersMax },
      },
      ...each.map(({ filter }) => filter),
    ),
    analyzer: Object.assign({}, ...each.map(({ analyzer }) => analyzer)),
    normalizer: { 'querent-sort': { type: 'custom', filter: ['lowercase', 'asciifolding'] } },
  }
}

const replaced = (pattern: string, replacement: string) => ({ type: 'pattern_replace', pattern, replacement })

function definitionsOf(language: string) {
  const own = (name: string) => `querent-${language}-${name}`
  const stemmer = stemmers[language]
  const words = stopWords[language]
  // Today's letters with a comma below for the older ones with a cedilla, as stemmer and list know them.
  const letters =
    language === 'romanian' ? { [own('s')]: replaced('[șȘ]', 'ş'), [own('t')]: replaced('[țȚ]', 'ţ') } : {}
  const filter = {
    ...letters,
    [own('lowercase')]: { type: 'lowercase', ...(language === 'turkish' && { language }) },
    ...(words && {
      [own('stop')]: { type: 'stop', stopwords: words },
      [own('keep')]: { type: 'keep', keep_words: words },
    }),
    ...(stemmer && { [own('stem')]: { type: 'snowball', language: stemmer } }),
  }
  const small = ['querent-accents', ...Object.keys(letters), own('lowercase')]
  const short = ['querent-accents', ...Object.keys(letters), 'querent-long', own('lowercase')]
  const without = words ? [own('stop')] : []
  // The English stemmer knows no accents: folded first, résumé and resume become the same word. The others read endings by them.
  const folded =
    stemmer === undefined
      ? ['asciifolding']
      : language === 'english'
        ? ['asciifolding', own('stem')]
        : [own('stem'), 'asciifolding']
  const analyser = (filters: string[]) => ({ type: 'custom', tokenizer: 'querent', filter: filters })
  const named: [Reading, string[]][] = [
    ['words', [...short, ...without, ...folded]],
    ['typed', [...short, ...without, 'asciifolding']],
    ['all', [...short, 'asciifolding']],
    ...(words ? [['stop', [...small, own('keep'), 'asciifolding']] satisfies [Reading, string[]]] : []),
  ]
  const analyzer = named.map(([reading, filters]) => [analyserName(language, reading), analyser(filters)])
  return { filter, analyzer: Object.fromEntries(analyzer) as object }
}

/** One word of a text as the index knows it; `start` and `end` in UTF-16 units of the text. */
export interface Word {
  text: string
  position: number
  stop: boolean
  start: number
  end: number
}

/** Reads texts as the index of a generation does. */
export interface Analyser {
  /** The words of each text, in order; stop words marked. */
  words(language: string, texts: readonly string[]): Promise<Word[][]>
  /** The same as typed, stop words among them. */
  typed(language: string, texts: readonly string[]): Promise<Word[][]>
}

/** Words of a query come again and again: the last ones are kept. */
const keptMax = 2_000
/** A longer text is no query. */
const keptLettersMax = 1_000

export function openAnalyser(): { on: (call: Call, index: string) => Analyser } {
  const kept = new LRUCache<string, Word[][]>({ max: keptMax })
  const on = (call: Call, index: string): Analyser => {
    const read = async (language: string, reading: Reading, texts: readonly string[]) => {
      const joined = texts.map(text => text.toWellFormed()).join('\n')
      if (!/[\p{L}\p{N}]/u.test(joined)) return texts.map(() => [])
      const key = `${language} ${reading} ${JSON.stringify(texts)}`
      const known = kept.get(key)
      if (known) return known
      const body = { analyzer: analyserName(language, reading), text: joined }
      const { tokens } = (await call('POST', `/${index}/_analyze`, body)) as { tokens: Token[] }
      const found = separated(tokens, texts, reading === 'stop')
      if (joined.length <= keptLettersMax) kept.set(key, found)
      return found
    }
    return {
      async words(language, texts) {
        if (!hasStopWords(language)) return read(language, 'words', texts)
        const [words, stop] = await Promise.all([
          read(language, 'words', texts),
          read(language, 'stop', texts),
        ])
        return words.map((found, at) =>
          [...found, ...(stop[at] ?? [])].sort((left, right) => left.position - right.position),
        )
      },
      typed: (language, texts) => read(language, 'all', texts),
    }
  }
  return { on }
}

interface Token {
  token: string
  start_offset: number
  end_offset: number
  position: number
}

/** Gives each text its tokens: they were read as one, line by line, since no word goes over a line. */
function separated(tokens: readonly Token[], texts: readonly string[], stop: boolean): Word[][] {
  let next = 0
  let begins = 0
  return texts.map(text => {
    const ends = begins + text.length
    const found: Word[] = []
    for (let token = tokens[next]; token !== undefined && token.start_offset < ends; token = tokens[++next])
      found.push({
        text: token.token,
        position: token.position,
        stop,
        start: token.start_offset - begins,
        end: token.end_offset - begins,
      })
    begins = ends + 1
    return found
  })
}
