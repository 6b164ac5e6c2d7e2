/**
 * Vectors of texts by latent semantic analysis (Deerwester and others 1990): texts are projected on the main directions of the matrix of
 * a collection's documents and words. It needs no model, so anyone can repeat the figures of hybrid search.
 */
import { randomFrom } from '#bench/random'

/** Turns a text into a vector with `latentDimensions` numbers. */
export type MakeVector = (text: string) => number[]

export const latentDimensions = 100
const iterations = 8
/** Words of fewer documents say nothing about other documents. */
const documentsOfWordMin = 2
const seed = 7

/** Column and weight of each word of a text. */
type Row = [column: number, weight: number][]

/** Returns how to make vectors, from the texts of a collection. */
export const analyzeLatentSemantics = (texts: readonly string[]): MakeVector => {
  const counts = texts.map(countWords)
  const frequencies = new Map<string, number>()
  for (const count of counts)
    for (const word of count.keys()) frequencies.set(word, (frequencies.get(word) ?? 0) + 1)
  const words = [...frequencies].filter(([, documents]) => documents >= documentsOfWordMin)
  const columns = new Map(
    words.map(([word, documents], column) => [word, { column, weight: Math.log(texts.length / documents) }]),
  )
  const makeRow = (count: ReadonlyMap<string, number>): Row => {
    const row: Row = [...count].flatMap(([word, times]) => {
      const entry = columns.get(word)
      return entry === undefined ? [] : [[entry.column, (1 + Math.log(times)) * entry.weight]]
    })
    const length = Math.hypot(...row.map(([, weight]) => weight))
    return row.map(([column, weight]) => [column, weight / length])
  }
  const directions = findDirections(counts.map(makeRow), words.length)
  return text => project(makeRow(countWords(text)), directions)
}

const countWords = (text: string): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu))
    counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

const project = (row: Row, directions: readonly Float64Array[]): number[] =>
  directions.map(direction =>
    row.reduce((sum, [column, weight]) => sum + weight * (direction[column] ?? 0), 0),
  )

/** Orthogonal iteration (Golub and Van Loan, Matrix Computations, section 7.3.2) finds the right singular vectors of the largest values. */
const findDirections = (rows: readonly Row[], columns: number): Float64Array[] => {
  const random = randomFrom(seed)
  let directions: Float64Array[] = Array.from({ length: latentDimensions }, () =>
    Float64Array.from({ length: columns }, () => random() - 0.5),
  )
  for (let iteration = 0; iteration < iterations; iteration++) {
    const next = directions.map(() => new Float64Array(columns))
    for (const row of rows)
      for (const [index, factor] of project(row, directions).entries())
        for (const [column, weight] of row) {
          const target = next[index]
          if (target !== undefined) target[column] = (target[column] ?? 0) + factor * weight
        }
    directions = makeOrthonormal(next)
  }
  return directions
}

/** The modified Gram-Schmidt method. Changes its argument. */
const makeOrthonormal = (vectors: Float64Array[]): Float64Array[] => {
  for (const [index, vector] of vectors.entries()) {
    for (const earlier of vectors.slice(0, index)) {
      const share = vector.reduce((sum, number, place) => sum + number * (earlier[place] ?? 0), 0)
      for (let place = 0; place < vector.length; place++)
        vector[place] = (vector[place] ?? 0) - share * (earlier[place] ?? 0)
    }
    const length = Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0))
    for (let place = 0; place < vector.length; place++) vector[place] = (vector[place] ?? 0) / length
  }
  return vectors
}
