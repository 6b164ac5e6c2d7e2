import { Alert, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { explainWithoutForm } from '#api/edit-conflict.ts'
import { useWorkspaceFileEdit } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { ErrorNote } from './error-note.tsx'
import { offerUndo, type UndoOffer } from './undo-offer.ts'

/** Says above the page that an edit was saved, and takes it back. */
export const UndoNote = ({ offer: { workspace, file, edits } }: { offer: UndoOffer }) => {
  const { plan, apply } = useWorkspaceFileEdit(workspace)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const undo = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const { undoEdits } = await import('@querent/contract/edit-workspace-text')
      await apply(await plan(undoEdits(file, edits)))
      offerUndo(undefined)
    } catch (fault) {
      setError(explainWithoutForm(fault))
      setBusy(false)
    }
  }
  if (error !== undefined) return <ErrorNote error={error} />
  return (
    <Alert
      color="green"
      variant="light"
      mb="md"
      py="xs"
      role="note"
      withCloseButton
      closeButtonLabel={t('Close')}
      onClose={() => offerUndo(undefined)}
    >
      <Group gap="sm">
        <Text size="sm">{t('Saved in the workspace file.')}</Text>
        <Button size="compact-sm" variant="default" loading={isBusy} onClick={undo}>
          {t('Undo')}
        </Button>
      </Group>
    </Alert>
  )
}
