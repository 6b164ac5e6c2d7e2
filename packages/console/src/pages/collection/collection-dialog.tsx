/** Form for id, class and language of a collection. */
import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import { collectionKeyEdit } from '@querent/contract/edit-workspace-text'
import { languages } from '@querent/contract/languages'
import type { Collection } from '@querent/contract/workspace-file'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FileEditDialog } from '#ui/file-edit-dialog.tsx'
import { lines } from '#ui/lines.ts'

interface CollectionDialogProps extends DialogState {
  workspace: string
  collection: string
  definition: Collection
}

const idFieldDefault = 'id'

type ClassSource = 'none' | 'fixed' | 'field'

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: older than the limit
export const CollectionDialog = ({ workspace, collection, definition, ...dialog }: CollectionDialogProps) => {
  const { id, class: types } = definition
  const [idField, setIdField] = useState(id?.field ?? '')
  const [uri, setUri] = useState(id?.uri ?? '')
  const [classSource, setClassSource] = useState<ClassSource>(readSource(types))
  const [classes, setClasses] = useState(Array.isArray(types) ? types.join('\n') : '')
  const [classField, setClassField] = useState(types && !Array.isArray(types) ? types.field : '')
  const [language, setLanguage] = useState(definition.language ?? 'none')
  const readClass = (): Collection['class'] => {
    if (classSource === 'field') return { field: classField }
    const uris = lines(classes)
    return classSource === 'fixed' && uris.length > 0 ? uris : undefined
  }
  const readId = (): Collection['id'] =>
    idField === '' && uri === ''
      ? undefined
      : { ...(idField === '' ? {} : { field: idField }), ...(uri === '' ? {} : { uri }) }
  return (
    <FileEditDialog
      {...dialog}
      title={t('Edit {name}', { name: collection })}
      workspace={workspace}
      path={['collections', collection]}
      submit={t('Save')}
      isInvalid={classSource === 'field' && classField === ''}
      edits={() => [
        collectionKeyEdit(collection, 'id', readId()),
        collectionKeyEdit(collection, 'class', readClass()),
        // `none` is the default.
        collectionKeyEdit(
          collection,
          'language',
          language === 'none' && definition.language === undefined ? undefined : language,
        ),
      ]}
    >
      {fault => (
        <>
          <TextInput
            label={t('Id field')}
            description={t(
              'The attribute with the id of each document. Empty: id. Applies to later imports.',
            )}
            placeholder={idFieldDefault}
            value={idField}
            error={fault('id.field')}
            data-autofocus
            onChange={event => setIdField(event.currentTarget.value.trim())}
          />
          <TextInput
            label={t('URI of a document')}
            description={t(
              'Write {id} for the id, as in https://example.org/books/{id}. Ids that are URIs stay unchanged.',
              {
                id: '{id}',
              },
            )}
            value={uri}
            onChange={event => setUri(event.currentTarget.value.trim())}
            error={fault('id.uri')}
          />
          <NativeSelect
            label={t('Class')}
            description={t('The type of the documents in results. Applies to later imports.')}
            data={[
              { value: 'none', label: t('None') },
              { value: 'fixed', label: t('The same for all documents') },
              { value: 'field', label: t('The value of a field') },
            ]}
            value={classSource}
            error={classSource === 'none' ? fault('class') : undefined}
            // The options are those of the type.
            onChange={event => setClassSource(event.currentTarget.value as ClassSource)}
          />
          {classSource === 'fixed' && (
            <Textarea
              label={t('Class URIs')}
              description={t('One per line.')}
              placeholder="https://schema.org/Book"
              autosize
              minRows={1}
              value={classes}
              error={fault('class')}
              onChange={event => setClasses(event.currentTarget.value)}
            />
          )}
          {classSource === 'field' && (
            <TextInput
              label={t('Class field')}
              required
              value={classField}
              error={fault('class')}
              onChange={event => setClassField(event.currentTarget.value.trim())}
            />
          )}
          <NativeSelect
            label={t('Language')}
            description={t(
              'Of text fields that name none. It finds other forms of a word, such as its plural.',
            )}
            data={languages.map(name => name)}
            value={language}
            error={fault('language')}
            // The options are the languages.
            onChange={event => setLanguage(event.currentTarget.value as typeof language)}
          />
        </>
      )}
    </FileEditDialog>
  )
}

const readSource = (types: Collection['class']): ClassSource => {
  if (types === undefined) return 'none'
  return Array.isArray(types) ? 'fixed' : 'field'
}
