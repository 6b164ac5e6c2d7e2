/** Creates snippets of hits in which matches are marked. */
import { textFunctions } from '@querent/engine'
import type { HighlightRequest } from '#engines/engine'
import { unwrapOutcome } from '#engines/outcome'
import { analyzerName } from './analysis.ts'
import type { QueryWord } from './query-words.ts'
import { readTexts, type TextField } from './schema.ts'
import type { SearchContext } from './search-context.ts'

/** Returns for each entity the snippets by field, if anything is marked there. Ignores fields that are not text. */
export async function highlightEntities(
  { schema }: SearchContext,
  queryWords: readonly QueryWord[],
  request: HighlightRequest,
  entities: readonly string[],
): Promise<Record<string, string[]>[]> {
  const highlights = entities.map((): Record<string, string[]> => ({}))
  for (const name of request.fields) {
    const field = schema.fields.get(name)
    if (field?.type !== 'text') continue
    const marked = queryWords.flatMap(word => collectMarks(word, field) ?? [])
    if (marked.length === 0) continue
    const outcome = await textFunctions().cutTextSnippets(
      analyzerName(field),
      JSON.stringify(marked),
      entities.map(entity => readTexts(field, entity)),
      request.snippets,
      request.chars,
    )
    // The format of the addon.
    const snippets = JSON.parse(unwrapOutcome(outcome).head ?? '[]') as string[][]
    for (const [index, highlight] of highlights.entries())
      if (snippets[index]?.length) highlight[name] = snippets[index]
  }
  return highlights
}

const completionRule = (typed: string) => ({
  typed,
  isCompleted: true,
  typos: 0,
  includesStopWords: false,
  contains: false,
})

/** Returns the words to mark, in the format of the addon; undefined if the word is not searched in this field. */
function collectMarks(
  { typed, text, query, sources, alternatives, formBeginnings, pairs = [] }: QueryWord,
  field: TextField,
): object | undefined {
  const queries = [query, ...alternatives.map(alternative => alternative.query)]
  const terms = queries.flatMap(part => part.terms).filter(term => term.field === field)
  const phrases = queries.flatMap(part => part.phrases).filter(phrase => phrase.field === field)
  const fieldSources = sources.filter(source => source.field === field)
  const beginnings = formBeginnings.filter(beginning => beginning.field === field)
  if (terms.length + phrases.length + fieldSources.length + beginnings.length === 0) return undefined
  return {
    isSingle: typed !== '',
    words: terms.filter(({ stop, form = false }) => !stop && !form).map(term => term.text),
    forms: terms.filter(({ form = false }) => form).map(term => term.text),
    formBeginnings: beginnings.filter(({ isTyped }) => !isTyped).map(beginning => beginning.text),
    stopWords: terms.filter(({ stop }) => stop).map(term => term.text),
    phrases: phrases.map(({ words, stop }) => ({
      words: words.map(word => [word.position - (words[0]?.position ?? 0), word.text, word.stop ?? stop]),
    })),
    variantRules: [
      ...fieldSources.map(({ isCompleted, typos, includesStopWords, contains }) => ({
        typed: text,
        isCompleted,
        typos,
        includesStopWords,
        contains,
      })),
      ...pairs
        .filter(pair => pair.field === field)
        .map(({ words, typos }) => ({
          ...completionRule(words.join('')),
          isCompleted: false,
          typos,
        })),
      ...beginnings.filter(({ isTyped }) => isTyped).map(beginning => completionRule(beginning.text)),
    ],
  }
}
