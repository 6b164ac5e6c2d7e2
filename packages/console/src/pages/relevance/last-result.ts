/** The values of the last run, kept in this browser between visits. */
import type { Baseline } from '@querent/client/relevance/report'
import { type RelevanceRun, readValue } from './test-run.ts'

export interface LastResult {
  /** ISO 8601. */
  finishedAt: string
  /** Undefined: each test used its own configuration. */
  config: string | undefined
  values: Baseline
}

const storageKey = (workspace: string): string => `querent.relevance-result.${workspace}`

export const storeLastResult = (workspace: string, { finishedAt, tested }: RelevanceRun): void => {
  const values = tested.outcomes.flatMap(outcome => {
    const value = readValue(outcome)
    return value === undefined ? [] : [[outcome.name, value]]
  })
  try {
    localStorage.setItem(storageKey(workspace), JSON.stringify({ finishedAt, config: tested.config, values }))
  } catch {
    // Without room for it, the next visit starts without a last result.
  }
}

/** Undefined if there is none. Anybody who uses this browser can change what it keeps. */
export const readLastResult = (workspace: string): LastResult | undefined => {
  try {
    const { finishedAt, config, values } = JSON.parse(localStorage.getItem(storageKey(workspace)) ?? '')
    return { finishedAt: new Date(finishedAt).toISOString(), config, values: new Map(values) }
  } catch {
    return undefined
  }
}
