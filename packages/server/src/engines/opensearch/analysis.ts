/**
 * Text analysis by the addon, which the embedded engine uses too: documents and queries have the same words with both. OpenSearch only
 * splits the words at spaces.
 */
import { textFunctions } from '@querent/engine'
import { unwrapOutcome, withEngineErrors } from '#engines/outcome'

/** A new version means that words may differ: generations are then rebuilt. */
export const analyzerVersion = (): number => textFunctions().analyzerVersion()

/** The name of a field's analyzer in the addon. */
export const analyzerName = ({ language, codes }: { language: string; codes?: true }): string =>
  codes ? `${language}+codes` : language

/** The analyzer of columns of words. */
export const wordsAnalyzer = 'querent'
/** Stands for a position without a word. */
const gap = '_'

/** The `analysis` settings of an index. */
export const analysisSettings = {
  // More than the longest word.
  tokenizer: { 'querent-words': { type: 'whitespace', max_token_length: 10_000 } },
  filter: { 'querent-gaps': { type: 'stop', stopwords: [gap] } },
  analyzer: { [wordsAnalyzer]: { type: 'custom', tokenizer: 'querent-words', filter: ['querent-gaps'] } },
}

/** One word of a text as indexed. */
export interface Word {
  text: string
  position: number
  stop: boolean
}

/** Reports whether the language has stop words. Throws `unsupported` for an unknown language. */
export const hasStopWords = (language: string): boolean =>
  withEngineErrors(() => textFunctions().hasStopWords(language))

/** Reports whether words of the language may be compounds. */
export const hasCompounds = (language: string): boolean =>
  withEngineErrors(() => textFunctions().hasCompounds(language))

/** Returns the words of each short text in order, with stop words flagged. */
export const indexedWords = (language: string, texts: readonly string[]): Word[][] =>
  analyze(language, texts, false)

/** Returns the words of each short text as typed, including stop words. */
export const typedWords = (language: string, texts: readonly string[]): Word[][] =>
  analyze(language, texts, true)

function analyze(language: string, texts: readonly string[], isTyped: boolean): Word[][] {
  const json = withEngineErrors(() => textFunctions().analyzeTexts(language, texts, isTyped))
  // The format of the addon.
  const words = JSON.parse(json) as [text: string, position: number, stop: boolean][][]
  return words.map(list => list.map(([text, position, stop]) => ({ text, position, stop })))
}

/** Writes words in the form that `wordsAnalyzer` reads, with a gap for each position between them. */
export function joinWords(words: readonly Pick<Word, 'text' | 'position'>[]): string {
  let next = words[0]?.position ?? 0
  return words
    .flatMap(({ text, position }) => {
      const gaps = Array.from({ length: position - next }, () => gap)
      next = position + 1
      return [...gaps, text]
    })
    .join(' ')
}

/** Returns sort keys of texts: by code point, they sort as the texts should. */
export const sortTexts = (texts: readonly string[]): string[] => textFunctions().sortTexts(texts)

/** The texts of a field as columns of an index, in the form that `wordsAnalyzer` reads. */
export interface TextColumns {
  words: string
  stopWords: string
  /** Each word as typed, once, apart from stop words. */
  typed: string
  /** Further forms of words, each once. */
  forms: string
  /** Numbers of words. */
  length: number
  stopLength: number
  /** Documents are sorted by these, one for each text. */
  sort: string[]
  /** The words as typed of a single short text. */
  whole?: string
}

/** Analyzes the texts of fields, on another thread. `isTyped` is whether a field is completed and corrected. */
export async function readTextColumns(
  fields: readonly { language: string; codes?: true; isTyped: boolean; texts: readonly string[] }[],
): Promise<TextColumns[]> {
  if (fields.length === 0) return []
  const outcome = await textFunctions().textColumns(
    fields.map(analyzerName),
    fields.map(({ isTyped }) => isTyped),
    fields.map(({ texts }) => texts),
  )
  // The format of the addon.
  return JSON.parse(unwrapOutcome(outcome).head ?? '[]') as TextColumns[]
}
