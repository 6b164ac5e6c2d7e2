/**
 * BM25 as a scripted similarity with parameters from each query. Scores must depend only on documents that the member may see, but the
 * statistics of OpenSearch include hidden and deleted ones. It must still be a similarity of the index, because Lucene prunes documents by
 * it: it knows that scores rise with the term frequency and fall with the length.
 *
 *     weight × times / (times + k1 × (1 - b) + slope × length)
 *
 * A query can pass only the boost to a similarity, one 32-bit float. Its exponent encodes a power of two, its mantissa the slope. The rest
 * of the weight comes from repeating the clause in a `dis_max`, whose tie breaker adds a fraction of the second score.
 */
import type { Clause } from './values.ts'

export const k1 = 1.2
export const b = 0.75

/** Smallest exponent of a slope, as in a 32-bit float. There are 64 exponents (2^-32 to 2^32) with 17 bits of mantissa. */
const slopeExponentMin = 127 - 32
const exponentShift = 23
const digitsMask = 2 ** exponentShift - 1
const slopeDroppedBits = 6

/** Index setting. Lucene and tantivy both store lengths in one byte. */
export const similarity = {
  type: 'scripted',
  script: {
    source: `
      int bits = Float.floatToIntBits(query.boost);
      float power = Float.intBitsToFloat(bits & ${0xff << exponentShift});
      float slope = Float.intBitsToFloat(((bits & ${digitsMask}) << ${slopeDroppedBits}) + ${slopeExponentMin << exponentShift});
      return power * (doc.freq / (doc.freq + ${k1 * (1 - b)} + slope * doc.length));`,
  },
}

const floats = new Float32Array(1)
const bits = new Int32Array(floats.buffer)

function floatToBits(float: number): number {
  floats[0] = float
  return bits[0] ?? 0
}

function bitsToFloat(floatBits: number): number {
  bits[0] = floatBits
  return floats[0] ?? 0
}

/** Returns the clause of `withBoost`, scored with this weight and slope (k1 × b / mean length), both above 0. */
export function scoredClause(
  withBoost: (boost: number) => Clause,
  { weight, slope }: { weight: number; slope: number },
): Clause {
  const weightBits = floatToBits(weight)
  const digits = (floatToBits(slope) - (slopeExponentMin << exponentShift)) >> slopeDroppedBits
  const clause = withBoost(
    bitsToFloat((weightBits & ~digitsMask) | Math.min(Math.max(digits, 0), digitsMask)),
  )
  const remainder = bitsToFloat((weightBits & digitsMask) | floatToBits(1)) - 1
  return remainder === 0 ? clause : { dis_max: { queries: [clause, clause], tie_breaker: remainder } }
}
