/** Finds similar words for the words of a text that no visible document has. */
import { textFunctions } from '@querent/engine'
import type { PlanNode, Reply } from '#engines/engine'
import { unwrapOutcome } from '#engines/outcome'
import { analyzerName, indexedWords, typedWords, type Word } from './analysis.ts'
import { fuzzyClauses } from './fuzzy.ts'
import { anyClause, termClause } from './matching.ts'
import { rankingRules } from './ranking-rules.ts'
import { column, findTextField, readTexts, type TextField } from './schema.ts'
import { countMatches, type SearchContext } from './search-context.ts'

type MatchNode = Extract<PlanNode, { kind: 'match' }>
type Correction = NonNullable<Reply['corrections']>[number]

const { correctedWordsMax, alternativesMax } = rankingRules
/** The documents whose words are compared, for each number of typos. */
const documentsMax = 100

/** Returns the words of all matches that no visible document has, if there are similar words. */
export async function findCorrections(
  context: SearchContext,
  nodes: readonly PlanNode[],
): Promise<Correction[]> {
  const matches = nodes.flatMap(node => (node.kind === 'mix' ? node.parts.map(part => part.node) : [node]))
  const corrections = new Map<string, Correction>()
  for (const match of matches)
    if (match.kind === 'match')
      for (const correction of await correctText(context, match))
        if (!corrections.has(correction.word)) corrections.set(correction.word, correction)
  return [...corrections.values()]
}

/** A word of the text in one field. */
interface FieldWord {
  field: TextField
  words: Word[]
  asTyped: Word[]
}

async function correctText(context: SearchContext, { text, fields }: MatchNode): Promise<Correction[]> {
  const unfinished = text.unfinished === undefined ? [] : [text.unfinished]
  const typed = [...new Set([...text.words, ...unfinished])].slice(0, correctedWordsMax)
  const byField = fields.map(({ name }) => {
    const field = findTextField(context.schema, name)
    return { field, words: indexedWords(field.language, typed), asTyped: typedWords(field.language, typed) }
  })
  const corrections: Correction[] = []
  for (const [index, word] of typed.entries()) {
    const fieldWords = byField.map(({ field, words, asTyped }) => ({
      field,
      words: words[index] ?? [],
      asTyped: asTyped[index] ?? [],
    }))
    const alternatives = await findAlternatives(context, fieldWords)
    if (alternatives.length > 0) corrections.push({ word, alternatives })
  }
  return corrections
}

/** Returns similar words; none if some visible document has the word. */
async function findAlternatives(context: SearchContext, fieldWords: readonly FieldWord[]): Promise<string[]> {
  const terms = fieldWords.flatMap(({ field, words }) =>
    words.map(({ text, stop }) => termClause({ field, text, stop })),
  )
  if ((await countMatches(context, terms)).some(count => count > 0)) return []
  const candidates = await Promise.all(fieldWords.map(fieldWord => similarWords(context, fieldWord)))
  const sorted = candidates
    .flat()
    .toSorted((a, b) => a.typos - b.typos || b.frequency - a.frequency || (a.text < b.text ? -1 : 1))
  return [...new Set(sorted.map(({ text }) => text))].slice(0, alternativesMax)
}

interface Candidate {
  /** As it stands in a document, lowercase and without accents. */
  text: string
  typos: number
  frequency: number
}

/** In the format of the addon. `compared` is the word as typed or as indexed. */
interface SimilarForm {
  compared: string
  text: string
  typos: number
}

/** Compares words as typed in fields that have them, else words as indexed. */
export async function similarWords(
  context: SearchContext,
  { field, words, asTyped }: FieldWord,
): Promise<Candidate[]> {
  const [word, ...moreWords] = field.prefix ? asTyped : words
  if (word === undefined || moreWords.length > 0 || words.length !== 1 || asTyped.length !== 1) return []
  const name = field.prefix ? column.typed(field) : field.column
  const typoCounts = Array.from(
    { length: textFunctions().correctionTypos(word.text) },
    (_, index) => index + 1,
  )
  const replies = await context.search(
    typoCounts.map(count => ({
      size: documentsMax,
      track_total_hits: false,
      _source: ['entity'],
      sort: [{ id: 'asc' }],
      query: { bool: { filter: [anyClause(fuzzyClauses(name, word.text, count)), ...context.visible] } },
    })),
  )
  const entities = replies.flatMap(reply => reply.hits.hits.map(hit => hit._source?.entity ?? ''))
  const texts = [...new Set(entities)].flatMap(entity => readTexts(field, entity))
  const outcome = await textFunctions().findSimilarForms(analyzerName(field), word.text, field.prefix, texts)
  // The format of the addon.
  const forms = JSON.parse(unwrapOutcome(outcome).head ?? '[]') as SimilarForm[]
  const frequencies = await countMatches(
    context,
    forms.map(({ compared }) => ({ term: { [name]: { value: compared } } })),
  )
  return forms.map((form, index) => ({ ...form, frequency: frequencies[index] ?? 0 }))
}
