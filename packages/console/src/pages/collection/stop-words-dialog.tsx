/** The form that edits the stop words of a collection. */
import { Textarea } from '@mantine/core'
import { collectionKeyEdit } from '@querent/contract/edit-workspace-text'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FileEditDialog } from '#ui/file-edit-dialog.tsx'
import { lines } from '#ui/lines.ts'

interface StopWordsDialogProps extends DialogState {
  workspace: string
  collection: string
  stopWords: readonly string[]
}

export const StopWordsDialog = ({ workspace, collection, stopWords, ...dialog }: StopWordsDialogProps) => {
  const [words, setWords] = useState(stopWords.join('\n'))
  const list = lines(words)
  return (
    <FileEditDialog
      {...dialog}
      title={t('Edit stop words')}
      workspace={workspace}
      path={['collections', collection, 'stopWords']}
      submit={t('Save')}
      edits={() => [collectionKeyEdit(collection, 'stopWords', list.length === 0 ? undefined : list)]}
    >
      {fault => (
        <Textarea
          label={t('Stop words')}
          description={t('One word on each line.')}
          rows={6}
          value={words}
          error={fault('stopWords')}
          data-autofocus
          onChange={event => setWords(event.currentTarget.value)}
        />
      )}
    </FileEditDialog>
  )
}
