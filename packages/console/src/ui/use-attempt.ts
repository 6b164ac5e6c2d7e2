/** Whether work of a form runs, and how it failed. */
import { type RefObject, useEffect, useState } from 'react'
import { focusFault } from './focus-fault.ts'

interface Attempt {
  isBusy: boolean
  /** The failure of the last work. */
  error: unknown
  /** Runs the work, unless other work runs. Never rejects: `error` has the failure, and `onError` is called with it. */
  attempt: (work: () => unknown, onError?: (fault: unknown) => void) => Promise<void>
  clearError: () => void
}

/** For work that is more than one call of the management API; `useOperation` does that. */
export const useAttempt = (): Attempt => {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const clearError = () => setError(undefined)
  const attempt: Attempt['attempt'] = async (work, onError) => {
    if (isBusy) return
    setBusy(true)
    clearError()
    try {
      await work()
    } catch (fault) {
      setError(fault)
      onError?.(fault)
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, error, attempt, clearError }
}

/** Moves the focus to the first input with an error when one of the signs of a failure changes. */
export const useFocusOnFault = (form: RefObject<HTMLFormElement | null>, error: unknown, failedChecks = 0) =>
  useEffect(() => {
    if (error !== undefined || failedChecks > 0) focusFault(form.current)
  }, [form, error, failedChecks])
