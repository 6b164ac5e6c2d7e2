/** Forms that add, edit and delete a field of a collection. */
import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import type { CheckedField } from '@querent/contract/count-misfits'
import { fieldEdit, fieldSightEdit } from '@querent/contract/edit-workspace-text'
import { isLatitudeFirst } from '@querent/contract/geo-value'
import { languages } from '@querent/contract/languages'
import type { Collection, Field, FieldType } from '@querent/contract/workspace-file'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import { listCopies } from '#ui/copied-field.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FileEditDialog } from '#ui/file-edit-dialog.tsx'
import { NumberField } from '#ui/number-field.tsx'
import { nameSign } from '#ui/separator-signs.ts'
import { FieldSightInput } from './field-sight-input.tsx'
import { findSharedDecimal, type Reading } from './find-reading.ts'
import { type FieldDraft, type InputsProps, ReadingInputs } from './reading-inputs.tsx'
import { useSearchableCopy } from './searchable-copy.tsx'
import { TypeMisfits } from './type-misfits.tsx'
import { TypeUses } from './type-uses.tsx'

interface FieldDialogProps extends DialogState {
  workspace: string
  collection: string
  definition: Collection
  /** Undefined for a new field. */
  name: string | undefined
}

const typeDescriptions: Readonly<Record<FieldType, string>> = {
  text: t('Full text: found by its words, in its language.'),
  keyword: t('A value as a whole, such as a category: for filters, facets and sorting.'),
  number: t('For filters, ranges, facets and sorting.'),
  date: t('A date or time, such as 2026-01-31: for filters, ranges, facets and sorting.'),
  boolean: t('true or false: for filters and facets.'),
  geo: t('A place with lat and lon: for filters and sorting by distance.'),
  vector: t('Numbers that stand for a meaning: for similarity.'),
  object: t('Stored and returned, not searched.'),
}

/** Keys that each type has, besides `type` and `title`. A change of the type drops the others. */
const keysByType: Readonly<Partial<Record<FieldType, readonly string[]>>> = {
  text: ['language', 'weight', 'suggest', 'codes', 'listSeparator'],
  keyword: ['listSeparator'],
  number: ['decimal', 'listSeparator'],
  date: ['formats', 'listSeparator'],
  geo: ['pairs'],
  vector: ['dimensions', 'metric', 'embed'],
}

export const FieldDialog = ({ workspace, collection, definition, name, ...dialog }: FieldDialogProps) => {
  const fields = definition.fields ?? {}
  const [typedName, setTypedName] = useState(name ?? '')
  const [draft, setDraft] = useState<FieldDraft>(
    (name === undefined ? undefined : fields[name]) ?? { type: 'text' },
  )
  const { type = 'text' } = draft
  const setKey = (key: string, value: unknown) => {
    const { [key]: _, ...others } = draft
    setDraft(value === undefined ? others : { ...others, [key]: value })
  }
  const changeType = (next: FieldType) => {
    const dropped = Object.values(keysByType).flat()
    const entries = Object.entries(draft).filter(
      ([key]) => !dropped.includes(key) || keysByType[next]?.includes(key),
    )
    setDraft({
      ...Object.fromEntries(entries),
      type: next,
      ...(next === 'vector' ? { dimensions: 384 } : {}),
    })
  }
  const copy = useSearchableCopy({ workspace, collection, definition, name, type })
  const namedDraft = name === undefined ? withPairOrder(draft, typedName) : draft
  const isTaken = name === undefined && Object.hasOwn(fields, typedName)
  const nameFault = isTaken ? t('The collection already has this field.') : undefined
  // The field that names the readers of documents is for administrators, unless the file says more.
  const sight = draft.visible ?? (definition.readers?.field === typedName ? [] : undefined)
  const makeEdits = () => [
    // The type and its keys are those of one kind of field; the server checks the rest.
    fieldEdit(collection, typedName, namedDraft as Field),
    ...copy.edits(sight),
    ...listCopies(definition, typedName).map(copied => fieldSightEdit(collection, copied, sight)),
  ]
  return (
    <FileEditDialog
      {...dialog}
      title={name === undefined ? t('Add field') : t('Edit {name}', { name })}
      workspace={workspace}
      path={['collections', collection, 'fields', ...(typedName === '' ? [] : [typedName])]}
      submit={name === undefined ? t('Add') : t('Save')}
      isInvalid={typedName === '' || isTaken}
      retyped={name}
      edits={makeEdits}
    >
      {fault => (
        <>
          {name === undefined && (
            <TextInput
              label={t('Name')}
              description={t('The attribute of the documents. It cannot be changed later.')}
              required
              value={typedName}
              error={nameFault}
              data-autofocus
              onChange={event => setTypedName(event.currentTarget.value)}
            />
          )}
          <NativeSelect
            label={t('Type')}
            description={typeDescriptions[type]}
            data={Object.keys(typeDescriptions)}
            value={type}
            error={fault('type')}
            // The options are the keys of this table.
            onChange={event => changeType(event.currentTarget.value as FieldType)}
          />
          {name !== undefined && type !== fields[name]?.type && (
            <TypeUses {...{ workspace, name, type }} edits={makeEdits()} />
          )}
          {copy.input}
          <ReadingInputs {...{ draft: namedDraft, setKey, fault }} />
          <StoredValues
            {...{ workspace, collection, fields, name: typedName, draft: namedDraft }}
            onRead={reading => setDraft({ ...draft, ...reading } as FieldDraft)}
          />
          <TextInput
            label={t('Title')}
            description={t('How people see the field, for example in facets. Empty: its name.')}
            value={draft.title ?? ''}
            error={fault('title')}
            onChange={event => setKey('title', event.currentTarget.value || undefined)}
          />
          {type === 'text' && (
            <TextFieldInputs {...{ draft, setKey, fault }} language={definition.language} />
          )}
          {keysByType[type]?.includes('listSeparator') && <ValuesInput {...{ draft, setKey, fault }} />}
          {type === 'vector' && <VectorFieldInputs {...{ draft, setKey, fault }} />}
          <FieldSightInput
            {...{ workspace, definition }}
            name={typedName}
            source={typeof draft.source === 'string' ? draft.source : undefined}
            value={draft.visible}
            error={fault('visible')}
            onChange={groups => setKey('visible', groups)}
          />
        </>
      )}
    </FileEditDialog>
  )
}

