import { NativeSelect } from '@mantine/core'
import { t } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'

interface SortSelectProps {
  columns: readonly string[]
  sort: string | undefined
  onSort: (sort: string | undefined) => void
}

/** Sorts where there is no table with headings: in the list, which phones always have. */
export const SortSelect = ({ columns, sort, onSort }: SortSelectProps) => {
  const { idField, fields } = useCollection().summary
  const names = [idField, ...columns.filter(name => name !== idField)]
  const sortField = sort?.replace(/^-/, '')
  const offered = sortField === undefined || names.includes(sortField) ? names : [...names, sortField]
  return (
    <NativeSelect
      size="xs"
      maw="100%"
      aria-label={t('Sort by')}
      data={[
        { value: '', label: t('not sorted') },
        ...offered.flatMap(name => {
          const field = fields.find(one => one.name === name)?.title ?? name
          return [
            { value: name, label: t('{field}, ascending', { field }) },
            { value: `-${name}`, label: t('{field}, descending', { field }) },
          ]
        }),
      ]}
      value={sort ?? ''}
      onChange={({ currentTarget: { value } }) => onSort(value === '' ? undefined : value)}
    />
  )
}
