import { Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { labelCancel } from '#api/edit-conflict.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from './dialog-button.tsx'
import { DialogFooter } from './dialog-footer.tsx'
import { ErrorNote } from './error-note.tsx'
import { useAttempt } from './use-attempt.ts'

export interface ConfirmDialogProps extends DialogState {
  question: string
  /** Label of the confirm button, such as `Delete`. */
  label: string
  /** Description of the effect. */
  children: ReactNode
  /** If it rejects, the dialog stays open and shows the error. */
  onConfirm: () => unknown
  /** Text to type before an irreversible action, such as a name. */
  typed?: string | undefined
  /** `red` for destructive actions. */
  color?: string | undefined
  /** Disables the confirm button while the effect is still loading. */
  isWaiting?: boolean
}

/** Asks for confirmation. */
export const ConfirmDialog = ({
  isOpen,
  onClose,
  question,
  label,
  children,
  onConfirm,
  typed,
  color = 'red',
  isWaiting = false,
}: ConfirmDialogProps) => {
  const { isBusy, error, attempt, clearError } = useAttempt()
  const [text, setText] = useState('')
  const close = () => {
    onClose()
    clearError()
    setText('')
  }
  const confirm = () =>
    attempt(async () => {
      await onConfirm()
      close()
    })
  return (
    <Modal
      opened={isOpen}
      // It says whether it could be done.
      onClose={() => !isBusy && close()}
      closeOnClickOutside={typed === undefined}
      title={question}
      centered
      closeButtonProps={{ 'aria-label': t('Close'), disabled: isBusy }}
    >
      <Stack>
        <Text component="div">{children}</Text>
        {typed !== undefined && (
          <TextInput
            label={t('Type {typed} to confirm', { typed })}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            value={text}
            onChange={event => setText(event.currentTarget.value)}
          />
        )}
        <DialogFooter refusal={error !== undefined && <ErrorNote error={error} />}>
          <Button
            variant="default"
            onClick={close}
            disabled={isBusy}
            data-autofocus={typed === undefined || undefined}
          >
            {labelCancel(error)}
          </Button>
          <Button
            color={color}
            loading={isBusy}
            disabled={isWaiting || (typed !== undefined && text.trim() !== typed)}
            onClick={confirm}
          >
            {label}
          </Button>
        </DialogFooter>
      </Stack>
    </Modal>
  )
}
