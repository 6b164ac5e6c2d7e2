import { Button, Modal, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { t } from '#i18n/translate.ts'
import type { DialogState } from './dialog-button.tsx'
import { DialogFooter } from './dialog-footer.tsx'
import { ErrorNote } from './error-note.tsx'
import { useAttempt, useFocusOnFault } from './use-attempt.ts'
import { useCloseGuard } from './use-close-guard.tsx'

interface FormDialogProps extends DialogState {
  title: string
  /** Label of the submit button. */
  submit: string
  /** `red` for what deletes. */
  color?: string
  /** If it rejects, the dialog stays open with the input and shows the error. */
  onSubmit: () => Promise<unknown>
  /** Fields that show what the server finds wrong with them themselves (`faultAt`). */
  fields?: readonly string[]
  /** True when the dialog only shows a result, which may be visible once: then only its button closes it. */
  isDone?: boolean
  /** Disables the submit button while something is loading or a name must be typed. */
  isWaiting?: boolean
  /** True when the form only asks: closing it loses nothing. */
  onlyAsks?: boolean
  children: ReactNode
}

/** A form in a dialog. */
export const FormDialog = ({
  title,
  isOpen,
  onClose,
  submit,
  color,
  onSubmit,
  fields,
  isDone = false,
  isWaiting = false,
  onlyAsks = false,
  children,
}: FormDialogProps) => {
  const { isBusy, error, attempt, clearError } = useAttempt()
  const form = useRef<HTMLFormElement>(null)
  const [attempts, setAttempts] = useState(0)
  // A form that is not sent marks what it lacks.
  useFocusOnFault(form, error, attempts)
  useEffect(() => {
    // The input fields are gone. The first button copies the result.
    if (isDone) form.current?.querySelector('button')?.focus()
  }, [isDone])
  const close = () => {
    // The pending reply may contain a secret that is only shown once.
    if (isBusy) return
    clearError()
    onClose()
  }
  const { watch, requestClose, isAsking, question } = useCloseGuard(
    form,
    isOpen,
    close,
    isBusy || isDone || onlyAsks,
  )
  const send = (event: FormEvent) => {
    event.preventDefault()
    // The second of a double click meets the dialog while it closes.
    if (!isOpen || isWaiting) return
    void attempt(onSubmit).then(() => setAttempts(attempts + 1))
  }
  return (
    <>
      <Modal
        opened={isOpen}
        onClose={() => (onlyAsks ? close() : !isBusy && requestClose())}
        title={title}
        size="lg"
        // A click outside must not lose the input or a secret.
        closeOnClickOutside={false}
        closeOnEscape={!isDone && !isAsking}
        withCloseButton={!isDone}
        closeButtonProps={{ 'aria-label': t('Close'), disabled: isBusy }}
      >
        <form onSubmit={send} onInvalidCapture={clearError} ref={form} {...watch}>
          <Stack>
            {children}
            <DialogFooter refusal={error !== undefined && <ErrorNote error={error} fields={fields ?? []} />}>
              {!isDone && (
                <Button variant="default" onClick={close} disabled={isBusy}>
                  {t('Cancel')}
                </Button>
              )}
              <Button
                type="submit"
                loading={isBusy}
                disabled={isWaiting}
                {...(color === undefined ? {} : { color })}
                // The second of a double click was meant for the form.
                onClick={event => isDone && event.detail > 1 && event.preventDefault()}
              >
                {submit}
              </Button>
            </DialogFooter>
          </Stack>
        </form>
      </Modal>
      {question}
    </>
  )
}
