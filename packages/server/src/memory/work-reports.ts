/** Reports on work that repeats in the background: each failure is counted, and a change of state is announced once. */
import { createBufferedEmitter } from './buffered-emitter.ts'

/** The label `work` of `querent_background_failures_total`. */
export type BackgroundWork =
  | 'document-vectors'
  | 'generation-collection'
  | 'idle-generations'
  | 'key-rotation'
  | 'pruning'
  | 'reconciliation'

/** A first failure, or undefined if the work succeeds again. */
export interface WorkState {
  work: BackgroundWork
  error: unknown
}

export interface WorkReports {
  /** Runs a round of the work. Never rejects: the next round tries again. */
  run(work: BackgroundWork, round: () => Promise<unknown>): Promise<void>
  /** Calls `listener` with every change of state, including earlier ones. */
  onChange(listener: (state: WorkState) => void): void
}

/** Counts the failed rounds in `failures`, by work. */
export const createWorkReports = (failures: Map<string, number> = new Map()): WorkReports => {
  const failing = new Set<BackgroundWork>()
  const { emit, listen } = createBufferedEmitter<WorkState>()
  return {
    async run(work, round) {
      try {
        await round()
        if (failing.delete(work)) emit({ work, error: undefined })
      } catch (error) {
        failures.set(work, (failures.get(work) ?? 0) + 1)
        if (!failing.has(work)) emit({ work, error })
        failing.add(work)
      }
    },
    onChange: listen,
  }
}
