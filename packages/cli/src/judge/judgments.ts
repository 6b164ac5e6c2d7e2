/** Reads files of judgments. */
import { readFile } from 'node:fs/promises'
import { CommandError } from '#command-line/failure'
import type { Grades } from './measures.ts'

const gradeMax = 10

/**
 * Returns the grades of each query. A line has query, document and grade from 0 to 10, separated by tabs; blank lines and those that start
 * with `#` are skipped. `toUri` completes ids. Throws {@link CommandError} with the place of the first wrong line. Queries without a grade
 * above 0 are left out: no ranking of them is better than another.
 */
export const readJudgments = async (
  path: string,
  toUri: (id: string) => string | undefined,
): Promise<Map<string, Grades>> => {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new CommandError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`)
  })
  const gradesByQuery = new Map<string, Map<string, number>>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [query = '', id = '', grade = ''] = line.split('\t')
    const uri = toUri(id)
    if (query === '' || uri === undefined || !/^\d+$/.test(grade) || Number(grade) > gradeMax)
      throw new CommandError(
        `${path}:${index + 1}: found ${JSON.stringify(line.slice(0, 100))}, allowed: query, document and a grade from 0 to ${gradeMax}, separated by tabs`,
      )
    const grades = gradesByQuery.get(query) ?? new Map<string, number>()
    gradesByQuery.set(query, grades.set(uri, Number(grade)))
  }
  const judged = [...gradesByQuery].filter(([, grades]) => [...grades.values()].some(grade => grade > 0))
  if (judged.length === 0) throw new CommandError(`${path} has no query with a grade above 0`)
  return new Map(judged)
}
