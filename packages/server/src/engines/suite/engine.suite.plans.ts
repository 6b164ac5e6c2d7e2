/** What the suites of an engine are made of: a library with its fields, documents, plans. */
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

/** An engine under test, and what is asked of it again and again. */
export interface Bench {
  engine: () => Engine
  /** A new generation with these documents, searchable. */
  generationWith: (documents: Record<string, object>, spec?: GenerationSpec) => Promise<string>
  /** Ids of the hits, in order. */
  ids: (generation: string, plan: Plan) => Promise<string[]>
  /** Scores of the hits by id. */
  scores: (generation: string, plan: Plan) => Promise<Record<string, number>>
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

/** What most tests search. */
export const library: GenerationSpec = { fields, synonyms: [] }

export const nothing = { words: [], phrases: [], excludedWords: [], excludedPhrases: [] }
const everywhere = [
  { name: 'title', weight: 1 },
  { name: 'text', weight: 1 },
]
export const all: PlanNode = { kind: 'all' }

export function planOf(nodes: PlanNode[]): Plan {
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
    text: { ...nothing, words: text.split(' ').filter(Boolean) },
    fields: everywhere,
    typos: false,
  }
}

export function phrase(text: string): Extract<PlanNode, { kind: 'match' }> {
  return { ...match(''), text: { ...nothing, phrases: [text] } }
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

export function put(id: string, attributes: object): Write {
  return { put: { id, entity: entity(id, attributes) } }
}

export function withCode(code: EngineErrorCode) {
  return (error: unknown) =>
    error instanceof Error && error.name === 'EngineError' && 'code' in error && error.code === code
}

/** Scores are kept with 24 bits. */
export function near(actual: number | undefined, expected: number) {
  assert.ok(
    actual !== undefined && Math.abs(actual - expected) <= 1e-5 * expected,
    `${actual} is not near ${expected}`,
  )
}
