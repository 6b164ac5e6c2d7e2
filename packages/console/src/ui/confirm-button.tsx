import { lazy } from 'react'
import type { ConfirmDialogProps } from './confirm-dialog.tsx'
import { DialogButton, type DialogState } from './dialog-button.tsx'

const ConfirmDialog = lazy(async () => ({ default: (await import('./confirm-dialog.tsx')).ConfirmDialog }))

interface ConfirmButtonProps extends Omit<ConfirmDialogProps, keyof DialogState> {
  /** For a screen reader, where several buttons have the same label: `Remove ada@example.org`. */
  description?: string
  disabled?: boolean
}

/** A button for what destroys: it asks first. */
export const ConfirmButton = ({ description, disabled = false, ...dialogProps }: ConfirmButtonProps) => (
  <DialogButton
    label={dialogProps.label}
    description={description}
    disabled={disabled}
    size="compact-sm"
    variant="subtle"
    color={dialogProps.color ?? 'red'}
  >
    {dialog => <ConfirmDialog {...dialogProps} {...dialog} />}
  </DialogButton>
)
