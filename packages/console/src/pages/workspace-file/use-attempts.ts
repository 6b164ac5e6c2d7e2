/** Previews and applies the text of a workspace file, and checks it while the person types. */
import { ApiError } from '@querent/client'
import type { ErrorPlace } from '@querent/contract/errors'
import type { ApplyReply } from '@querent/contract/manage'
import { type RefObject, useState } from 'react'
import type { Editor } from './editor.ts'
import { useTypingCheck } from './use-typing-check.ts'

/** Returns the errors with lines; none if the error is of another kind. */
export const listPlaces = (error: unknown): ErrorPlace[] =>
  error instanceof ApiError ? error.errors.filter(({ line }) => line !== undefined) : []

interface TypedText {
  text: string
  /** The text that was opened. */
  source: string
  editor: RefObject<Editor | undefined>
}

/** Keeps the reply to the last check or attempt. `mayCheck`: whether the text is checked while the person types. */
export const useAttempts = ({ text, source, editor }: TypedText, mayCheck: boolean) => {
  const [outcome, setOutcome] = useState<ApplyReply>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  /** The text that `outcome` and `error` are about. */
  const [checkedText, setCheckedText] = useState(source)
  const isStale = checkedText !== text
  /** The latest check while typing: the number of changes, or the errors. */
  const [typed, setTyped] = useState<{ changes: number; textChanged: boolean } | { places: ErrorPlace[] }>()
  const checks = useTypingCheck(text, isStale && !isBusy && mayCheck, check => {
    const errorPlaces = listPlaces(check.error)
    // An error without places does not concern the text: for example, the server is unreachable.
    if (check.error !== undefined && errorPlaces.length === 0) return
    const { changes, textChanged = false } = check
    setTyped(changes === undefined ? { places: errorPlaces } : { changes, textChanged })
    // The list of an attempt follows the corrections.
    setError(error === undefined ? undefined : check.error)
    setOutcome(undefined)
    setCheckedText(check.text)
    editor.current?.mark(errorPlaces)
  })
  /** Shows the changes, or marks the errors. */
  const attempt = async (work: () => Promise<ApplyReply | undefined>) => {
    checks.cancel()
    setBusy(true)
    setError(undefined)
    setTyped(undefined)
    setOutcome(undefined)
    setCheckedText(text)
    try {
      editor.current?.mark([])
      setOutcome(await work())
    } catch (fault) {
      setError(fault)
      const wrong = listPlaces(fault)
      editor.current?.mark(wrong)
      if (wrong[0]) editor.current?.goTo(wrong[0])
    } finally {
      setBusy(false)
    }
  }
  return { outcome, error, isBusy, isStale, typed, attempt, markChecked: setCheckedText }
}
