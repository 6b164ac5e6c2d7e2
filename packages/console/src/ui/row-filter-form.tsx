import { Button, Checkbox, Fieldset, Stack, Text } from '@mantine/core'
import type { CollectionSummary, RowFilter } from '@querent/contract/manage'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { ClosedCollections } from './closed-collections.tsx'
import { useReachableCollections } from './reachable-collections.ts'
import { RowCondition } from './row-condition.tsx'
import {
  emptyRow,
  type FilterField,
  type FilterHolder,
  type FilterRow,
  filterFields,
  rowFault,
  toFilter,
  toRows,
  writeRow,
} from './row-filter.ts'

interface RowFilterState {
  workspace: string
  collections: readonly CollectionSummary[]
  /** Undefined while the collections are being read. */
  fields: readonly FilterField[] | undefined
  rows: FilterRow[]
  onChange: (rows: FilterRow[]) => void
  /** Whether an empty filter opens everything, instead of none that says nothing. */
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  holder: FilterHolder
  /** Whether groups or defaults say what a member sees who has no filter. */
  hasOtherSources: boolean
  /** Keys of the rows to mark if they are incomplete: those that were there at the last attempt to save. */
  checkedKeys: readonly number[]
}
interface RowFilterFormProps extends RowFilterState {
  error: string | undefined
  /** The rights of the member: the form offers fields of collections that they open. */
  rights?: Parameters<typeof useReachableCollections>[2]
}

/** State of the row filter form in a dialog. `filter` is the initial value. */
export const useRowFilter = (
  workspace: string,
  filter: RowFilter | undefined,
  holder: FilterHolder = 'member',
) => {
  const [rows, setRows] = useState<FilterRow[]>(() => toRows(filter))
  const [isOpen, setOpen] = useState(filter !== undefined && Object.keys(filter).length === 0)
  const [checkedKeys, setCheckedKeys] = useState<readonly number[]>([])
  const { data } = useQuery(readOperation('listCollections', { params: { workspace } }))
  const { data: rights } = useQuery(readOperation('listGroups', { params: { workspace } }))
  const fields = data && filterFields(data.items)
  const [isWritten, setWritten] = useState(false)
  if (fields && !isWritten) {
    // Nobody has typed yet: the form appears with the fields, which say how its values are written.
    setWritten(true)
    setRows(rows.map(row => writeRow(row, fields)))
  }
  const state: RowFilterState = {
    workspace,
    collections: data?.items ?? [],
    fields,
    rows,
    onChange: setRows,
    isOpen,
    onOpen: setOpen,
    holder,
    hasOtherSources:
      rights !== undefined && (rights.items.length > 0 || rights.memberDefaults.filter !== undefined),
    checkedKeys,
  }
  return {
    state,
    /**
     * Returns the value for the management API; null: no filter. Returns undefined if a row is incomplete, and marks it.
     */
    read: (): RowFilter | null | undefined => {
      setCheckedKeys(rows.map(({ key }) => key))
      if (rows.length === 0) return isOpen ? {} : null
      const isWhole = fields && rows.every(row => rowFault(row, fields) === undefined)
      return isWhole ? toFilter(rows, fields) : undefined
    },
  }
}

/** Says what a filter without fields means. */
const explainEmpty = ({ holder, isOpen, hasOtherSources }: RowFilterState): string => {
  if (isOpen && (holder !== 'member' || hasOtherSources))
    return t('All documents, as chosen. Add a field to limit access to documents with certain values.')
  if (holder === 'never') return t('Add a field: documents with these values must stay hidden.')
  if (holder === 'group')
    return t('Not set by this group: the other groups of a member or the defaults decide.')
  if (holder === 'defaults') return t('Nothing is set. As soon as a group has a filter, it is needed here.')
  return hasOtherSources
    ? t('What the groups open, or else the defaults of members. Add a field for a filter of their own.')
    : t('All documents. Add a field to limit access to documents with certain values.')
}

/** Edits the documents that a member or a group sees: a condition for each field. */
export const RowFilterForm = ({ error, rights, ...state }: RowFilterFormProps) => {
  const { fields, rows, onChange, isOpen, holder, hasOtherSources, checkedKeys } = state
  const reachable = useReachableCollections(state.workspace, state.collections, rights)
  if (!fields) return null
  const reachableFields = filterFields(reachable)
  const free = reachableFields.filter(({ name }) => !rows.some(({ field }) => field === name))
  const [first] = free
  const isTest = holder === 'never'
  const mayOpen = !isTest && rows.length === 0 && (holder !== 'member' || hasOtherSources || isOpen)
  return (
    <Fieldset legend={isTest ? t('Documents that they must not see') : t('Document access')}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {rows.length === 0
            ? explainEmpty(state)
            : isTest
              ? t('All documents that match the condition on each field.')
              : t('Only documents that match the condition on each field.')}
        </Text>
        {mayOpen && (
          <Checkbox
            label={t('All documents')}
            checked={isOpen}
            onChange={event => state.onOpen(event.currentTarget.checked)}
          />
        )}
        {rows.map(row => (
          <RowCondition
            key={row.key}
            {...state}
            fields={fields}
            row={row}
            offered={[
              ...[...reachableFields, ...fields].filter(({ name }) => name === row.field).slice(0, 1),
              ...free,
            ]}
            fault={checkedKeys.includes(row.key) ? rowFault(row, fields) : undefined}
            onReplace={next => onChange(rows.map(one => (one.key === row.key ? next : one)))}
            onRemove={() => onChange(rows.filter(({ key }) => key !== row.key))}
          />
        ))}
        {!isTest && (
          <div role="status">
            <ClosedCollections collections={state.collections} fields={rows.map(({ field }) => field)} />
          </div>
        )}
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
