import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '#i18n/translate.ts'
import { DialogButton, type DialogState } from './dialog-button.tsx'

interface EntryButtonsProps {
  /** For a screen reader. */
  name: string
  isDisabled?: boolean
  editDialog: (dialog: DialogState) => ReactNode
  deleteDialog: (dialog: DialogState) => ReactNode
}

/** The buttons that edit and delete an entry of the workspace file, in its row. */
export const EntryButtons = ({ name, isDisabled = false, editDialog, deleteDialog }: EntryButtonsProps) => (
  <Group gap={4} justify="flex-end" wrap="nowrap">
    <DialogButton
      label={t('Edit')}
      description={t('Edit {name}', { name })}
      size="compact-sm"
      variant="subtle"
      disabled={isDisabled}
    >
      {editDialog}
    </DialogButton>
    <DialogButton
      label={t('Delete')}
      description={t('Delete {name}', { name })}
      size="compact-sm"
      variant="subtle"
      color="red"
      disabled={isDisabled}
    >
      {deleteDialog}
    </DialogButton>
  </Group>
)
