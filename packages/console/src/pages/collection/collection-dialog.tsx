/** Form for id, class, language and readers of a collection. */
import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import { collectionKeyEdit, fieldSightEdit, type WorkspaceEdit } from '@querent/contract/edit-workspace-text'
import { languages } from '@querent/contract/languages'
import type { Collection } from '@querent/contract/workspace-file'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import { listCopies } from '#ui/copied-field.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FileEditDialog, type FindFault } from '#ui/file-edit-dialog.tsx'
import { lines } from '#ui/lines.ts'
import { type ReadersDraft, ReadersInput, readReaders, writeReaders } from './readers-input.tsx'

interface CollectionDialogProps extends DialogState {
  workspace: string
  collection: string
  definition: Collection
}

const idFieldDefault = 'id'

type ClassSource = 'none' | 'fixed' | 'field'

interface Draft extends ReadersDraft {
  title: string
  idField: string
  uri: string
  classSource: ClassSource
  /** URIs, one per line. */
  classes: string
  classField: string
  language: NonNullable<Collection['language']>
}

export const CollectionDialog = ({ workspace, collection, definition, ...dialog }: CollectionDialogProps) => {
  const [draft, setDraft] = useState(() => readDraft(definition))
  const change = (part: Partial<Draft>) => setDraft(current => ({ ...current, ...part }))
  return (
    <FileEditDialog
      {...dialog}
      title={t('Edit {name}', { name: collection })}
      workspace={workspace}
      path={['collections', collection]}
      submit={t('Save')}
      isInvalid={draft.classSource === 'field' && draft.classField === ''}
      edits={() => [
        collectionKeyEdit(collection, 'title', draft.title.trim() || undefined),
        collectionKeyEdit(collection, 'id', writeId(draft)),
        collectionKeyEdit(collection, 'class', writeClass(draft)),
        // `none` is the default.
        collectionKeyEdit(
          collection,
          'language',
          draft.language === 'none' && definition.language === undefined ? undefined : draft.language,
        ),
        collectionKeyEdit(collection, 'readers', writeReaders(draft)),
        ...copySightEdits(collection, definition, draft.readersField),
      ]}
    >
      {fault => (
        <>
          <TextInput
            label={t('Title')}
            description={t('How people see the collection. Empty: its name.')}
            value={draft.title}
            error={fault('title')}
            data-autofocus
            onChange={event => change({ title: event.currentTarget.value })}
          />
          <TextInput
            label={t('Id field')}
            description={t(
              'The attribute with the id of each document. Empty: id. Applies to later imports.',
            )}
            placeholder={idFieldDefault}
            value={draft.idField}
            error={fault('id.field')}
            onChange={event => change({ idField: event.currentTarget.value.trim() })}
          />
          <TextInput
            label={t('URI of a document')}
            description={t(
              'Write {id} for the id, as in https://example.org/books/{id}. Ids that are URIs stay unchanged.',
              {
                id: '{id}',
              },
            )}
            value={draft.uri}
            onChange={event => change({ uri: event.currentTarget.value.trim() })}
            error={fault('id.uri')}
          />
          <ClassInputs draft={draft} onChange={change} fault={fault} />
          <NativeSelect
            label={t('Language')}
            description={t(
              'Of text fields that name none. It finds other forms of a word, such as its plural.',
            )}
            data={languages.map(name => name)}
            value={draft.language}
            error={fault('language')}
            // The options are the languages.
            onChange={event => change({ language: event.currentTarget.value as Draft['language'] })}
          />
          <ReadersInput {...{ workspace, definition, draft, fault }} onChange={change} />
        </>
      )}
    </FileEditDialog>
  )
}

/** The field that names readers is hidden, unless the file says for whom not. Its copies, and those of the field before, are seen by the same people. */
const copySightEdits = (
  collection: string,
  definition: Collection,
  readersField: string,
): WorkspaceEdit[] => {
  const fieldBefore = definition.readers?.field ?? ''
  if (readersField === fieldBefore) return []
  return [fieldBefore, readersField].flatMap(name => {
    const visible = definition.fields?.[name]?.visible ?? (name === readersField ? [] : undefined)
    return listCopies(definition, name).map(copy => fieldSightEdit(collection, copy, visible))
  })
}

interface ClassInputsProps {
  draft: Draft
  onChange: (part: Partial<Draft>) => void
  fault: FindFault
}

const ClassInputs = ({ draft: { classSource, classes, classField }, onChange, fault }: ClassInputsProps) => (
  <>
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
      onChange={event => onChange({ classSource: event.currentTarget.value as ClassSource })}
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
        onChange={event => onChange({ classes: event.currentTarget.value })}
      />
    )}
    {classSource === 'field' && (
      <TextInput
        label={t('Class field')}
        required
        value={classField}
        error={fault('class')}
        onChange={event => onChange({ classField: event.currentTarget.value.trim() })}
      />
    )}
  </>
)

const readDraft = ({ title = '', id, class: types, language = 'none', readers }: Collection): Draft => ({
  title,
  ...readReaders(readers),
  idField: id?.field ?? '',
  uri: id?.uri ?? '',
  classSource: readSource(types),
  classes: Array.isArray(types) ? types.join('\n') : '',
  classField: types && !Array.isArray(types) ? types.field : '',
  language,
})

const writeId = ({ idField, uri }: Draft): Collection['id'] =>
  idField === '' && uri === ''
    ? undefined
    : { ...(idField === '' ? {} : { field: idField }), ...(uri === '' ? {} : { uri }) }

const writeClass = ({ classSource, classes, classField }: Draft): Collection['class'] => {
  if (classSource === 'field') return { field: classField }
  const uris = lines(classes)
  return classSource === 'fixed' && uris.length > 0 ? uris : undefined
}

const readSource = (types: Collection['class']): ClassSource => {
  if (types === undefined) return 'none'
  return Array.isArray(types) ? 'fixed' : 'field'
}
