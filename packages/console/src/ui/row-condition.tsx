/** One condition of a row filter in a form. */
import {
  Button,
  Checkbox,
  CloseButton,
  Group,
  Select,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import type { CollectionSummary } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'
import { booleanChoices } from './boolean-words.ts'
import { useAbsentValues, useFieldValues } from './field-values.ts'
import {
  type ConditionForm,
  describeRow,
  emptyRow,
  type FilterField,
  type FilterHolder,
  type FilterRow,
  formsFor,
} from './row-filter.ts'
import { writeTypedValue } from './typed-value.ts'

const formLabels: Readonly<Record<ConditionForm, string>> = {
  values: t('is one of'),
  not: t('is none of'),
  range: t('is in the range'),
  member: t('is one of the member’s'),
  'not-member': t('is none of the member’s'),
  other: t('another condition'),
}

interface RowConditionProps {
  workspace: string
  collections: readonly CollectionSummary[]
  fields: readonly FilterField[]
  holder: FilterHolder
  row: FilterRow
  /** Fields that the row may have. */
  offered: readonly FilterField[]
  fault: string | undefined
  onReplace: (row: FilterRow) => void
  onRemove: () => void
}

/** Edits the field, the condition and its values. */
export const RowCondition = ({ row, offered, onReplace, onRemove, ...rest }: RowConditionProps) => {
  const { type, form: valueForm } = rest.fields.find(({ name }) => name === row.field) ?? unknownField
  const offeredForms = formsFor(type, rest.holder)
  const forms = row.form === 'other' ? [...offeredForms, row.form] : offeredForms
  const chooseField = (field: string | null) =>
    field !== null && onReplace({ ...emptyRow(field), key: row.key })
  const chooseForm = (form: string | null) => {
    const chosen = forms.find(one => one === form)
    if (chosen && chosen !== row.form) onReplace({ ...row, form: chosen })
  }
  return (
    <Stack gap="xs" className="row-condition">
      <Group align="flex-end" gap="sm" wrap="nowrap">
        <Select
          label={t('Field')}
          data={offered.map(field => ({ value: field.name, label: labelField(field, rest.collections) }))}
          value={row.field}
          onChange={chooseField}
          allowDeselect={false}
          flex={1}
          miw={0}
        />
        <Select
          label={t('Condition')}
          data={forms.map(form => ({ value: form, label: formLabels[form] }))}
          value={row.form}
          onChange={chooseForm}
          allowDeselect={false}
          flex={1}
          miw={0}
        />
        <CloseButton mb={4} aria-label={t('Remove field {field}', { field: row.field })} onClick={onRemove} />
      </Group>
      <ConditionInputs {...rest} row={row} onReplace={onReplace} type={type} form={valueForm} />
    </Stack>
  )
}

const unknownField: Pick<FilterField, 'type' | 'form'> = { type: 'keyword', form: {} }

/** Names the collections of the field, because several may have one with nearly the same name. */
const labelField = ({ title, collections }: FilterField, all: readonly CollectionSummary[]): string =>
  all.length > 1 ? `${title} (${collections.join(', ')})` : title

interface ConditionInputsProps extends Omit<RowConditionProps, 'offered' | 'onRemove'> {
  type: FilterField['type']
  form: FilterField['form']
}

const ConditionInputs = (props: ConditionInputsProps) => {
  const { row, fields, fault, onReplace } = props
  if (row.form === 'other') return <Text size="sm">{describeRow(row, fields)}</Text>
  if (row.form === 'range') return <RangeInputs {...props} />
  if (row.form === 'values' || row.form === 'not')
    return props.type === 'boolean' ? <BooleanInput {...props} /> : <ValuesInput {...props} />
  return (
    <TextInput
      label={t('Attribute of the member')}
      description={t('Such as department. Members without it see no document.')}
      spellCheck={false}
      value={row.attribute}
      onChange={event => onReplace({ ...row, attribute: event.currentTarget.value })}
      error={fault}
    />
  )
}

/** A boolean has two values. */
const BooleanInput = ({ row, fault, onReplace }: ConditionInputsProps) => (
  <Group gap="md" role="group" aria-label={t('Values')}>
    {booleanChoices().map(({ value, label }) => (
      <Checkbox
        key={value}
        label={label}
        checked={row.values.includes(value)}
        onChange={event =>
          onReplace({
            ...row,
            values: event.currentTarget.checked
              ? [...row.values, value]
              : row.values.filter(each => each !== value),
          })
        }
      />
    ))}
    {fault !== undefined && (
      <Text size="xs" c="var(--mantine-color-error)">
        {fault}
      </Text>
    )}
  </Group>
)

const RangeInputs = ({ row, type, fault, onReplace }: ConditionInputsProps) => {
  const input = (end: 'from' | 'to', label: string) => (
    <TextInput
      label={label}
      flex={1}
      miw={0}
      value={row[end]}
      onChange={event => onReplace({ ...row, [end]: event.currentTarget.value })}
      error={fault !== undefined}
    />
  )
  return (
    <Stack gap={4}>
      <Group gap="sm" wrap="nowrap">
        {input('from', t('From'))}
        {input('to', t('To'))}
      </Group>
      <Text size="xs" c={fault === undefined ? 'dimmed' : 'var(--mantine-color-error)'}>
        {fault ??
          (type === 'date'
            ? t('Dates such as 2024-01-31, or now. Both belong to the range; leave one empty for no limit.')
            : t('Both numbers belong to the range; leave one empty for no limit.'))}
      </Text>
    </Stack>
  )
}

/** Buttons with values below a field. */
const suggestionsShown = 8

/** Edits the values of a row. Suggests those that documents have, and warns of values that none has. */
const ValuesInput = ({ workspace, collections, row, type, form, fault, onReplace }: ConditionInputsProps) => {
  const suggestions = (useFieldValues(workspace, collections, row.field) ?? []).map(suggestion => ({
    ...suggestion,
    value: writeTypedValue(suggestion.value, type, form),
  }))
  const unusual = row.values.filter(value => !suggestions.some(suggestion => suggestion.value === value))
  const absent = useAbsentValues(workspace, collections, { name: row.field, type, form }, unusual)
  const warning =
    absent.length === 0 ? undefined : t('No document has {values}', { values: absent.join(', ') })
  const free = suggestions.filter(({ value }) => !row.values.includes(value)).slice(0, suggestionsShown)
  return (
    <Stack gap="xs">
      <TagsInput
        label={t('Values')}
        value={row.values}
        onChange={values => onReplace({ ...row, values })}
        // The line is always there, so that buttons below do not move.
        description={fault ?? warning ?? t('Type each value and press Enter')}
        descriptionProps={
          fault === undefined && warning === undefined ? {} : { c: 'var(--mantine-color-error)' }
        }
        inputWrapperOrder={['label', 'input', 'description']}
        error={fault !== undefined}
      />
      {free.length > 0 && (
        <Group gap="xs" role="group" aria-label={t('Frequent values of {field}', { field: row.field })}>
          {free.map(({ value, documents }) => (
            <Button
              key={value}
              size="compact-sm"
              variant="default"
              maw="100%"
              onClick={() => onReplace({ ...row, values: [...row.values, value] })}
            >
              {t('{value} ({documents})', { value, documents })}
            </Button>
          ))}
        </Group>
      )}
    </Stack>
  )
}
