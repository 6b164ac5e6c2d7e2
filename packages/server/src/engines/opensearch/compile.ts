/** A plan → one clause of OpenSearch's query language that finds and scores what the plan asks for. */
import { EngineError, type PlanNode } from '#engines/engine'
import {
  type Condition,
  distanceOf,
  distanceSource,
  type Factor,
  filterOf,
  lookupOf,
  nothing,
  rangeOf,
} from './conditions.ts'
import { foundBy, scoredBy } from './matching.ts'
import { type Compiled, type Mix, mixed } from './mix.ts'
import type { Ground } from './search-context.ts'
import { tellingWords } from './similar.ts'
import type { Clause } from './values.ts'
import { excludedOf, isNothing, type Wanted, wantedOf } from './words.ts'

/** Nodes of a plan, taken apart. */
interface Parts {
  /** Narrow only. */
  filter: Clause[]
  mustNot: Clause[]
  texts: { found: Clause; wanted: Wanted; pinned: readonly string[] }[]
  factors: Factor[]
  constant: number
  mixes: Mix[]
  wanted: Wanted[]
  placed: { pinned: Map<string, number>; buried: string[] }
}

/** Scores of pinned documents begin here; others never come near. */
const pinnedScore = 1e30
/** What scores of buried documents are multiplied by. */
const buriedFactor = 1e-20

/**
 * Compiles nodes over what the ground lets through. `scored` false: whoever asks needs no scores, and nothing is asked to make them.
 * `frame`: what else documents must satisfy, for the ranks of mixes.
 */
export async function compile(
  ground: Ground,
  nodes: readonly PlanNode[],
  scored: boolean,
  frame: readonly Clause[] = [],
): Promise<Compiled> {
  const parts = await partsOf(ground, nodes)
  const narrowing: Clause = {
    bool: {
      filter: [
        ...parts.filter,
        ...parts.texts.map(text => text.found),
        ...parts.mixes.map(mix => mix.found),
        ...ground.visible,
        ...frame,
      ],
      must_not: parts.mustNot,
    },
  }
  const pinned = [...parts.placed.pinned.keys()]
  const adds = parts.texts.length + parts.mixes.length > 0
  const base = { found: narrowing, wanted: parts.wanted, pinned, adds, prunes: adds && isWordsOnly(parts) }
  if (!scored) return { ...base, scored: narrowing }
  const sums = await Promise.all([
    ...parts.texts.map(async ({ wanted, pinned: also }): Promise<Clause> => {
      const should = [...(await scoredBy(ground, wanted)), ...pinnedClauses(also)]
      if (should.length === 1 && wanted.terms.size === 1) should.push(...foundBy(wanted).map(addingNothing))
      return should.length === 0 ? nothing : { bool: { should } }
    }),
    ...parts.mixes.map(mix => mixed(ground, mix, narrowing)),
  ])
  return { ...base, scored: multiplied(summed(sums, narrowing, parts, [...ground.visible, ...frame]), parts) }
}

/** What texts and mixes find is not asked for once more as a filter: Lucene would look at all of it. */
function summed(
  sums: readonly Clause[],
  narrowing: Clause,
  { filter, mustNot }: Parts,
  visible: readonly Clause[],
): Clause {
  const [first, ...others] = sums
  if (first === undefined) return { constant_score: { filter: narrowing, boost: 1 } }
  const must = [first, ...others.map(asScored)]
  return { bool: { must, filter: [...filter, ...visible], must_not: mustNot } }
}

/** Of clauses for the same word Lucene makes one with the sum of their boosts, which means nothing to our similarity. */
const asScored = (query: Clause, copy: number): Clause => ({
  script_score: { query, script: { source: 'return _score;', params: { copy } } },
})

const isWordsOnly = ({ texts, mixes, factors, constant, placed }: Parts): boolean =>
  mixes.length + factors.length + placed.pinned.size + placed.buried.length === 0 &&
  constant === 1 &&
  texts.every(({ wanted }) => wanted.groups.size === 0)

/** Documents that are found whatever words they have, which adds nothing to their scores. */
const pinnedClauses = (ids: readonly string[]): Clause[] =>
  ids.length === 0 ? [] : [addingNothing({ terms: { id: ids } })]

/** Beside a `dis_max` that stands alone it makes Lucene leave documents out, which it does among several clauses only. */
const addingNothing = (filter: Clause): Clause => ({ constant_score: { filter, boost: 1e-30 } })

