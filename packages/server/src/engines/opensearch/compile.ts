/** Compiles a plan into one OpenSearch query that matches and scores its documents. */
import { EngineError, type PlanNode } from '#engines/engine'
import { areaClause } from './area.ts'
import { boostFactor, isComputed } from './boost.ts'
import {
  type Condition,
  distanceCondition,
  type Factor,
  filterCondition,
  lookupCondition,
  matchNone,
  presenceClause,
  rangeClause,
} from './conditions.ts'
import {
  beginningClause,
  type CountedWords,
  exactTextClause,
  scoreWords,
  wordsFilter,
} from './counted-words.ts'
import { multiplyFactors, type Placed } from './factors.ts'
import { addLookups } from './lookups.ts'
import { anyClause, scoredClauses, unscoredClauses } from './matching.ts'
import { type Compiled, type Mix, scoreByIds, scoreMix } from './mix.ts'
import { findNearest, type NearestRequest, readNearest, readSimilar } from './nearest.ts'
import { compileWords, type MatchWords, type QueryWord } from './query-words.ts'
import { rankingRules } from './ranking-rules.ts'
import { dropOptionalWord, relaxWords } from './relaxed-words.ts'
import { findTextField, type Schema } from './schema.ts'
import type { SearchContext } from './search-context.ts'
import { findSignificantWords } from './similar.ts'
import { togetherClause } from './together.ts'
import type { Clause } from './values.ts'
import { isEmptyTextQuery, type TextQuery } from './words.ts'

/** The nodes of a plan, sorted by what they contribute to the query. */
interface Parts {
  /** Clauses that filter without scoring. */
  filter: Clause[]
  mustNot: Clause[]
  texts: MatchedText[]
  factors: Factor[]
  constant: number
  nearest: NearestRequest[]
  mixes: MixNode[]
  queryWords: QueryWord[]
  relaxed: string[]
  placed: Placed
}

type MatchNode = Extract<PlanNode, { kind: 'match' }>
type SimilarNode = Extract<PlanNode, { kind: 'similar' }>
type MixNode = Extract<PlanNode, { kind: 'mix' }>

/** The documents that a match or similar node finds. */
interface MatchedText {
  filterQuery: Clause
  /** Only words and phrases affect scores, so Lucene can find the top documents without visiting all. */
  mayPrune: boolean
  score: () => Promise<Clause>
}

/**
 * Compiles nodes for the visible documents of the context. If `isScored` is false, no statistics are requested and documents get no
 * scores. `frame` holds further conditions on the documents, which the ranks of mixes need.
 */
export async function compile(
  context: SearchContext,
  nodes: readonly PlanNode[],
  isScored: boolean,
  frame: readonly Clause[] = [],
): Promise<Compiled> {
  const parts = await readNodes(context, nodes)
  const conditions = [
    ...parts.filter,
    ...parts.texts.map(text => text.filterQuery),
    ...context.visible,
    ...frame,
  ]
  // Nearest documents are chosen among those that satisfy the rest of the plan, apart from mixes and other nearest nodes.
  const candidates: Clause = { bool: { filter: conditions, must_not: parts.mustNot } }
  const [nearest, mixes] = await Promise.all([
    Promise.all(parts.nearest.map(request => findNearest(context, request, candidates))),
    Promise.all(parts.mixes.map(node => compileMix(context, node, candidates))),
  ])
  const narrowing: Clause = {
    bool: {
      filter: [
        ...conditions,
        ...nearest.map(scores => ({ terms: { id: [...scores.keys()] } })),
        ...mixes.map(mix => mix.filterQuery),
      ],
      must_not: parts.mustNot,
    },
  }
  const pinned = [...parts.placed.pinned.keys()]
  const addsScores = parts.texts.length + nearest.length + mixes.length > 0 || parts.factors.some(isComputed)
  const base = {
    filterQuery: narrowing,
    queryWords: [...parts.queryWords, ...mixes.flatMap(mix => mix.queryWords)],
    relaxed: [...parts.relaxed, ...mixes.flatMap(mix => mix.relaxed)],
    pinned,
    addsScores,
    mayPrune: parts.texts.length > 0 && isWordsOnly(parts),
  }
  if (!isScored) return { ...base, scoredQuery: narrowing }
  const sums = await Promise.all([
    ...parts.texts.map(text => text.score()),
    ...nearest.map(scoreByIds),
    ...mixes.map(mix => scoreMix(context, mix, narrowing)),
  ])
  return {
    ...base,
    scoredQuery: multiplyFactors(sumScores(sums, narrowing, parts, [...context.visible, ...frame]), parts),
  }
}

