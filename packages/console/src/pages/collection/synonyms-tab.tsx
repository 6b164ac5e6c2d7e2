/** The synonyms and stop words of the collection, and the forms that change them. */
import { Group, Stack, Text } from '@mantine/core'
import type { SynonymSet } from '@querent/contract/workspace-file'
import { useSuspenseQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { readWorkspaceFile } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { DataTable } from '#ui/data-table.tsx'
import { describeSynonyms } from '#ui/describe-synonyms.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Empty } from '#ui/empty.tsx'
import { EntryButtons } from '#ui/entry-buttons.tsx'
import { FileLink } from '#ui/file-link.tsx'
import { useCollection } from './collection-context.ts'

const SynonymsDialog = lazy(async () => ({ default: (await import('./synonyms-dialog.tsx')).SynonymsDialog }))
const DeleteSynonyms = lazy(async () => ({ default: (await import('./synonyms-dialog.tsx')).DeleteSynonyms }))
const StopWordsDialog = lazy(async () => ({
  default: (await import('./stop-words-dialog.tsx')).StopWordsDialog,
}))

export const SynonymsTab = () => {
  const { workspace, summary } = useCollection()
  const { collection } = summary
  const { data } = useSuspenseQuery(readWorkspaceFile(workspace))
  const synonyms: readonly SynonymSet[] = data.file.collections?.[collection]?.synonyms ?? []
  const stopWords = data.file.collections?.[collection]?.stopWords ?? []
  const place = { workspace, collection, synonyms }
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <Text c="dimmed" size="sm" maw={700}>
          {t('A search for one word or phrase also finds the others.')}
        </Text>
        <DialogButton label={t('Add synonyms')}>
          {dialog => <SynonymsDialog {...dialog} {...place} index={undefined} />}
        </DialogButton>
      </Group>
      {synonyms.length === 0 ? (
        <Empty title={t('No synonyms yet')}>
          {t('Add words that people use for the same thing, such as tv and television.')}
        </Empty>
      ) : (
        <DataTable
          caption={t('Synonyms')}
          rows={synonyms.map((set, index) => ({ set, index }))}
          rowKey={({ set, index }) => `${index} ${JSON.stringify(set)}`}
          columns={[
            { heading: t('Words'), cell: ({ set }) => describeSynonyms(set) },
            {
              heading: t('Direction'),
              cell: ({ set }) => (Array.isArray(set) ? t('both ways') : t('one way')),
            },
            {
              heading: '',
              cell: ({ set, index }) => (
                <EntryButtons
                  name={describeSynonyms(set)}
                  editDialog={dialog => <SynonymsDialog {...dialog} {...place} index={index} />}
                  deleteDialog={dialog => <DeleteSynonyms {...dialog} {...place} index={index} />}
                />
              ),
            },
          ]}
        />
      )}
      <Group justify="space-between" align="flex-start">
        <Text c="dimmed" size="sm" maw={700}>
          {stopWords.length === 0
            ? t('This collection has no stop words besides those of its language.')
            : t('Searches with other words ignore these stop words: {words}', {
                words: stopWords.join(', '),
              })}
        </Text>
        <DialogButton label={t('Edit stop words')} variant="default">
          {dialog => (
            <StopWordsDialog
              {...dialog}
              workspace={workspace}
              collection={collection}
              stopWords={stopWords}
            />
          )}
        </DialogButton>
      </Group>
      <FileLink workspace={workspace} path={['collections', collection, 'synonyms']} />
    </Stack>
  )
}
