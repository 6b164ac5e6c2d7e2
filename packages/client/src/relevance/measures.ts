/** Measures of a ranking by judgments: document → grade, where documents without a judgment have 0. */
import type { MeasureName } from '@querent/contract/relevance-tests'

export type Grades = ReadonlyMap<string, number>

/** Discounted cumulative gain, with gain 2^grade - 1 (Burges and others 2005). */
const discounted = (grades: readonly number[]): number =>
  grades.reduce((sum, grade, rank) => sum + (2 ** grade - 1) / Math.log2(rank + 2), 0)

const measures: Record<MeasureName, (ranked: readonly number[], grades: Grades, count: number) => number> = {
  ndcg(ranked, grades, count) {
    const best = [...grades.values()].toSorted((one, next) => next - one).slice(0, count)
    return discounted(ranked) / discounted(best)
  },
  mrr(ranked) {
    const rank = ranked.findIndex(grade => grade > 0)
    return rank < 0 ? 0 : 1 / (rank + 1)
  },
  precision: (ranked, _, count) => ranked.filter(grade => grade > 0).length / count,
  recall: (ranked, grades) =>
    ranked.filter(grade => grade > 0).length / [...grades.values()].filter(grade => grade > 0).length,
}

/** Returns the measure of the first `count` documents, 0 to 1. At least one document must have a grade above 0. */
export const measureRanking = (
  measure: MeasureName,
  documents: readonly string[],
  grades: Grades,
  count: number,
): number => {
  const ranked = documents.slice(0, count).map(document => grades.get(document) ?? 0)
  return measures[measure](ranked, grades, count)
}