/** The clauses of texts and mixes are not repeated as filters, because Lucene would then visit all of their documents. */
function sumScores(
  sums: readonly Clause[],
  narrowing: Clause,
  { filter, mustNot }: Parts,
  visible: readonly Clause[],
): Clause {
  const [first, ...remaining] = sums
  if (first === undefined) return { constant_score: { filter: narrowing, boost: 1 } }
  const must = [first, ...remaining.map(wrapScore)]
  return { bool: { must, filter: [...filter, ...visible], must_not: mustNot } }
}

/** Prevents Lucene from merging clauses for the same word: it would sum their boosts, which our similarity cannot read. */
const wrapScore = (query: Clause, copy: number): Clause => ({
  script_score: { query, script: { source: 'return _score;', params: { copy } } },
})

const isWordsOnly = ({ texts, nearest, mixes, factors, constant, placed }: Parts): boolean =>
  nearest.length + mixes.length + factors.length + placed.pinned.size + placed.buried.length === 0 &&
  constant === 1 &&
  texts.every(text => text.mayPrune)

/** A second clause with a negligible score. Next to a single `dis_max` it enables pruning, which Lucene does for several clauses only. */
const withoutScore = (filter: Clause): Clause => ({ constant_score: { filter, boost: 1e-30 } })

async function readNodes(context: SearchContext, nodes: readonly PlanNode[]): Promise<Parts> {
  const parts: Parts = {
    filter: [],
    mustNot: [],
    texts: [],
    factors: [],
    constant: 1,
    nearest: [],
    mixes: [],
    queryWords: [],
    relaxed: [],
    placed: { pinned: new Map(), buried: [] },
  }
  const { schema } = context
  const add = ({ clause, factor, constant }: Condition) => {
    parts.filter.push(clause)
    parts.constant *= constant
    if (factor) parts.factors.push(factor)
  }
  for (const node of nodes) {
    switch (node.kind) {
      case 'all':
        break
      case 'match':
        await addMatch(context, node, parts)
        break
      case 'filter':
        add(filterCondition(schema, node.field, node.alternatives))
        break
      case 'lookup':
        add(lookupCondition(node.alternatives))
        break
      case 'distance':
        add(distanceCondition(schema, node.field, node.alternatives))
        break
      case 'area':
        parts.filter.push(areaClause(schema, node))
        break
      case 'range':
        parts.filter.push(rangeClause(schema, node))
        break
      case 'present':
        parts.filter.push(presenceClause(schema, node))
        break
      case 'similar':
        await addSimilar(context, node, parts)
        break
      case 'nearest':
        parts.nearest.push(readNearest(schema, node))
        break
      case 'mix':
        parts.mixes.push(node)
        break
      case 'any': {
        const should = node.parts.map(part => narrowingClause(schema, part))
        if (node.not) parts.mustNot.push(...should)
        else parts.filter.push(anyClause(should))
        break
      }
      case 'together':
        parts.filter.push(togetherClause(schema, node, narrowingClause))
        break
      case 'boost': {
        const factor = boostFactor(schema, node)
        if (factor) parts.factors.push(factor)
        break
      }
    }
  }
  // A canonical order makes the product of factors independent of the order of the nodes.
  parts.factors.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  return parts
}

