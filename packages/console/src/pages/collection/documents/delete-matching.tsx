import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type DocumentFilter, deleteMatching } from '#api/documents.ts'
import { t, tCount } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import type { DialogState } from '#ui/dialog-button.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { listConditions } from './list-conditions.ts'
import { useConditionWriter } from './use-condition-writer.ts'

interface DeleteMatchingProps extends DialogState {
  where: DocumentFilter['where']
  /** Takes the number of deleted documents. */
  onDeleted: (count: number) => void
}

/** Counts the documents that meet all conditions, and deletes them after a confirmation. */
export const DeleteMatching = ({ where, onDeleted, ...dialog }: DeleteMatchingProps) => {
  const { workspace, summary } = useCollection()
  const { collection } = summary
  const cache = useQueryClient()
  const { data: count, error } = useQuery({
    queryKey: ['documents', workspace, collection, 'dryRun', where],
    queryFn: () => deleteMatching(workspace, collection, where, true),
    gcTime: 0,
  })
  const deletion = useMutation({
    mutationFn: () => deleteMatching(workspace, collection, where, false),
    onSettled: () => cache.invalidateQueries(),
  })
  const conditions = listConditions(where, summary.fields, useConditionWriter())
    .map(({ text }) => text)
    .join(', ')
  return (
    <ConfirmDialog
      {...dialog}
      question={
        count === undefined
          ? t('Counting documents')
          : tCount(count, 'Delete {count} document?', 'Delete {count} documents?')
      }
      label={t('Delete')}
      typed={collection}
      isWaiting={count === undefined}
      onConfirm={async () => onDeleted(await deletion.mutateAsync())}
    >
      {error && <ErrorNote error={error} />}
      {t('Deletes all documents of {collection} with {conditions}, for good.', { collection, conditions })}
    </ConfirmDialog>
  )
}