async function partsOf(ground: Ground, nodes: readonly PlanNode[]): Promise<Parts> {
  const parts: Parts = {
    filter: [],
    mustNot: [],
    texts: [],
    factors: [],
    constant: 1,
    mixes: [],
    wanted: [],
    placed: { pinned: new Map(), buried: [] },
  }
  const { schema } = ground
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
        await addMatch(ground, node, parts)
        break
      case 'filter':
        add(filterOf(schema, node.field, node.alternatives))
        break
      case 'lookup':
        add(lookupOf(node.alternatives))
        break
      case 'distance':
        add(distanceOf(schema, node.field, node.alternatives))
        break
      case 'range':
        parts.filter.push(rangeOf(schema, node))
        break
      case 'similar': {
        const wanted = await tellingWords(ground, node.id, node.fields)
        if (wanted === undefined || isNothing(wanted)) parts.filter.push(nothing)
        else parts.texts.push({ found: { bool: { should: foundBy(wanted) } }, wanted, pinned: [] })
        parts.mustNot.push({ terms: { id: [node.id] } })
        break
      }
      case 'mix':
        parts.mixes.push(await mixOf(ground, node))
        break
      case 'nearest':
        throw new EngineError('unsupported', 'the OpenSearch engine cannot do `nearest` yet')
    }
  }
  for (const { wanted } of parts.mixes) parts.wanted.push(...wanted)
  // The sum of factors is the same whatever the order of the nodes.
  parts.factors.sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
  return parts
}

async function addMatch(
  ground: Ground,
  node: Extract<PlanNode, { kind: 'match' }>,
  parts: Parts,
): Promise<void> {
  const { text, fields, typos, pinned = [], buried = [] } = node
  const [wanted, excluded] = await Promise.all([
    wantedOf(ground, text, fields, typos),
    excludedOf(ground, text, fields),
  ])
  for (const [at, id] of pinned.entries())
    parts.placed.pinned.set(id, Math.min(at, parts.placed.pinned.get(id) ?? at))
  parts.placed.buried.push(...buried)
  if (text.words.length + text.phrases.length > 0 || text.unfinished !== undefined) {
    const should = [...foundBy(wanted), ...(pinned.length > 0 ? [{ terms: { id: pinned } }] : [])]
    const found = should.length === 0 ? nothing : { bool: { should } }
    parts.texts.push({ found, wanted, pinned })
    parts.wanted.push(wanted)
  }
  parts.mustNot.push(...foundBy(excluded))
}

async function mixOf(ground: Ground, node: Extract<PlanNode, { kind: 'mix' }>): Promise<Mix> {
  // Of a match in a mix nothing is pinned.
  const bare = (part: PlanNode): PlanNode =>
    part.kind === 'match' ? { ...part, pinned: [], buried: [] } : part
  const parts = await Promise.all(
    node.parts.map(async part => {
      const inner = bare(part.node)
      const { found, wanted } = await compile(ground, [inner], false)
      return {
        weight: part.weight,
        found,
        wanted,
        score: (frame: Clause) => compile(ground, [inner], true, [frame]),
      }
    }),
  )
  return {
    by: node.by,
    parts,
    found: parts.length === 0 ? nothing : { bool: { should: parts.map(({ found }) => found) } },
    wanted: parts.flatMap(({ wanted }) => wanted),
  }
}

const factorSource = `${distanceSource}
  double score = _score;
  for (def factor : params.factors) {
    double best = 0;
    def values = doc[factor.column];
    if (factor.kind == 'text') {
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
    score *= best;
  }
  score *= params.constant;
  if (params.placed) {
    def id = doc['id'].value;
    def first = params.pinned[id];
    if (first != null) { return ((Number)first).doubleValue(); }
    if (params.buried[id] != null) { score *= ${buriedFactor}; }
  }
  return score;`

function multiplied(query: Clause, { factors, constant, placed }: Parts): Clause {
  const isPlaced = placed.pinned.size + placed.buried.length > 0
  if (factors.length === 0 && constant === 1 && !isPlaced) return query
  const last = Math.max(0, ...placed.pinned.values())
  const params = {
    factors,
    constant,
    placed: isPlaced,
    pinned: Object.fromEntries([...placed.pinned].map(([id, at]) => [id, pinnedScore * (1 + last - at)])),
    buried: Object.fromEntries(placed.buried.map(id => [id, true])),
  }
  return { script_score: { query, script: { source: factorSource, params } } }
}
