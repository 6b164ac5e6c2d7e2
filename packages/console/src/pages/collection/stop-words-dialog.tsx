/** The form that edits the stop words of a collection. */
import { Textarea } from '@mantine/core'
import { collectionKeyEdit } from '@querent/contract/edit-workspace-text'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FileEditDialog } from '#ui/file-edit-dialog.tsx'
import { splitWords } from './read-synonyms.ts'

interface StopWordsDialogProps extends DialogState {
  workspace: string
  collection: string
  stopWords: readonly string[]
}

export const StopWordsDialog = ({ workspace, collection, stopWords, ...dialog }: StopWordsDialogProps) => {
  const [words, setWords] = useState(stopWords.join('\n'))
  // No stop word has a space or a comma.
  const list = [...new Set(splitWords(words).flatMap(word => word.split(/\s+/)))]
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
          description={t('One word on each line, or with spaces or commas between.')}
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
