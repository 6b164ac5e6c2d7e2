/** Compiles a plan into one OpenSearch query that matches and scores its documents. */
import { boostNumberMax, EngineError, type PlanNode } from '#engines/engine'
import { boostFactor, isComputed } from './boost.ts'
import {
  type Condition,
  distanceCondition,
  distanceSource,
  type Factor,
  filterCondition,
  lookupCondition,
  matchNone,
  rangeClause,
} from './conditions.ts'
import { type CountedWords, scoreWords, wordsFilter } from './counted-words.ts'
import { exactTextClause } from './exact-text.ts'
import { anyClause, scoredClauses, unscoredClauses } from './matching.ts'
import { type Compiled, type Mix, scoreMix } from './mix.ts'
import { listNeighbours } from './proximity.ts'
import { analyzeWords, type QueryWord } from './query-words.ts'
import { relaxWords } from './relaxed-words.ts'
import type { Schema } from './schema.ts'
import type { SearchContext } from './search-context.ts'
import { findSignificantWords } from './similar.ts'
import type { Clause } from './values.ts'
import { analyzeExclusions, analyzeText, isEmptyTextQuery, type TextQuery } from './words.ts'

/** The nodes of a plan, sorted by what they contribute to the query. */
interface Parts {
  /** Clauses that filter without scoring. */
  filter: Clause[]
  mustNot: Clause[]
  texts: MatchedText[]
  factors: Factor[]
  constant: number
  mixes: Mix[]
  queryWords: QueryWord[]
  relaxed: string[]
  placed: { pinned: Map<string, number>; buried: string[] }
}

/** The documents that a match or similar node finds. */
interface MatchedText {
  filterQuery: Clause
  /** Only words and phrases affect scores, so Lucene can find the top documents without visiting all. */
  mayPrune: boolean
  score: () => Promise<Clause>
}

/** Scores of pinned documents start here; no other score comes near. */
const pinnedScore = 1e30
/** Boosts cannot raise a score above this, which keeps pinned documents first. */
const computedScoreMax = 1e29
/** Factor for the scores of buried documents. */
const buriedFactor = 1e-20

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
  const narrowing: Clause = {
    bool: {
      filter: [
        ...parts.filter,
        ...parts.texts.map(text => text.filterQuery),
        ...parts.mixes.map(mix => mix.filterQuery),
        ...context.visible,
        ...frame,
      ],
      must_not: parts.mustNot,
    },
  }
  const pinned = [...parts.placed.pinned.keys()]
  const addsScores = parts.texts.length + parts.mixes.length > 0 || parts.factors.some(isComputed)
  const base = {
    filterQuery: narrowing,
    queryWords: parts.queryWords,
    relaxed: parts.relaxed,
    pinned,
    addsScores,
    mayPrune: parts.texts.length > 0 && isWordsOnly(parts),
  }
  if (!isScored) return { ...base, scoredQuery: narrowing }
  const sums = await Promise.all([
    ...parts.texts.map(text => text.score()),
    ...parts.mixes.map(mix => scoreMix(context, mix, narrowing)),
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

const isWordsOnly = ({ texts, mixes, factors, constant, placed }: Parts): boolean =>
  mixes.length + factors.length + placed.pinned.size + placed.buried.length === 0 &&
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
      case 'range':
        parts.filter.push(rangeClause(schema, node))
        break
      case 'similar': {
        const textQuery = await findSignificantWords(context, node.id, node.fields)
        if (textQuery === undefined || isEmptyTextQuery(textQuery)) parts.filter.push(matchNone)
        else parts.texts.push(matchAnyWord(context, textQuery))
        parts.mustNot.push({ terms: { id: [node.id] } })
        break
      }
      case 'mix':
        parts.mixes.push(await compileMix(context, node))
        break
      case 'any': {
        const should = node.parts.map(part => narrowingClause(schema, part))
        if (node.not) parts.mustNot.push(...should)
        else parts.filter.push(should.length === 0 ? matchNone : { bool: { should } })
        break
      }
      case 'boost': {
        const factor = boostFactor(schema, node)
        if (factor) parts.factors.push(factor)
        break
      }
      case 'nearest':
        throw new EngineError('unsupported', 'the OpenSearch engine cannot do `nearest` yet')
    }
  }
  for (const { queryWords, relaxed } of parts.mixes) {
    parts.queryWords.push(...queryWords)
    parts.relaxed.push(...relaxed)
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
    default:
      throw new EngineError(
        'unsupported',
        `the OpenSearch engine combines filters and ranges only, not ${node.kind}`,
      )
  }
}

async function addMatch(
  context: SearchContext,
  node: Extract<PlanNode, { kind: 'match' }>,
  parts: Parts,
): Promise<void> {
  const { text, fields, pinned = [], buried = [] } = node
  for (const [place, id] of pinned.entries())
    parts.placed.pinned.set(id, Math.min(place, parts.placed.pinned.get(id) ?? place))
  parts.placed.buried.push(...buried)
  parts.mustNot.push(...unscoredClauses(await analyzeExclusions(context, text, fields)))
  if (text.words.length + text.phrases.length === 0 && text.unfinished === undefined) return
  const { queryWords, relaxed, ...matched } = await compileMatch(context, node)
  parts.texts.push(addPinned(matched, pinned))
  parts.queryWords.push(...queryWords)
  parts.relaxed.push(...relaxed)
}

