/**
 * Defines the text analysis in OpenSearch so that it gives the same words as the embedded engine (packages/engine/src/analysis.rs). It
 * splits texts into runs of letters and digits, lowercases them, drops accents and stems them. Stop words go to a subfield of their own,
 * words as typed to another. docs/scale.md lists the differences.
 */
import { setTimeout } from 'node:timers/promises'
import stopLists from '@querent/engine/stop-words.json' with { type: 'json' }
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { EngineError } from '#engines/engine'
import type { Call } from './cluster.ts'
import { foldWord, makeFoldMappings, makePairPattern, type PairedScripts } from './fold-characters.ts'

/** Raise it with every change of the resulting words: generations are then rebuilt. */
export const analyzerVersion = 2

/** Longer words are dropped as noise. */
const wordCharactersMax = 254
/** High enough for the texts of a request for snippets, at most 256 KiB per document and field. */
export const tokensMax = 10_000_000

interface LanguageRules {
  /** The Snowball stemmer. */
  stemmer?: string
  /** Whether accents of any script are dropped before all else. */
  folds?: boolean
  pairs?: PairedScripts
}

/** By the language names of the workspace file. */
const languageRules: Readonly<Record<string, LanguageRules>> = {
  none: {},
  arabic: { stemmer: 'Arabic', folds: true },
  armenian: { stemmer: 'Armenian', folds: true },
  basque: { stemmer: 'Basque' },
  catalan: { stemmer: 'Catalan' },
  cjk: { folds: true, pairs: 'east-asian' },
  danish: { stemmer: 'Danish' },
  dutch: { stemmer: 'Dutch' },
  english: { stemmer: 'English' },
  estonian: { stemmer: 'Estonian' },
  finnish: { stemmer: 'Finnish' },
  french: { stemmer: 'French' },
  general: { folds: true, pairs: 'all' },
  german: { stemmer: 'German' },
  greek: { stemmer: 'Greek', folds: true },
  hindi: { stemmer: 'Hindi', folds: true },
  hungarian: { stemmer: 'Hungarian' },
  indonesian: { stemmer: 'Indonesian' },
  irish: { stemmer: 'Irish' },
  italian: { stemmer: 'Italian' },
  lithuanian: { stemmer: 'Lithuanian' },
  norwegian: { stemmer: 'Norwegian' },
  portuguese: { stemmer: 'Portuguese' },
  romanian: { stemmer: 'Romanian' },
  russian: { stemmer: 'Russian' },
  spanish: { stemmer: 'Spanish' },
  swedish: { stemmer: 'Swedish' },
  turkish: { stemmer: 'Turkish' },
}

const stopWordsFor = (language: string): string[] | undefined => {
  const words = (stopLists as Readonly<Record<string, string>>)[language]?.split(' ')
  return languageRules[language]?.folds ? words?.map(foldWord) : words
}

/** The words that an analyzer returns: words except stop words, stop words only, words as typed without and with stop words. */
export type TokenSet = 'words' | 'stop' | 'typed' | 'all'
export const analyzerName = (language: string, reading: TokenSet): string => `querent-${language}-${reading}`

/** Reports whether the language has stop words. Throws `unsupported` for an unknown language. */
export function hasStopWords(language: string): boolean {
  if (!Object.hasOwn(languageRules, language))
    throw new EngineError('unsupported', `the OpenSearch engine does not know the language \`${language}\``)
  return Object.hasOwn(stopLists, language)
}

/** Returns the `analysis` settings of an index with texts of these languages. */
export function buildAnalysis(languages: ReadonlySet<string>): object {
  const definitions = [...languages].map(language => defineLanguage(language))
  return {
    // A combining accent belongs to its letter. A filter drops it, like folding drops the accent of é.
    tokenizer: Object.assign(
      {
        querent: {
          type: 'pattern',
          pattern: String.raw`[\p{IsAlphabetic}\p{N}][\p{IsAlphabetic}\p{N}\u0300-\u036f]*`,
          group: 0,
        },
      },
      ...definitions.map(({ tokenizer }) => tokenizer),
    ),
    ...(definitions.some(({ folds }) => folds) && {
      char_filter: { 'querent-fold': { type: 'mapping', mappings: makeFoldMappings() } },
    }),
    filter: Object.assign(
      {
        'querent-accents': patternReplace(String.raw`[\u0300-\u036f]`, ''),
        'querent-long': { type: 'length', min: 0, max: wordCharactersMax },
      },
      ...definitions.map(({ filter }) => filter),
    ),
    analyzer: Object.assign({}, ...definitions.map(({ analyzer }) => analyzer)),
    normalizer: { 'querent-sort': { type: 'custom', filter: ['lowercase', 'asciifolding'] } },
  }
}

const patternReplace = (pattern: string, replacement: string) => ({
  type: 'pattern_replace',
  pattern,
  replacement,
})