/** Returns the clause of a part of an `any` node. */
function narrowingClause(schema: Schema, node: PlanNode): Clause {
  switch (node.kind) {
    case 'filter':
      return filterCondition(schema, node.field, node.alternatives).clause
    case 'lookup':
      return lookupCondition(node.alternatives).clause
    case 'distance':
      return distanceCondition(schema, node.field, node.alternatives).clause
    case 'range':
      return rangeClause(schema, node)
    case 'present':
      return presenceClause(schema, node)
    case 'area':
      return areaClause(schema, node)
    case 'any': {
      const parts = node.parts.map(part => narrowingClause(schema, part))
      return node.not ? { bool: { must_not: parts } } : anyClause(parts)
    }
    case 'together':
      return togetherClause(schema, node, narrowingClause)
    default:
      throw new EngineError(
        'unsupported',
        `the OpenSearch engine combines filters and ranges only, not ${node.kind}`,
      )
  }
}

async function addMatch(context: SearchContext, node: MatchNode, parts: Parts): Promise<void> {
  const { text, pinned = [], buried = [] } = node
  for (const [place, id] of pinned.entries())
    parts.placed.pinned.set(id, Math.min(place, parts.placed.pinned.get(id) ?? place))
  parts.placed.buried.push(...buried)
  const matchWords = await addLookups(context, compileWords(context.schema, node, countsWords(node)))
  parts.mustNot.push(...unscoredClauses(matchWords.excluded))
  if (text.words.length + text.phrases.length === 0 && text.unfinished === undefined) return
  const { queryWords, relaxed, ...matched } = await compileMatch(context, node, matchWords)
  parts.texts.push(addPinned(matched, pinned))
  parts.queryWords.push(...queryWords)
  parts.relaxed.push(...relaxed)
}

async function addSimilar(context: SearchContext, node: SimilarNode, parts: Parts): Promise<void> {
  const { id, fields } = node
  parts.mustNot.push({ terms: { id: [id] } })
  const vectorField = findSimilarVector(context, node)
  if (vectorField) {
    const request = await readSimilar(context, id, vectorField)
    if (request) parts.nearest.push(request)
    else parts.filter.push(matchNone)
    return
  }
  const textQuery = await findSignificantWords(context, id, fields)
  if (textQuery === undefined || isEmptyTextQuery(textQuery)) parts.filter.push(matchNone)
  else parts.texts.push(matchAnyWord(context, textQuery))
}

/** Returns the vector field that decides which documents are similar, if the node names one. */
const findSimilarVector = ({ schema }: SearchContext, { fields }: SimilarNode) => {
  const field = fields.find(({ name }) => schema.vectors.has(name))
  return field && schema.vectors.get(field.name)
}

/** Whether documents are matched or ranked word by word. */
const countsWords = ({ ranking, exact = false, matching = 'any' }: MatchNode): boolean =>
  ranking !== undefined || exact || matching !== 'any'

const emptyWord = {
  typed: '',
  text: '',
  isOptional: false,
  alternatives: [],
  sources: [],
  formBeginnings: [],
  lookups: { compounds: [], joined: [], pairs: [] },
}

