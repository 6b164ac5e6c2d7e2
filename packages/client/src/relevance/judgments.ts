/** Judgments: how well a document answers a query, by people. A file has one line for each: query, document and grade, separated by tabs. */
import type { Grades } from './measures.ts'

export const gradeMax = 10

export interface Judgment {
  query: string
  /** Id or URI of the document. */
  document: string
  /** 0 (bad) to 10. */
  grade: number
}

/** A line that is not a judgment, or a file without a usable one. */
export class JudgmentsError extends Error {
  override name = 'JudgmentsError'
  /** From 1. Undefined if the whole file is at fault. */
  readonly line: number | undefined

  constructor(message: string, line?: number) {
    super(message)
    this.line = line
  }
}

/**
 * Parses a file of judgments. Skips blank lines and those that start with `#`; ignores columns after the third. Throws
 * {@link JudgmentsError} for the first wrong line.
 */
export const parseJudgments = (text: string): Judgment[] =>
  text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '' || line.startsWith('#')) return []
    const [query = '', document = '', grade = ''] = line.split('\t')
    if (query === '' || document === '' || !/^\d+$/.test(grade) || Number(grade) > gradeMax)
      throw new JudgmentsError(
        `found ${JSON.stringify(line.slice(0, 100))}, allowed: query, document and a grade from 0 to ${gradeMax}, separated by tabs`,
        index + 1,
      )
    return [{ query, document, grade: Number(grade) }]
  })

/** Writes a file that `parseJudgments` reads. Tabs and line breaks in queries become spaces, as full-text search reads them. */
export const writeJudgments = (judgments: readonly Judgment[]): string =>
  judgments
    .map(({ query, document, grade }) => `${query.replace(/[\t\r\n]/g, ' ')}\t${document}\t${grade}\n`)
    .join('')

/**
 * Groups grades by query; of several grades of a document the last counts. `toUri` completes ids. Leaves out queries without a grade above
 * 0: no ranking of them is better than another. Throws {@link JudgmentsError} if no query remains.
 */
export const groupJudgments = (
  judgments: readonly Judgment[],
  toUri: (id: string) => string | undefined,
): Map<string, Grades> => {
  const gradesByQuery = new Map<string, Map<string, number>>()
  for (const { query, document, grade } of judgments) {
    const grades = gradesByQuery.get(query) ?? new Map<string, number>()
    gradesByQuery.set(query, grades.set(toUri(document) ?? document, grade))
  }
  const useful = [...gradesByQuery].filter(([, grades]) => [...grades.values()].some(grade => grade > 0))
  if (useful.length === 0) throw new JudgmentsError('no query has a grade above 0')
  return new Map(useful)
}
