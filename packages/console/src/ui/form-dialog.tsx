import { Button, Group, Modal, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { DialogState } from './dialog-button.tsx'
import { ErrorNote } from './error-note.tsx'

interface FormDialogProps extends DialogState {
  title: string
  /** On the button that sends the form. */
  submit: string
  /** Rejects where the server refuses; the dialogue stays open with what was typed, and says why. */
  onSubmit: () => Promise<unknown>
  /** Fields that show what the server finds wrong with them themselves (`faultAt`). */
  fields?: readonly string[]
  /** Whether what was asked for is done, and only to be read, some of it this once: its button alone closes it. */
  isDone?: boolean
  children: ReactNode
}

/** A form in a dialogue. */
export const FormDialog = ({
  title,
  isOpen,
  onClose,
  submit,
  onSubmit,
  fields,
  isDone = false,
  children,
}: FormDialogProps) => {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [error])
  useEffect(() => {
    // What was typed into is gone. The first to be pressed copies what is shown.
    if (isDone) form.current?.querySelector('button')?.focus()
  }, [isDone])
  const close = () => {
    // What the server is about to answer may be shown this once.
    if (isBusy) return
    setError(undefined)
    onClose()
  }
  const send = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setError(undefined)
    try {
      await onSubmit()
    } catch (fault) {
      setError(fault)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={title}
      size="lg"
      // What was typed, or is shown this once, is not lost by a click beside it.
      closeOnClickOutside={false}
      closeOnEscape={!isDone}
      withCloseButton={!isDone}
      closeButtonProps={{ 'aria-label': 'Close', disabled: isBusy }}
    >
      <form onSubmit={send} ref={form}>
        <Stack>
          {children}
          {error !== undefined && <ErrorNote error={error} fields={fields ?? []} />}
          <Group justify="flex-end">
            {!isDone && (
              <Button variant="default" onClick={close} disabled={isBusy}>
                Cancel
              </Button>
            )}
            <Button
              type="submit"
              loading={isBusy}
              // The second of a double click was meant for the form.
              onClick={event => isDone && event.detail > 1 && event.preventDefault()}
            >
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
