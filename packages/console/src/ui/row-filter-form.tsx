import { Button, CloseButton, Fieldset, Group, Select, Stack, TagsInput, Text } from '@mantine/core'
import type { CollectionSummary, RowFilter } from '@querent/contract/manage'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { useAbsentValues, useFieldValues } from './field-values.ts'
import {
  describeRow,
  emptyRow,
  type FilterField,
  type FilterRow,
  filterFields,
  rowFault,
  toFilter,
  toRows,
} from './row-filter.ts'

interface RowFilterState {
  workspace: string
  collections: readonly CollectionSummary[]
  /** Undefined while the collections are being read. */
  fields: readonly FilterField[] | undefined
  rows: FilterRow[]
  onChange: (rows: FilterRow[]) => void
  /** Marks incomplete rows. */
  isChecked: boolean
}
interface RowFilterFormProps extends RowFilterState {
  error: string | undefined
}

/** State of the row filter form in a dialog. `filter` is the initial value. */
export const useRowFilter = (workspace: string, filter: RowFilter | undefined) => {
  const [rows, setRows] = useState<FilterRow[]>(() => toRows(filter))
  const [isChecked, setChecked] = useState(false)
  const { data } = useQuery(readOperation('listCollections', { params: { workspace } }))
  const fields = data && filterFields(data.items)
  const state: RowFilterState = {
    workspace,
    collections: data?.items ?? [],
    fields,
    rows,
    onChange: setRows,
    isChecked,
  }
  return {
    state,
    /** Returns the value for the management API. Returns undefined if a row is incomplete, and marks it. */
    read: (): RowFilter | null | undefined => {
      setChecked(true)
      // An empty filter allows everything, whatever groups and defaults say.
      if (rows.length === 0) return filter && Object.keys(filter).length === 0 ? {} : null
      const isWhole = fields && rows.every(row => rowFault(row, fields) === undefined)
      return isWhole ? toFilter(rows, fields) : undefined
    },
  }
}

/** Edits the documents that a member sees: the allowed values of each field. */
export const RowFilterForm = ({
  workspace,
  collections,
  fields,
  rows,
  onChange,
  isChecked,
  error,
}: RowFilterFormProps) => {
  if (!fields) return null
  const free = fields.filter(({ name }) => !rows.some(({ field }) => field === name))
  const change = (key: number, next: Partial<FilterRow>) =>
    onChange(rows.map(row => (row.key === key ? { ...row, ...next } : row)))
  const [first] = free
  return (
    <Fieldset legend={t('Document access')}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {rows.length === 0
            ? t('All documents. Add a field to limit access to documents with certain values.')
            : t('Only documents that match one of the values in each field.')}
        </Text>
        {rows.map(row => {
          const fault = isChecked ? rowFault(row, fields) : undefined
          return (
            <Group key={row.key} align="flex-start" gap="sm">
              <Select
                label={t('Field')}
                data={fields
                  .filter(field => field.name === row.field || free.includes(field))
                  .map(({ name, title }) => ({ value: name, label: title }))}
                value={row.field}
                onChange={field =>
                  field !== null && onChange(rows.map(one => (one.key === row.key ? emptyRow(field) : one)))
                }
                allowDeselect={false}
                w={{ base: '100%', xs: 180 }}
              />
              {row.condition === undefined ? (
                <RowValues
                  workspace={workspace}
                  collections={collections}
                  fields={fields}
                  row={row}
                  fault={fault}
                  onChange={values => change(row.key, { values })}
                />
              ) : (
                <Text size="sm" flex={1} miw={160} mt={28}>
                  {describeRow(row, fields)}
                </Text>
              )}
              <CloseButton
                mt={26}
                aria-label={t('Remove field {field}', { field: row.field })}
                onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
              />
            </Group>
          )
        })}
        {error !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {error}
          </Text>
        )}
        {first && (
          <Button
            variant="default"
            size="compact-sm"
            style={{ alignSelf: 'flex-start' }}
            onClick={() => onChange([...rows, emptyRow(first.name)])}
          >
            {t('Add field')}
          </Button>
        )}
      </Stack>
    </Fieldset>
  )
}

/** Buttons with values below a field. */
const suggestionsShown = 8

interface RowValuesProps extends Pick<RowFilterState, 'workspace' | 'collections'> {
  fields: readonly FilterField[]
  row: FilterRow
  fault: string | undefined
  onChange: (values: string[]) => void
}

/** Edits the values of a row. Suggests those that documents have, and warns of values that none has. */
const RowValues = ({ workspace, collections, fields, row, fault, onChange }: RowValuesProps) => {
  const suggestions = useFieldValues(workspace, collections, row.field) ?? []
  const type = fields.find(({ name }) => name === row.field)?.type ?? 'keyword'
  const unusual = row.values.filter(value => !suggestions.some(suggestion => suggestion.value === value))
  const absent = useAbsentValues(workspace, collections, { name: row.field, type }, unusual)
  const warning =
    absent.length === 0 ? undefined : t('No document has {values}', { values: absent.join(', ') })
  const free = suggestions.filter(({ value }) => !row.values.includes(value)).slice(0, suggestionsShown)
  return (
    <Stack gap="xs" flex={1} miw={160}>
      <TagsInput
        label={t('Values')}
        value={row.values}
        onChange={onChange}
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
              onClick={() => onChange([...row.values, value])}
            >
              {t('{value} ({documents})', { value, documents })}
            </Button>
          ))}
        </Group>
      )}
    </Stack>
  )
}
