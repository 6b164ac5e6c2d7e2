import { Button, Group, Modal, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ErrorNote } from './error-note.tsx'

interface DialogueProps {
  title: string
  isOpen: boolean
  onClose: () => void
  /** On the button that sends the form. */
  submit: string
  /** Rejects where the server refuses; the dialogue stays open with what was typed, and says why. */
  onSubmit: () => Promise<unknown>
  children: ReactNode
}

/** A form in a dialogue. */
export const Dialogue = ({ title, isOpen, onClose, submit, onSubmit, children }: DialogueProps) => {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const close = () => {
    setError(undefined)
    onClose()
  }
  const send = async (event: FormEvent) => {
    event.preventDefault()
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
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={send}>
        <Stack>
          {children}
          {error !== undefined && <ErrorNote error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
