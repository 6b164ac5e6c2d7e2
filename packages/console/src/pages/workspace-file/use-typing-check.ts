/** Checks the text of a workspace file while the person types. */
import { useEffect, useRef } from 'react'
import { management } from '#api/manage.ts'

/** Pause in typing before the text is checked. */
const pauseMs = 600

export const dryRun = (source: string, condition: { base?: string } = {}) =>
  management.call('applyWorkspaceFile', { input: { source, dryRun: true, ...condition } })

export interface TypingCheck {
  text: string
  /** Number of changes that applying makes; undefined if there is an error. */
  changes?: number
  /** Whether only comments or layout change, if nothing else does. */
  textChanged?: boolean
  error?: unknown
}

/**
 * Runs a dry run of `text` after each pause in typing, while `isActive`. Only the reply to the latest text is reported. `cancel` drops a
 * running check.
 */
export const useTypingCheck = (
  text: string,
  isActive: boolean,
  onCheck: (check: TypingCheck) => void,
): { cancel: () => void } => {
  const latest = useRef(0)
  const report = useRef(onCheck)
  report.current = onCheck
  useEffect(() => {
    if (!isActive) return undefined
    const check = async () => {
      latest.current += 1
      const number = latest.current
      const result = await dryRun(text).then(
        ({ changes, textChanged }): TypingCheck => ({ text, changes: changes.length, textChanged }),
        (error: unknown): TypingCheck => ({ text, error }),
      )
      if (number === latest.current) report.current(result)
    }
    const timer = setTimeout(check, pauseMs)
    return () => {
      clearTimeout(timer)
      latest.current += 1
    }
  }, [isActive, text])
  return {
    cancel: () => {
      latest.current += 1
    },
  }
}
