/** Helpers of the engine suites: a library with fields, documents and plans. */
import assert from 'node:assert/strict'
import type {
  Engine,
  EngineErrorCode,
  EngineField,
  GenerationSpec,
  Plan,
  PlanNode,
  Write,
} from '#engines/engine'
import { type SynonymSet, Synonyms } from '#engines/synonyms'

/** The engine under test, with common operations. */
export interface Bench {
  engine: () => Engine
  /** Creates a generation with these documents and makes them searchable. */
  generationWith: (documents: Record<string, object>, spec?: GenerationSpec) => Promise<string>
  /** Returns the ids of the hits in order. */
  ids: (generation: string, plan: Plan) => Promise<string[]>
  /** Returns the scores of the hits by id. */
  scores: (generation: string, plan: Plan) => Promise<Record<string, number>>
}

/** Names its generations `suite-1`, `suite-2` and so on. */
export function createBench(engine: () => Engine): Bench & { newId: () => string } {
  let generations = 0
  const newId = () => `suite-${++generations}`
  const hits = async (generation: string, plan: Plan) =>
    (await engine().search(generation, plan, deadlineMs)).hits.map(hit => ({
      id: JSON.parse(hit.entity).id as string,
      score: hit.score,
    }))
  return {
    engine,
    newId,
    async generationWith(documents, spec = library) {
      const id = newId()
      await engine().open(id, spec)
      await engine().write(
        id,
        Object.entries(documents).map(([key, attributes]) => putDocument(key, attributes)),
      )
      await engine().refresh(id)
      return id
    },
    ids: async (generation, plan) => (await hits(generation, plan)).map(({ id }) => id),
    scores: async (generation, plan) =>
      Object.fromEntries((await hits(generation, plan)).map(({ id, score }) => [id, score])),
  }
}

export const deadlineMs = 10_000

const fields: EngineField[] = [
  { name: 'title', type: 'text', language: 'english', prefix: false },
  { name: 'text', type: 'text', language: 'english', prefix: false },
  { name: 'tag', type: 'keyword' },
  { name: 'year', type: 'number' },
  { name: 'added', type: 'date' },
  { name: 'good', type: 'boolean' },
  { name: 'place', type: 'geo' },
]

/** Spec of the generations in most tests. */
export const library: GenerationSpec = { fields }

export const emptyText = { words: [], phrases: [], excludedWords: [], excludedPhrases: [] }
const textFields = [
  { name: 'title', weight: 1 },
  { name: 'text', weight: 1 },
]
export const matchAll: PlanNode = { kind: 'all' }

export function makePlan(nodes: PlanNode[]): Plan {
  return {
    nodes,
    restrictions: [],
    order: [{ by: 'score' }],
    cutoff: 0,
    offset: 0,
    count: 100,
    statistics: false,
  }
}

export function match(text: string): Extract<PlanNode, { kind: 'match' }> {
  return {
    kind: 'match',
    text: { ...emptyText, words: text.split(' ').filter(Boolean) },
    fields: textFields,
  }
}

/** The lengths of words with one typo and two, by default. */
export const typos = { one: 4, two: 8 }

/** A text whose words may have typos. */
export function corrected(text: string): Extract<PlanNode, { kind: 'match' }> {
  return { ...match(text), typos, ranking: 'words' }
}

/** A text whose last word may be unfinished. */
export function unfinished(last: string, ...words: string[]): Extract<PlanNode, { kind: 'match' }> {
  return { ...match(''), text: { ...emptyText, words, unfinished: last }, ranking: 'words' }
}

export function phrase(text: string): Extract<PlanNode, { kind: 'match' }> {
  return { ...match(''), text: { ...emptyText, phrases: [text] } }
}

/** Returns a function that lets matches find these synonyms too. */
export function withSynonyms(sets: readonly SynonymSet[]): <Node extends PlanNode>(node: Node) => Node {
  const synonyms = new Synonyms(sets)
  return node => (node.kind === 'match' ? { ...node, text: { ...node.text, synonyms } } : node)
}

export function filter(field: string, values: (string | number | boolean)[]): PlanNode {
  return { kind: 'filter', field, alternatives: [{ score: 1, values }] }
}

export function lookup(...values: string[]): PlanNode {
  return { kind: 'lookup', alternatives: [{ score: 1, values }] }
}

export function entity(id: string, attributes: object): string {
  return JSON.stringify({ id, class: [], attributes })
}

export function putDocument(id: string, attributes: object): Write {
  return { put: { id, entity: entity(id, attributes) } }
}

export function withCode(code: EngineErrorCode) {
  return (error: unknown) =>
    error instanceof Error && error.name === 'EngineError' && 'code' in error && error.code === code
}

/** Compares scores, which have 24 bits of precision. */
export function near(actual: number | undefined, expected: number) {
  assert.ok(
    actual !== undefined && Math.abs(actual - expected) <= 1e-5 * expected,
    `${actual} is not near ${expected}`,
  )
}
