/** Detects the language of texts by their stop words, by their script, or by frequent words if they have no sentences. */
import type { Language } from '@querent/contract/languages'
import stopLists from '@querent/engine/stop-words.json' with { type: 'json' }
import { frequentWords, readHeaderLanguage } from './frequent-words.ts'

const stopWords = Object.entries(stopLists as Readonly<Record<string, string>>).map(
  ([language, list]) => [language as Language, new Set(list.split(' '))] as const,
)

/** Enough to tell close languages apart. */
const wordsMax = 20_000
/** In fewer of its words, stop words say nothing: these are names. */
const stopWordShareMin = 0.12
/** Number of different stop words that must occur. Names have few, such as "de" and "la". */
const stopWordsMin = { sentences: 4, names: 10 }
/** Titles, such as "mug with a lid", have fewer different ones: enough if they are those of one language alone. */
const titleStopWordsMin = 4
/** How much more frequent they are than those of any other language. Those of names, such as "van", are in several. */
const titleLead = 3
/** In few documents, a smaller lead is enough if stop words are frequent. */
const shortList = { words: 300, stopWordShareMin: 0.25, lead: 1.7 }
/** Otherwise stop words decide that only one of both languages has. */
const ownWords = { countMin: 3, stopWordsMin: 3, lead: 3 }
/** Close languages, such as Danish and Norwegian, share most stop words: one that they don't share is enough. */
const closeShareMin = 0.75
/** Share of the texts with stop words that must have most of them in the language. */
const confidenceMin = 0.6
/** A word that makes up more of the stop words is a name or an abbreviation, such as "AG". */
const oneWordShareMax = 0.6
const scriptShareMin = 0.2
/** Names of dishes, ingredients and remarks: how many different frequent words, and which share of the words, decide without stop words. */
const frequent = { differentMin: 8, shareMin: 0.1, lead: 3, oneWordShareMax: 0.4 }
/** Enough if at least two names of fields are in the language too. They never decide alone, because many files have English ones. */
const withHeaders = { headersMin: 2, shareMin: 0.05, differentMin: 6 }
/** Number of words from which a text is a sentence. If there are many, shorter texts say nothing. */
const sentenceWords = 6
const sentencesMin = 20
const sentenceShareMin = 0.5

export interface DetectedLanguage {
  language: Language
  /** From 0 to 1: share of the texts that speak for the language. 0 if nothing tells, then the language is `general`. */
  confidence: number
}

const undecided: DetectedLanguage = { language: 'general', confidence: 0 }

/** Returns the language of most of the texts; `general` if nothing tells, or if the texts disagree. `headers`: names of the fields. */
export const detectLanguage = (
  texts: Iterable<string>,
  headers: readonly string[] = [],
): DetectedLanguage => {
  const read = readWords(texts)
  if (read.southEastAsian > scriptShareMin * read.letters) return { language: 'general', confidence: 1 }
  if (read.eastAsian > scriptShareMin * read.letters) return { language: 'cjk', confidence: 1 }
  const sentences = read.texts.filter(words => words.length >= sentenceWords)
  const isProse =
    sentences.length >= sentencesMin || countWords(sentences) > sentenceShareMin * countWords(read.texts)
  const byStopWords = isProse
    ? findLanguage(sentences, stopWordsMin.sentences)
    : findLanguage(read.texts, stopWordsMin.names)
  return byStopWords.confidence > 0 ? byStopWords : findByFrequentWords(read.texts, headers)
}

/** Finds the language of short texts. Its confidence is the share of the texts with frequent words that have them in this language. */
const findByFrequentWords = (texts: readonly string[][], headers: readonly string[]): DetectedLanguage => {
  const tallies = frequentWords
    .map(([language, list]) => ({ language, list, ...countListed(texts, list) }))
    .toSorted((one, next) => next.count - one.count)
  const [best, second] = tallies
  if (!best || best.count < frequent.lead * (second?.count ?? 0)) return undecided
  const hasHeaders =
    headers.filter(name => readHeaderLanguage(name) === best.language).length >= withHeaders.headersMin
  const { shareMin, differentMin } = hasHeaders ? withHeaders : frequent
  if (best.wordCounts.size < differentMin || best.count < shareMin * countWords(texts)) return undecided
  if (Math.max(...best.wordCounts.values()) > frequent.oneWordShareMax * best.count) return undecided
  const hasOwn = (text: readonly string[]) => text.some(word => best.list.has(word))
  const voters = texts.filter(text => tallies.some(({ list }) => text.some(word => list.has(word))))
  const confidence = Math.round((voters.filter(hasOwn).length / voters.length) * 100) / 100
  return confidence < confidenceMin ? undecided : { language: best.language, confidence }
}

