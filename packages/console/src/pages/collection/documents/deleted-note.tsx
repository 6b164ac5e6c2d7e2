import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ListedDocument } from '#api/documents.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t, tCount } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { restoreAll } from './deleted-documents.ts'

interface DeletedNoteProps {
  documents: readonly ListedDocument[]
  onDone: () => void
}

/** Says that documents are deleted, and puts them back on demand. Only administrators can: others may not see all fields. */
export const DeletedNote = ({ documents, onDone }: DeletedNoteProps) => {
  const { workspace, summary } = useCollection()
  const { may } = useWorkspaceAccess(workspace)
  const cache = useQueryClient()
  const restoration = useMutation({
    mutationFn: () => restoreAll(workspace, summary.collection, documents),
    onSuccess: onDone,
    onSettled: () => cache.invalidateQueries(),
  })
  const [first] = documents
  return (
    <Alert color="green" variant="light" withCloseButton closeButtonLabel={t('Close')} onClose={onDone}>
      <Stack gap="xs">
        <Group gap="sm">
          <Text size="sm">
            {documents.length === 1 && first
              ? t('{id} is deleted.', { id: first.id })
              : tCount(documents.length, '{count} document deleted.', '{count} documents deleted.')}
          </Text>
          {may('administer') && (
            <Button
              size="compact-sm"
              variant="default"
              loading={restoration.isPending}
              onClick={() => restoration.mutate()}
            >
              {t('Undo')}
            </Button>
          )}
        </Group>
        {restoration.error && <ErrorNote error={restoration.error} />}
      </Stack>
    </Alert>
  )
}