type MatchNode = Extract<PlanNode, { kind: 'match' }>

/** Longer texts describe what they look for: scores alone decide their order (counted_words.rs). */
const rankedWordsMax = 6

async function compileMatch(
  context: SearchContext,
  { text, fields, typos, ranking, exact = false, matching = 'any' }: MatchNode,
): Promise<MatchedText & Pick<Compiled, 'queryWords' | 'relaxed'>> {
  if (ranking === undefined && !exact && matching === 'any') {
    const query = await analyzeText(context, text, fields)
    const queryWords = [{ typed: '', text: '', query, sources: [] }]
    return { ...matchAnyWord(context, query), queryWords, relaxed: [] }
  }
  const allWords = await analyzeWords(context, text, fields, typos)
  const { words, relaxed } =
    matching === 'relaxed' ? await relaxWords(context, allWords) : { words: allWords, relaxed: [] }
  const isRankedByWords = ranking === 'words' && allWords.length <= rankedWordsMax
  const countedWords: CountedWords = {
    words,
    needsAll: matching !== 'any',
    isRankedByWords,
    neighbours: isRankedByWords ? await listNeighbours(context, text, fields) : [],
    exact: exact ? await exactTextClause(context, text, fields, words) : undefined,
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
    if (should.length === 1 && textQuery.terms.size === 1)
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

async function compileMix(context: SearchContext, node: Extract<PlanNode, { kind: 'mix' }>): Promise<Mix> {
  // Inside a mix, pinned and buried ids have no effect.
  const withoutPlacing = (part: PlanNode): PlanNode =>
    part.kind === 'match' ? { ...part, pinned: [], buried: [] } : part
  const parts = await Promise.all(
    node.parts.map(async part => {
      const inner = withoutPlacing(part.node)
      const { filterQuery, queryWords, relaxed } = await compile(context, [inner], false)
      return {
        weight: part.weight,
        filterQuery,
        queryWords,
        relaxed,
        score: (frame: Clause) => compile(context, [inner], true, [frame]),
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

const factorSource = `${distanceSource}
  double score = _score;
  for (def factor : params.factors) {
    double best = 0;
    def values = doc[factor.column];
    if (factor.kind == 'growth') {
      double number = 0;
      for (def value : values) { number = Math.max(number, Math.min(((Number)value).doubleValue(), ${boostNumberMax}L)); }
      best = 1 + (factor.log ? Math.log10(1 + number) : number);
    } else if (factor.kind == 'age') {
      for (def value : values) {
        double age = Math.max(0.0, ((Number)factor.nowMs).doubleValue() - ((Number)value).longValue() / 1000.0);
        best = Math.max(best, 1 + Math.pow(0.5, age / ((Number)factor.halfLifeMs).doubleValue()));
      }
    } else if (factor.kind == 'proximity') {
      for (def value : values) {
        double away = metres(((Number)factor.lat).doubleValue(), ((Number)factor.lon).doubleValue(), value);
        best = Math.max(best, 1 + Math.pow(0.5, away / ((Number)factor.halfMetres).doubleValue()));
      }
    } else if (factor.kind == 'text') {
      for (def value : values) {
        def own = factor.scores[value.toString()];
        if (own != null && ((Number)own).doubleValue() > best) { best = ((Number)own).doubleValue(); }
      }
    } else {
      for (def value : values) {
        for (int at = 0; at < factor.scores.size(); at++) {
          boolean has = false;
          if (factor.kind == 'number') {
            has = ((Number)value).doubleValue() == ((Number)factor.values[at]).doubleValue();
          } else if (factor.kind == 'moments') {
            long moment = ((Number)value).longValue();
            has = moment >= Long.parseLong(factor.from[at]) && moment <= Long.parseLong(factor.to[at]);
          } else {
            def circle = factor.circles[at];
            has = metres(((Number)circle[0]).doubleValue(), ((Number)circle[1]).doubleValue(), value) <= ((Number)circle[2]).doubleValue();
          }
          double own = ((Number)factor.scores[at]).doubleValue();
          if (has && own > best) { best = own; }
        }
      }
    }
    // A boost does not change documents without a value.
    score *= best == 0 ? 1 : best;
  }
  score = Math.min(score * params.constant, ${computedScoreMax});
  if (params.placed) {
    def id = doc['id'].value;
    def first = params.pinned[id];
    if (first != null) { return ((Number)first).doubleValue(); }
    if (params.buried[id] != null) { score *= ${buriedFactor}; }
  }
  return score;`

function multiplyFactors(query: Clause, { factors, constant, placed }: Parts): Clause {
  const isPlaced = placed.pinned.size + placed.buried.length > 0
  if (factors.length === 0 && constant === 1 && !isPlaced) return query
  const last = Math.max(0, ...placed.pinned.values())
  const params = {
    factors,
    constant,
    placed: isPlaced,
    pinned: Object.fromEntries(
      [...placed.pinned].map(([id, place]) => [id, pinnedScore * (1 + last - place)]),
    ),
    buried: Object.fromEntries(placed.buried.map(id => [id, true])),
  }
  return { script_score: { query, script: { source: factorSource, params } } }
}
