import { useBlocker } from '@tanstack/react-router'
import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import { isLeavingForLogin } from '#api/session.ts'
import { t } from '#i18n/translate.ts'

const LeaveDialog = lazy(async () => ({ default: (await import('./leave-dialog.tsx')).LeaveDialog }))

interface CloseGuard {
  /** Handlers of the form, which notice what a person types. */
  watch: { onFocusCapture: () => void; onChangeCapture: () => void }
  /** Closes the dialog, or asks first if something was typed. For Escape and the cross, which are easily hit by mistake. */
  requestClose: () => void
  /** Whether the question is open, so that Escape answers it and not the dialog below. */
  isAsking: boolean
  question: ReactNode
}

/**
 * Keeps what a person has typed into a dialog, until they say that it may be lost: when they close the dialog, follow a link, go back or close
 * the page. `isBusy`: the form is sent, and may lead to another page itself.
 */
export const useCloseGuard = (
  form: RefObject<HTMLFormElement | null>,
  isOpen: boolean,
  onClose: () => void,
  isBusy = false,
): CloseGuard => {
  /** The values at the first focus. */
  const atFirst = useRef<string>(undefined)
  const isTouched = useRef(false)
  const [isAsking, setAsking] = useState(false)
  useEffect(() => {
    if (isOpen) return
    atFirst.current = undefined
    isTouched.current = false
  }, [isOpen])
  const isChanged = () => isTouched.current && describeForm(form.current) !== atFirst.current
  const mayLose = () => isOpen && !isBusy && isChanged()
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && mayLose(),
    enableBeforeUnload: () => mayLose() && !isLeavingForLogin(),
    withResolver: true,
  })
  const isLeaving = status === 'blocked'
  return {
    watch: {
      onFocusCapture: () => {
        atFirst.current ??= describeForm(form.current)
      },
      onChangeCapture: () => {
        isTouched.current = true
      },
    },
    requestClose: () => (isChanged() ? setAsking(true) : onClose()),
    isAsking: isAsking || isLeaving,
    question: (isAsking || isLeaving) && (
      <Suspense>
        <LeaveDialog
          question={isLeaving ? t('Leave without saving?') : t('Close without saving?')}
          leave={isLeaving ? t('Leave') : t('Close')}
          onStay={() => (isLeaving ? reset() : setAsking(false))}
          onLeave={() => {
            if (isLeaving) return proceed()
            setAsking(false)
            onClose()
          }}
        >
          {t('Your changes are not saved and will be lost.')}
        </LeaveDialog>
      </Suspense>
    ),
  }
}

/** The values of the inputs. Buttons count too, because lists of added values have some. */
const describeForm = (form: HTMLFormElement | null): string =>
  JSON.stringify(
    [...(form?.elements ?? [])].map(element => {
      if (element instanceof HTMLInputElement) return [element.value, element.checked]
      return element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement
        ? element.value
        : ''
    }),
  )