function defineLanguage(language: string) {
  const ownName = (name: string) => `querent-${language}-${name}`
  const { stemmer, folds = false, pairs } = languageRules[language] ?? {}
  const words = stopWordsFor(language)
  // Replaces modern letters with a comma below by older ones with a cedilla, which the stemmer and the stop words use.
  const letters =
    language === 'romanian'
      ? { [ownName('s')]: patternReplace('[șȘ]', 'ş'), [ownName('t')]: patternReplace('[țȚ]', 'ţ') }
      : {}
  const filter = {
    ...letters,
    [ownName('lowercase')]: { type: 'lowercase', ...(language === 'turkish' && { language }) },
    ...(words && {
      [ownName('stop')]: { type: 'stop', stopwords: words },
      [ownName('keep')]: { type: 'keep', keep_words: words },
    }),
    ...(stemmer && { [ownName('stem')]: { type: 'snowball', language: stemmer } }),
  }
  const small = ['querent-accents', ...Object.keys(letters), ownName('lowercase')]
  const short = ['querent-accents', ...Object.keys(letters), 'querent-long', ownName('lowercase')]
  const removeStopWords = words ? [ownName('stop')] : []
  // The English stemmer ignores accents, so folding first makes résumé and resume equal. The other stemmers need the accents.
  const folded =
    stemmer === undefined
      ? ['asciifolding']
      : language === 'english'
        ? ['asciifolding', ownName('stem')]
        : [ownName('stem'), 'asciifolding']
  const tokenizer = pairs && {
    [ownName('pairs')]: { type: 'pattern', pattern: makePairPattern(pairs), group: 1 },
  }
  const customAnalyzer = (filters: string[]) => ({
    type: 'custom',
    tokenizer: pairs ? ownName('pairs') : 'querent',
    filter: filters,
    ...(folds && { char_filter: ['querent-fold'] }),
  })
  const chains: [TokenSet, string[]][] = [
    ['words', [...short, ...removeStopWords, ...folded]],
    ['typed', [...short, ...removeStopWords, 'asciifolding']],
    ['all', [...short, 'asciifolding']],
    ...(words ? [['stop', [...small, ownName('keep'), 'asciifolding']] satisfies [TokenSet, string[]]] : []),
  ]
  const analyzer = chains.map(([reading, filters]) => [
    analyzerName(language, reading),
    customAnalyzer(filters),
  ])
  return { folds, tokenizer, filter, analyzer: Object.fromEntries(analyzer) as object }
}

/** One word of a text as indexed; `start` and `end` are UTF-16 positions in the text. */
export interface Word {
  text: string
  position: number
  stop: boolean
  start: number
  end: number
}

/** Analyzes texts like the index of a generation does. */
export interface Analyzer {
  /** Returns the words of each text in order, with stop words flagged. */
  words(language: string, texts: readonly string[]): Promise<Word[][]>
  /** Returns the words as typed, including stop words. */
  typed(language: string, texts: readonly string[]): Promise<Word[][]>
}

/** Number of cached texts, because queries repeat. */
const cachedTextsMax = 2_000
/** Longer texts are not queries and are not cached. */
const cachedCharactersMax = 1_000

/**
 * A node of OpenSearch analyzes one text at a time. It keeps 16 waiting, and rejects more with 429:
 * https://docs.opensearch.org/latest/install-and-configure/configuring-opensearch/thread-pool-settings/
 */
const analysesAtOnce = 6
const attemptsMax = 6
const firstRetryMs = 20

/** Repeats a call that OpenSearch rejects as overloaded: other nodes of Querent send texts too. */
const retryOverloaded = async (call: () => Promise<unknown>): Promise<unknown> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await call()
    } catch (error) {
      const isOverloaded = error instanceof EngineError && error.code === 'overloaded'
      if (!isOverloaded || attempt === attemptsMax) throw error
      await setTimeout(firstRetryMs * 2 ** (attempt - 1))
    }
}

export function createAnalyzers(): { createAnalyzer: (call: Call, index: string) => Analyzer } {
  const cache = new LRUCache<string, Word[][]>({ max: cachedTextsMax })
  const limit = pLimit(analysesAtOnce)
  const createAnalyzer = (call: Call, index: string): Analyzer => {
    const read = async (language: string, reading: TokenSet, texts: readonly string[]) => {
      const joined = texts.map(text => text.toWellFormed()).join('\n')
      if (!/[\p{L}\p{N}]/u.test(joined)) return texts.map(() => [])
      const key = `${language} ${reading} ${JSON.stringify(texts)}`
      const cached = cache.get(key)
      if (cached) return cached
      const body = { analyzer: analyzerName(language, reading), text: joined }
      return limit(async () => {
        // Another query may have asked for the same text meanwhile.
        const cachedMeanwhile = cache.get(key)
        if (cachedMeanwhile) return cachedMeanwhile
        const { tokens } = (await retryOverloaded(() => call('POST', `/${index}/_analyze`, body))) as {
          tokens: Token[]
        }
        const words = splitByText(tokens, texts, reading === 'stop')
        if (joined.length <= cachedCharactersMax) cache.set(key, words)
        return words
      })
    }
    return {
      async words(language, texts) {
        if (!hasStopWords(language)) return read(language, 'words', texts)
        const [words, stop] = await Promise.all([
          read(language, 'words', texts),
          read(language, 'stop', texts),
        ])
        return words.map((textWords, index) =>
          [...textWords, ...(stop[index] ?? [])].sort((a, b) => a.position - b.position),
        )
      },
      typed: (language, texts) => read(language, 'all', texts),
    }
  }
  return { createAnalyzer }
}

interface Token {
  token: string
  start_offset: number
  end_offset: number
  position: number
}

/** Assigns tokens to their texts, which were analyzed as one text with a line each: no word spans two lines. */
function splitByText(tokens: readonly Token[], texts: readonly string[], stop: boolean): Word[][] {
  let next = 0
  let textStart = 0
  return texts.map(text => {
    const textEnd = textStart + text.length
    const words: Word[] = []
    for (
      let token = tokens[next];
      token !== undefined && token.start_offset < textEnd;
      token = tokens[++next]
    )
      words.push({
        text: token.token,
        position: token.position,
        stop,
        start: token.start_offset - textStart,
        end: token.end_offset - textStart,
      })
    textStart = textEnd + 1
    return words
  })
}
