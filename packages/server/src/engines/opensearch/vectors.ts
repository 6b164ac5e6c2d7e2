/**
 * Vector fields in the index. They need the k-NN plugin of OpenSearch. Each vector is a nested document, because a document may have
 * several, and a search then returns the document of the nearest one.
 */
import type { EngineField, VectorMetric } from '#engines/engine'

export type VectorField = Extract<EngineField, { type: 'vector' }> & { column: string }

/** The plugin as `_nodes/plugins` names it. */
export const knnPlugin = 'opensearch-knn'

/**
 * The space of each metric, and the score of our metric for the score of OpenSearch (docs.opensearch.org, "Spaces"). For an inner product p,
 * OpenSearch scores 1 + p if p is at least 0, otherwise 1 / (1 - p).
 */
const spaces: Record<VectorMetric, { spaceType: string; score: (score: number) => number }> = {
  cosine: { spaceType: 'cosinesimil', score: score => score },
  euclidean: { spaceType: 'l2', score: score => score },
  dot: { spaceType: 'innerproduct', score: score => (score >= 1 ? 1 - 1 / (2 * score) : score / 2) },
}

/** Converts a score of OpenSearch to one in (0, 1], which has 24 bits of precision like every score. */
export const vectorScore = ({ metric }: VectorField, score: number): number =>
  Math.fround(Math.min(1, Math.max(scoreMin, spaces[metric].score(score))))

/** The smallest normal 32-bit float. */
const scoreMin = 2 ** -126

/** Path of the vectors inside the nested documents of a field. */
export const vectorPath = ({ column }: VectorField): string => `${column}.vector`

/** Index settings for fields with vectors. `_source` holds the entity only, so there is nothing to derive. */
export const vectorSettings = { knn: true, 'knn.derived_source.enabled': false }

/** The engine `lucene` searches exactly if a filter leaves few documents, and reads as many candidates as the search asks for. */
export const vectorMapping = ({ column, dimensions, metric }: VectorField): Record<string, object> => ({
  [column]: {
    type: 'nested',
    properties: {
      vector: {
        type: 'knn_vector',
        dimension: dimensions,
        method: { name: 'hnsw', engine: 'lucene', space_type: spaces[metric].spaceType },
      },
    },
  },
})

/** OpenSearch rejects documents with more nested ones (`index.mapping.nested_objects.limit`). */
const nestedMax = 10_000

/**
 * Returns the vectors among the values of an attribute, a vector or a list of vectors. Leaves out those that the plugin rejects, because
 * the document was acknowledged: a cosine needs a vector that is not zero.
 */
export const readVectors = (field: VectorField, values: readonly unknown[]): number[][] =>
  (values.some(Array.isArray) ? values : [values]).filter(
    (vector): vector is number[] =>
      Array.isArray(vector) &&
      vector.length === field.dimensions &&
      vector.every(number => typeof number === 'number' && Number.isFinite(Math.fround(number))) &&
      !(field.metric === 'cosine' && isZero(vector)),
  )

/** Returns the nested documents of a field. `fields` is the number of vector fields of the index. */
export const vectorColumn = (field: VectorField, values: readonly unknown[], fields: number): object[] =>
  readVectors(field, values)
    .slice(0, Math.floor(nestedMax / fields))
    .map(vector => ({ vector }))

export const isZero = (vector: readonly number[]): boolean =>
  vector.every(number => Math.fround(number) === 0)
