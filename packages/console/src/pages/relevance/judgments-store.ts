/** Files of judgments that a person has dropped. They stay in this browser: the server has only the workspace file. */
import { type Judgment, parseJudgments } from '@querent/client/relevance/judgments'
import { t } from '#i18n/translate.ts'

export interface StoredJudgments {
  /** Name of the dropped file, which may differ from that in the workspace file. */
  fileName: string
  judgments: Judgment[]
}

/** The server does not have the file of a test, and nobody dropped it here. */
export class MissingJudgmentsError extends Error {
  constructor(path: string) {
    super(t('The file {path} is missing: add it above', { path }))
  }
}

const storageKey = (workspace: string, path: string): string => `querent.judgments-file.${workspace}.${path}`

/** Parses and keeps the text of a file. Throws `JudgmentsError`, or an error if the browser has no room for it. */
export const storeJudgments = (workspace: string, path: string, fileName: string, text: string): void => {
  parseJudgments(text)
  localStorage.setItem(storageKey(workspace, path), JSON.stringify({ fileName, text }))
}

export const deleteJudgments = (workspace: string, path: string): void =>
  localStorage.removeItem(storageKey(workspace, path))

/** Returns the kept file; undefined if there is none. Anybody who uses this browser can change what it keeps. */
export const readStoredJudgments = (workspace: string, path: string): StoredJudgments | undefined => {
  const stored = localStorage.getItem(storageKey(workspace, path))
  if (stored === null) return undefined
  try {
    const { fileName, text } = JSON.parse(stored) as { fileName: string; text: string }
    return { fileName, judgments: parseJudgments(text) }
  } catch {
    return undefined
  }
}
