import { Alert, Button, Group, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useWorkspaceFileEdit } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { ErrorNote } from './error-note.tsx'
import { offerUndo, type UndoOffer } from './undo-offer.ts'
import { useAttempt } from './use-attempt.ts'

/** Says above the page that an edit was saved, and takes it back. */
export const UndoNote = ({ offer: { workspace, file, saved } }: { offer: UndoOffer }) => {
  const { undo: undoSaved } = useWorkspaceFileEdit(workspace)
  const { isBusy, error, attempt } = useAttempt()
  const [isUndone, setUndone] = useState(false)
  const note = useRef<HTMLDivElement>(null)
  // The button is gone, and the focus must not fall to the start of the page.
  useEffect(() => {
    if (isUndone) note.current?.focus()
  }, [isUndone])
  const undo = () =>
    attempt(async () => {
      await undoSaved(file, saved)
      setUndone(true)
    })
  if (error !== undefined) return <ErrorNote error={error} />
  return (
    <Alert
      ref={note}
      tabIndex={-1}
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
        <Text size="sm">
          {isUndone ? t('Undone. The workspace file is as before.') : t('Saved in the workspace file.')}
        </Text>
        {!isUndone && (
          <Button size="compact-sm" variant="default" loading={isBusy} onClick={undo}>
            {t('Undo')}
          </Button>
        )}
      </Group>
    </Alert>
  )
}
