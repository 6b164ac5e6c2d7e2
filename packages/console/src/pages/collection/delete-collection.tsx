/** Deletes a collection with the APIs that search nothing else, after its name is typed. */
import { Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { readWorkspaceFile } from '#api/workspace-file-edit.ts'
import { t, tCount } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FileEditDialog } from '#ui/file-edit-dialog.tsx'
import { removeCollection } from '#ui/remove-uses.ts'

interface DeleteCollectionProps extends DialogState {
  workspace: string
  collection: string
  /** Null: the server has not counted them. */
  documents: number | null
}

export const DeleteCollection = ({ workspace, collection, documents, ...dialog }: DeleteCollectionProps) => {
  const { data } = useSuspenseQuery(readWorkspaceFile(workspace))
  const navigate = useNavigate()
  return (
    <FileEditDialog
      {...dialog}
      title={t('Delete the collection {name}?', { name: collection })}
      workspace={workspace}
      path={['collections', collection]}
      submit={t('Delete collection')}
      color="red"
      removesUses="always"
      isFinal
      typed={collection}
      note={
        <>
          {documents === null
            ? t('This permanently deletes all its documents.')
            : tCount(
                documents,
                'This permanently deletes its {count} document.',
                'This permanently deletes its {count} documents.',
              )}
          <Text size="sm" mt="xs">
            {t('What uses it goes too. APIs that search other collections keep the rest of their endpoints.')}
          </Text>
        </>
      }
      edits={() => removeCollection(data.file, collection)}
      leave={() => navigate({ to: '/w/$workspace/data', params: { workspace } })}
    />
  )
}
