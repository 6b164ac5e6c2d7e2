import { lazy } from 'react'
import type { ConfirmDialogProps } from './confirm-dialog.tsx'
import { DialogButton, type DialogState } from './dialog-button.tsx'

const ConfirmDialog = lazy(async () => ({ default: (await import('./confirm-dialog.tsx')).ConfirmDialog }))

interface ConfirmButtonProps extends Omit<ConfirmDialogProps, keyof DialogState> {
  /** For a screen reader, where several buttons have the same label: `Remove ada@example.org`. */
  description?: string
  disabled?: boolean
  /** The main button of a page, instead of one in a row. */
  isProminent?: boolean
}

/** A button for what destroys: it asks first. */
export const ConfirmButton = ({
  description,
  disabled = false,
  isProminent = false,
  color = 'red',
  ...dialogProps
}: ConfirmButtonProps) => (
  <DialogButton
    label={dialogProps.label}
    description={description}
    disabled={disabled}
    {...(isProminent
      ? { variant: color === 'red' ? 'light' : 'filled' }
      : { size: 'compact-sm', variant: 'subtle' })}
    color={color}
  >
    {dialog => <ConfirmDialog {...dialogProps} color={color} {...dialog} />}
  </DialogButton>
)