const countListed = (texts: readonly string[][], list: ReadonlySet<string>) => {
  const wordCounts = new Map<string, number>()
  let count = 0
  for (const word of texts.flat())
    if (list.has(word)) {
      count += 1
      wordCounts.set(word, (wordCounts.get(word) ?? 0) + 1)
    }
  return { count, wordCounts }
}

const readWords = (texts: Iterable<string>) => {
  const read = { texts: [] as string[][], letters: 0, eastAsian: 0, southEastAsian: 0 }
  let words = 0
  for (const text of texts) {
    // Codes such as 1F60A are no words.
    const plain = text.replace(/<[^>]*>|https?:\S+|\S*\d\S*/g, ' ')
    const wordList = plain.toLowerCase().match(/[\p{L}\p{M}']+/gu) ?? []
    read.texts.push(wordList.filter(word => word.length > 1))
    read.letters += countMatches(plain, /\p{L}/gu)
    read.eastAsian += countMatches(plain, /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu)
    read.southEastAsian += countMatches(plain, /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/gu)
    words += wordList.length
    if (words >= wordsMax) break
  }
  return read
}

const countWords = (texts: readonly string[][]): number => texts.reduce((sum, { length }) => sum + length, 0)

interface Tally {
  language: Language
  list: ReadonlySet<string>
  count: number
  /** Each stop word that occurs, with its number. */
  wordCounts: Map<string, number>
}

/** Whether stop words of one language are so much more frequent than those of the next that few different ones are enough. */
const leads = (best: Tally, second: Tally, words: number): boolean => {
  if (best.count >= titleLead * second.count) return true
  if (words > shortList.words || best.count < shortList.stopWordShareMin * words) return false
  if (best.count >= shortList.lead * second.count) return true
  const bestWords = listOwnWords(best, second)
  const secondUses = countUses(listOwnWords(second, best))
  const isClose = best.wordCounts.size - bestWords.length >= closeShareMin * best.wordCounts.size
  return (
    bestWords.length >= (isClose ? 1 : ownWords.stopWordsMin) &&
    countUses(bestWords) >= Math.max(ownWords.countMin, ownWords.lead * secondUses)
  )
}

const listOwnWords = ({ wordCounts }: Tally, { list }: Tally) =>
  [...wordCounts].filter(([word]) => !list.has(word))
const countUses = (wordCounts: readonly [string, number][]): number =>
  wordCounts.reduce((sum, [, uses]) => sum + uses, 0)

const findLanguage = (texts: readonly string[][], wordsMin: number): DetectedLanguage => {
  const tallies: Tally[] = stopWords.map(([language, list]) => ({
    language,
    list,
    count: 0,
    wordCounts: new Map(),
  }))
  for (const text of texts) {
    for (const tally of tallies)
      for (const word of text)
        if (tally.list.has(word)) {
          tally.count += 1
          tally.wordCounts.set(word, (tally.wordCounts.get(word) ?? 0) + 1)
        }
  }
  const [best, second] = tallies.toSorted((one, next) => next.count - one.count)
  const words = countWords(texts)
  if (!best || best.count < stopWordShareMin * words) return undecided
  const isClear = second === undefined || leads(best, second, words)
  if (best.wordCounts.size < (isClear ? Math.min(wordsMin, titleStopWordsMin) : wordsMin)) return undecided
  if (Math.max(...best.wordCounts.values()) > oneWordShareMax * best.count) return undecided
  const confidence = countVotes(texts, best.list)
  return confidence < confidenceMin ? undecided : { language: best.language, confidence }
}

/** Returns the share of the texts with stop words in which no other language has more of them than this one. */
const countVotes = (texts: readonly string[][], list: ReadonlySet<string>): number => {
  let votes = 0
  let voters = 0
  for (const text of texts) {
    const ownCount = text.filter(word => list.has(word)).length
    const largestCount = Math.max(
      ...stopWords.map(([, other]) => text.filter(word => other.has(word)).length),
    )
    if (largestCount === 0) continue
    voters += 1
    if (ownCount === largestCount) votes += 1
  }
  return voters === 0 ? 0 : Math.round((votes / voters) * 100) / 100
}

const countMatches = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0