async function compileMatch(
  context: SearchContext,
  node: MatchNode,
  { query, words: allWords, neighbours, asTyped, beginning, exact: wholeTexts }: MatchWords,
): Promise<MatchedText & Pick<Compiled, 'queryWords' | 'relaxed'>> {
  const { fields, ranking, exact = false, matching = 'any', boosts = [] } = node
  if (!countsWords(node)) {
    const queryWords = [{ ...emptyWord, query }]
    return { ...matchAnyWord(context, query), queryWords, relaxed: [] }
  }
  const remaining = matching === 'any' ? allWords : await dropOptionalWord(context, allWords)
  const { words, relaxed } =
    matching === 'relaxed' ? await relaxWords(context, remaining) : { words: remaining, relaxed: [] }
  const textFields = fields.map(({ name }) => findTextField(context.schema, name))
  const isRankedByWords = ranking === 'words' && allWords.length <= rankingRules.rankedWordsMax
  const countedWords: CountedWords = {
    words,
    needsAll: matching !== 'any',
    isRankedByWords,
    neighbours: isRankedByWords ? neighbours : [],
    asTyped: isRankedByWords ? asTyped : [],
    beginning: isRankedByWords && beginning !== '' ? beginningClause(textFields, beginning) : undefined,
    exact:
      exact && wholeTexts
        ? exactTextClause(
            textFields.map((field, index) => ({ field, words: wholeTexts[index] ?? [] })),
            words,
          )
        : undefined,
    boosts: boosts.flatMap(boost => boostFactor(context.schema, boost) ?? []),
  }
  const isEmpty = words.length === 0
  return {
    filterQuery: wordsFilter(words, countedWords.needsAll),
    mayPrune: false,
    score: async () => (isEmpty ? matchNone : scoreWords(context, countedWords)),
    queryWords: [...words],
    relaxed,
  }
}

/** Matches documents with any word or phrase of the query, and scores them by BM25. */
const matchAnyWord = (context: SearchContext, textQuery: TextQuery): MatchedText => ({
  filterQuery: anyClause(unscoredClauses(textQuery)),
  mayPrune: true,
  async score() {
    const should = (await scoredClauses(context, textQuery)).map(({ clause }) => clause)
    if (should.length === 1 && textQuery.terms.length === 1)
      should.push(...unscoredClauses(textQuery).map(withoutScore))
    return anyClause(should)
  },
})

/** Matches pinned documents whatever their words, without adding to their scores. */
function addPinned(matched: MatchedText, pinned: readonly string[]): MatchedText {
  if (pinned.length === 0) return matched
  const pinnedClause = { terms: { id: pinned } }
  return {
    filterQuery: anyClause([matched.filterQuery, pinnedClause]),
    mayPrune: false,
    score: async () => anyClause([await matched.score(), withoutScore(pinnedClause)]),
  }
}

/** `candidates` matches the documents that satisfy the rest of the plan: nearest documents are chosen among them. */
async function compileMix(context: SearchContext, node: MixNode, candidates: Clause): Promise<Mix> {
  // Inside a mix, pinned and buried ids have no effect.
  const withoutPlacing = (part: PlanNode): PlanNode =>
    part.kind === 'match' ? { ...part, pinned: [], buried: [] } : part
  const parts = await Promise.all(
    node.parts.map(async part => {
      const inner = withoutPlacing(part.node)
      const { weight, boosts = [] } = part
      const nodes = [inner, ...boosts]
      if (inner.kind === 'nearest' || (inner.kind === 'similar' && findSimilarVector(context, inner))) {
        const compiled = await compile(context, nodes, true, [candidates])
        const score = async (frame: Clause) => withFrame(compiled, frame)
        return { weight, filterQuery: compiled.filterQuery, queryWords: [], relaxed: [], score }
      }
      const { filterQuery, queryWords, relaxed } = await compile(context, nodes, false)
      return {
        weight,
        filterQuery,
        queryWords,
        relaxed,
        score: (frame: Clause) => compile(context, nodes, true, [frame]),
      }
    }),
  )
  return {
    by: node.by,
    parts,
    filterQuery:
      parts.length === 0 ? matchNone : { bool: { should: parts.map(({ filterQuery }) => filterQuery) } },
    queryWords: parts.flatMap(part => part.queryWords),
    relaxed: parts.flatMap(part => part.relaxed),
  }
}

/** Keeps the scores of the documents in the frame. */
const withFrame = (compiled: Compiled, frame: Clause): Compiled => ({
  ...compiled,
  scoredQuery: { bool: { must: [compiled.scoredQuery], filter: [frame] } },
})
