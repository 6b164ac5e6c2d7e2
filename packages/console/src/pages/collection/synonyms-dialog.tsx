/** Forms that add, edit and delete synonyms. */
import { Radio, Stack, Textarea } from '@mantine/core'
import { synonymsEdit } from '@querent/contract/edit-workspace-text'
import type { SynonymSet } from '@querent/contract/workspace-file'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FileEditDialog } from '#ui/file-edit-dialog.tsx'
import { isComplete, readSynonyms, splitWords } from './read-synonyms.ts'

interface SynonymsDialogProps extends DialogState {
  workspace: string
  collection: string
  synonyms: readonly SynonymSet[]
  /** Position in the list; undefined for new ones. */
  index: number | undefined
}

export const SynonymsDialog = ({
  workspace,
  collection,
  synonyms,
  index,
  ...dialog
}: SynonymsDialogProps) => {
  const current = index === undefined ? undefined : synonyms[index]
  const oneWay = current === undefined || Array.isArray(current) ? undefined : current
  const [isOneWay, setOneWay] = useState(oneWay !== undefined)
  const [words, setWords] = useState((Array.isArray(current) ? current : (oneWay?.from ?? [])).join('\n'))
  const [targets, setTargets] = useState((oneWay?.to ?? []).join('\n'))
  const list = splitWords(words)
  const sets: SynonymSet[] = isOneWay ? [{ from: list, to: splitWords(targets) }] : readSynonyms(words)
  const position = index ?? synonyms.length
  const wordsFault = isOneWay ? list.length === 0 : sets.length === 0 || !sets.every(isComplete)
  const targetsFault = isOneWay && splitWords(targets).length === 0
  return (
    <FileEditDialog
      {...dialog}
      title={index === undefined ? t('Add synonyms') : t('Edit synonyms')}
      workspace={workspace}
      path={['collections', collection, 'synonyms', ...(index === undefined ? [] : [index])]}
      submit={index === undefined ? t('Add') : t('Save')}
      isInvalid={wordsFault || targetsFault}
      edits={() => [
        synonymsEdit(collection, synonyms.toSpliced(position, index === undefined ? 0 : 1, ...sets)),
      ]}
    >
      {() => (
        <>
          <Radio.Group
            label={t('Direction')}
            value={isOneWay ? 'one' : 'both'}
            onChange={value => setOneWay(value === 'one')}
          >
            <Stack gap="xs" mt="xs">
              <Radio
                value="both"
                label={t('Both ways')}
                description={t('Each of them finds all the others.')}
              />
              <Radio
                value="one"
                label={t('One way')}
                description={t('For example, js also finds javascript, but javascript does not find js.')}
              />
            </Stack>
          </Radio.Group>
          <Textarea
            label={isOneWay ? t('A search for') : t('Words and phrases')}
            description={
              isOneWay
                ? t('One on each line, or with commas between. Several words are a phrase.')
                : t(
                    'One on each line, or a list with commas on each line; js => javascript is one way. Several words are a phrase.',
                  )
            }
            required
            rows={4}
            value={words}
            error={list.length > 0 && wordsFault ? describeFault(sets) : undefined}
            data-autofocus
            onChange={event => setWords(event.currentTarget.value)}
          />
          {isOneWay && (
            <Textarea
              label={t('also finds')}
              description={t('One on each line, or with commas between.')}
              required
              rows={4}
              value={targets}
              onChange={event => setTargets(event.currentTarget.value)}
            />
          )}
        </>
      )}
    </FileEditDialog>
  )
}

export const DeleteSynonyms = ({
  workspace,
  collection,
  synonyms,
  index = 0,
  ...dialog
}: SynonymsDialogProps) => (
  <FileEditDialog
    {...dialog}
    title={t('Delete these synonyms?')}
    workspace={workspace}
    path={['collections', collection, 'synonyms', index]}
    submit={t('Delete')}
    color="red"
    edits={() => [synonymsEdit(collection, synonyms.toSpliced(index, 1))]}
  />
)

/** Names the list that has too few words. */
const describeFault = (sets: readonly SynonymSet[]): string => {
  const incomplete = sets.find(each => !isComplete(each))
  const words = Array.isArray(incomplete)
    ? incomplete
    : [...(incomplete?.from ?? []), ...(incomplete?.to ?? [])]
  return sets.length > 1 && words.length > 0
    ? t('Each list needs at least two, between commas or =>. Only one: “{words}”', {
        words: words.join(', '),
      })
    : t('Each list needs at least two.')
}