/** The name of a new field may tell the order of its pairs. */
const withPairOrder = (draft: FieldDraft, name: string): FieldDraft =>
  draft.type === 'geo' && draft.pairs === undefined && isLatitudeFirst(name)
    ? ({ ...draft, pairs: 'lat-lon' } as FieldDraft)
    : draft

interface StoredValuesProps {
  workspace: string
  collection: string
  name: string
  fields: Readonly<Record<string, Field>>
  draft: FieldDraft
  onRead: (reading: Reading) => void
}

/** Says how many stored values fit a new field, or one that is read in another way now. */
const StoredValues = ({ workspace, collection, name, fields, draft, onRead }: StoredValuesProps) => {
  const savedField: FieldDraft | undefined = Object.hasOwn(fields, name) ? fields[name] : undefined
  const isSame = ['type', 'decimal', 'formats', 'pairs'].every(
    key => JSON.stringify(draft[key]) === JSON.stringify(savedField?.[key]),
  )
  if (name === '' || draft.type === undefined || draft.type === 'vector' || isSame) return null
  // The server checks the other keys.
  return (
    <TypeMisfits
      {...{ workspace, collection, name, onRead }}
      field={draft as CheckedField}
      decimal={findSharedDecimal(fields)}
    />
  )
}

/** The usual signs, and that of the field. */
const listSigns = (listSeparator: unknown): string[] => [
  ...new Set([';', ',', '|', '/', '\n', ...(typeof listSeparator === 'string' ? [listSeparator] : [])]),
]

const ValuesInput = ({ draft, setKey, fault }: InputsProps) => (
  <NativeSelect
    label={t('Values')}
    description={t('Whether one text of a document is several values, such as gift;new.')}
    data={[
      { value: '', label: t('One value') },
      ...listSigns(draft.listSeparator).map(sign => ({
        value: sign,
        label: t('Several values, separated by {sign}', { sign: nameSign(sign) }),
      })),
    ]}
    value={String(draft.listSeparator ?? '')}
    error={fault('listSeparator')}
    onChange={event => setKey('listSeparator', event.currentTarget.value || undefined)}
  />
)

/** `language`: that of the collection. */
const TextFieldInputs = ({
  draft,
  setKey,
  fault,
  language = 'none',
}: InputsProps & { language: Collection['language'] }) => (
  <>
    <NativeSelect
      label={t('Language')}
      description={t('Finds other forms of a word, such as its plural.')}
      data={[{ value: '', label: t('that of the collection ({language})', { language }) }, ...languages]}
      value={String(draft.language ?? '')}
      error={fault('language')}
      onChange={event => setKey('language', event.currentTarget.value || undefined)}
    />
    <NumberField
      label={t('Weight')}
      allowed={{ min: 0, isAbove: true, max: 1000 }}
      description={t('How much its words count: 1 if empty, 2 for twice as much.')}
      value={typeof draft.weight === 'number' ? draft.weight : undefined}
      error={fault('weight')}
      onChange={weight => setKey('weight', weight)}
    />
    <Checkbox
      label={t('Suggestions')}
      description={t('Keeps words as typed too, so that endpoints can complete them and forgive typos.')}
      checked={draft.suggest === true}
      onChange={event => setKey('suggest', event.currentTarget.checked || undefined)}
    />
    <Checkbox
      label={t('Codes')}
      description={t(
        'For part numbers and the like: AX-100/B is also found as ax100b and AX 100 B. No typo turns one code into another.',
      )}
      checked={draft.codes === true}
      onChange={event => setKey('codes', event.currentTarget.checked || undefined)}
    />
  </>
)

const VectorFieldInputs = ({ draft, setKey, fault }: InputsProps) => (
  <>
    <NumberField
      label={t('Dimensions')}
      required
      allowed={{ min: 1, max: 4096, isWhole: true }}
      description={t('How many numbers each vector has, 1 to 4,096.')}
      value={typeof draft.dimensions === 'number' ? draft.dimensions : undefined}
      error={fault('dimensions')}
      onChange={dimensions => setKey('dimensions', dimensions)}
    />
    <NativeSelect
      label={t('Metric')}
      description={t('How near two vectors are. Take the one that your model was trained for.')}
      data={[
        { value: 'cosine', label: t('Cosine: the angle') },
        { value: 'dot', label: t('Dot product: angle and length') },
        { value: 'euclidean', label: t('Euclidean: the distance') },
      ]}
      value={String(draft.metric ?? 'cosine')}
      error={fault('metric')}
      onChange={({ currentTarget: { value } }) => setKey('metric', value === 'cosine' ? undefined : value)}
    />
  </>
)

export const DeleteField = ({
  workspace,
  collection,
  name = '',
  definition: _,
  ...dialog
}: FieldDialogProps) => (
  <FileEditDialog
    {...dialog}
    title={t('Delete the field {name}?', { name })}
    workspace={workspace}
    path={['collections', collection, 'fields', name]}
    submit={t('Delete')}
    color="red"
    removesUses="ask"
    edits={() => [fieldEdit(collection, name, undefined)]}
  />
)
