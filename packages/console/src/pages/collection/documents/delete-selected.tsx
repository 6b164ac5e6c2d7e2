import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ListedDocument } from '#api/documents.ts'
import { t, tCount } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import type { DialogState } from '#ui/dialog-button.tsx'
import { deleteAll } from './deleted-documents.ts'

interface DeleteSelectedProps extends DialogState {
  ids: readonly string[]
  onDeleted: (documents: readonly ListedDocument[]) => void
}

export const DeleteSelected = ({ ids, onDeleted, ...dialog }: DeleteSelectedProps) => {
  const { workspace, summary } = useCollection()
  const { collection } = summary
  const cache = useQueryClient()
  const deletion = useMutation({
    mutationFn: () => deleteAll(workspace, collection, ids),
    onSuccess: onDeleted,
    onSettled: () => cache.invalidateQueries(),
  })
  return (
    <ConfirmDialog
      {...dialog}
      question={tCount(ids.length, 'Delete {count} document?', 'Delete {count} documents?')}
      label={t('Delete')}
      onConfirm={() => deletion.mutateAsync()}
    >
      {t('Deletes the selected documents of {collection}.', { collection })}
    </ConfirmDialog>
  )
}
