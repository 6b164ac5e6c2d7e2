import { lazy } from 'react'
import type { QuestionProps } from './confirm-dialog.tsx'
import { type Opened, OpensDialogue } from './dialog-button.tsx'

const Question = lazy(async () => ({ default: (await import('./confirm-dialog.tsx')).Question }))

interface ConfirmProps extends Omit<QuestionProps, keyof Opened> {
  /** For a screen reader, where several buttons have the same label: `Remove ada@example.org`. */
  description?: string
  disabled?: boolean
}

/** A button for what destroys: it asks first. */
export const Confirm = ({ description, disabled = false, ...asked }: ConfirmProps) => (
  <OpensDialogue
    label={asked.label}
    description={description}
    disabled={disabled}
    size="compact-sm"
    variant="subtle"
    color={asked.color ?? 'red'}
  >
    {opened => <Question {...asked} {...opened} />}
  </OpensDialogue>
)
