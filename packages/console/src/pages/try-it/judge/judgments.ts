/** Judgments of results, kept in this browser for each API of a workspace. */
import { useLocalStorage } from '@mantine/hooks'
import { gradeMax, type Judgment } from '@querent/client/relevance/judgments'

/** Query → document → grade. */
export type Judgments = Readonly<Record<string, Readonly<Record<string, number>>>>

export const goodGrade = 1
export const badGrade = 0

export const useJudgments = (workspace: string, api: string) =>
  useLocalStorage<Judgments>({
    key: `querent.judgments.${workspace}.${api}`,
    defaultValue: {},
    getInitialValueInEffect: false,
    deserialize: readStored,
  })

/** Without white space that full-text search ignores. A file of judgments takes a line with `#` at its start for a comment. */
export const judgedText = (text: string): string => {
  const collapsed = text.trim().replace(/\s+/g, ' ')
  return collapsed.startsWith('#') ? ` ${collapsed}` : collapsed
}

export const readGrade = (judgments: Judgments, query: string, document: string): number | undefined => {
  const grades = Object.hasOwn(judgments, query) ? judgments[query] : undefined
  return grades && Object.hasOwn(grades, document) ? grades[document] : undefined
}

/** Sets a grade, or removes it: undefined. */
export const setGrade = (
  judgments: Judgments,
  query: string,
  document: string,
  grade: number | undefined,
): Judgments => {
  const { [document]: _, ...others } = judgments[query] ?? {}
  const grades = grade === undefined ? others : { ...others, [document]: grade }
  const { [query]: __, ...otherQueries } = judgments
  return Object.keys(grades).length === 0 ? otherQueries : { ...otherQueries, [query]: grades }
}

export const listJudgments = (judgments: Judgments): Judgment[] =>
  Object.entries(judgments).flatMap(([query, grades]) =>
    Object.entries(grades).map(([document, grade]) => ({ query, document, grade })),
  )

/** Adds judgments. Those of the file replace the ones of the browser. */
export const addJudgments = (judgments: Judgments, added: readonly Judgment[]): Judgments =>
  added.reduce((all, { query, document, grade }) => setGrade(all, query, document, grade), judgments)

/** Anybody who uses this browser can change what it keeps. */
const readStored = (text: string | undefined): Judgments => {
  try {
    const stored: unknown = JSON.parse(text ?? '{}')
    const entries = Object.entries(isRecord(stored) ? stored : {}).map(([query, grades]) => [
      query,
      Object.fromEntries(
        Object.entries(isRecord(grades) ? grades : {}).filter(([, grade]) => isGrade(grade)),
      ),
    ])
    return Object.fromEntries(entries) as Judgments
  } catch {
    return {}
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isGrade = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= gradeMax
