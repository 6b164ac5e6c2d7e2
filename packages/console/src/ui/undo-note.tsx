import { Alert, Button, Group, Text } from '@mantine/core'
import { explainWithoutForm } from '#api/edit-conflict.ts'
import { useWorkspaceFileEdit } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { ErrorNote } from './error-note.tsx'
import { offerUndo, type UndoOffer } from './undo-offer.ts'
import { useAttempt } from './use-attempt.ts'

/** Says above the page that an edit was saved, and takes it back. */
export const UndoNote = ({ offer: { workspace, file, edits } }: { offer: UndoOffer }) => {
  const { plan, apply } = useWorkspaceFileEdit(workspace)
  const { isBusy, error, attempt } = useAttempt()
  const undo = () =>
    attempt(async () => {
      const { undoEdits } = await import('@querent/contract/edit-workspace-text')
      await apply(await plan(undoEdits(file, edits)))
      offerUndo(undefined)
    })
  if (error !== undefined) return <ErrorNote error={explainWithoutForm(error)} />
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
