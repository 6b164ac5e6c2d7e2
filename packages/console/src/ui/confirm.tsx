import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ErrorNote } from './error-note.tsx'

interface ConfirmProps {
  /** On the button that opens it, such as `Remove`. */
  label: string
  /** For a screen reader, where several buttons have the same label: `Remove ada@example.org`. */
  description?: string
  question: string
  /** What happens, in words. */
  children: ReactNode
  /** Rejects where it could not be done; the dialogue stays open and says why. */
  onConfirm: () => Promise<unknown>
  disabled?: boolean
  /** What has to be typed before it can be done, such as a name, for what is not to be got back. */
  typed?: string
}

/** A button for what destroys: it asks first. */
export const Confirm = ({
  label,
  description,
  question,
  children,
  onConfirm,
  disabled = false,
  typed,
}: ConfirmProps) => {
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [text, setText] = useState('')
  const close = () => {
    setOpen(false)
    setError(undefined)
    setText('')
  }
  const confirm = async () => {
    setBusy(true)
    try {
      await onConfirm()
      close()
    } catch (fault) {
      setError(fault)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        disabled={disabled}
        aria-label={description ?? label}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={question}
        centered
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Text component="div">{children}</Text>
          {typed !== undefined && (
            <TextInput
              label={`Type ${typed} to confirm`}
              autoComplete="off"
              spellCheck={false}
              data-autofocus
              value={text}
              onChange={event => setText(event.currentTarget.value)}
            />
          )}
          {error !== undefined && <ErrorNote error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus={typed === undefined || undefined}>
              Cancel
            </Button>
            <Button
              color="red"
              loading={isBusy}
              disabled={typed !== undefined && text.trim() !== typed}
              onClick={confirm}
            >
              {label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
