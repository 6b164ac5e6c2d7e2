/**
 * Finds the documents with the nearest vectors. A `knn` query returns `k` documents of each shard, so this requests the best of all shards
 * first. The search then selects them by their ids, with their scores: counts, facets and statistics see the same documents.
 */
import { EngineError } from '#engines/engine'
import { findVectorField, readEntityVectors, type Schema } from './schema.ts'
import type { SearchContext } from './search-context.ts'
import { findVisibleEntity } from './similar.ts'
import type { Clause } from './values.ts'
import { isZero, type VectorField, vectorPath, vectorScore } from './vectors.ts'

export interface NearestRequest {
  field: VectorField
  vector: readonly number[]
  /** Maximum number of documents. */
  limit: number
  /** Lowest score, 0 to 1. */
  minimum: number
}

/** Maximum number of documents that are similar to another one by their vectors. */
const similarMax = 1_000
/** (1 + cosine) / 2 of a vector without a direction. */
const zeroScore = 0.5

export function readNearest(
  schema: Schema,
  node: { field: string; vector: readonly number[]; limit: number; minimum: number },
): NearestRequest {
  const field = findVectorField(schema, node.field)
  if (node.vector.length !== field.dimensions)
    throw new EngineError(
      'unsupported',
      `the vectors of \`${node.field}\` have ${field.dimensions} dimensions, not ${node.vector.length}`,
    )
  return { field, vector: node.vector, limit: node.limit, minimum: node.minimum }
}

/** Returns undefined if no visible document has this id, or if it has no vector. */
export async function readSimilar(
  context: SearchContext,
  id: string,
  field: VectorField,
): Promise<NearestRequest | undefined> {
  const entity = await findVisibleEntity(context, id)
  const [vector] = entity === undefined ? [] : readEntityVectors(field, entity)
  return vector && { field, vector, limit: similarMax, minimum: 0 }
}

/** Returns the scores of the nearest documents by id, among those that match `conditions`. */
export async function findNearest(
  context: SearchContext,
  { field, vector, limit, minimum }: NearestRequest,
  conditions: Clause,
): Promise<Map<string, number>> {
  const [reply] = await context.search([
    {
      size: limit,
      _source: false,
      docvalue_fields: ['id'],
      track_total_hits: false,
      track_scores: true,
      sort: [{ _score: 'desc' }, { id: 'asc' }],
      query: nearestQuery(field, vector, limit, conditions),
    },
  ])
  const scores = (reply?.hits.hits ?? []).map(({ fields, _score }): [string, number] => [
    fields?.id?.[0] ?? '',
    vectorScore(field, _score ?? 0),
  ])
  return new Map(scores.filter(([, score]) => score >= minimum))
}

/**
 * The conditions are inside the `knn` query, which applies them before it chooses. They are repeated outside, so that a row filter does not
 * depend on the plugin.
 */
function nearestQuery(
  field: VectorField,
  vector: readonly number[],
  limit: number,
  conditions: Clause,
): Clause {
  const path = vectorPath(field)
  const query: Clause =
    field.metric === 'cosine' && isZero(vector)
      ? { constant_score: { filter: { exists: { field: path } }, boost: zeroScore } }
      : { knn: { [path]: { vector, k: limit, filter: conditions } } }
  return {
    bool: {
      must: [{ nested: { path: field.column, score_mode: 'max', query } }],
      filter: [conditions],
    },
  }
}
