import { Checkbox, NativeSelect, Text } from '@mantine/core'
import {
  facetTypes,
  type ProposedField,
  type ProposedType,
  proposedTypes,
  rangeTypes,
  sortTypes,
  tieTypes,
  titleWeight,
} from '@querent/contract/proposal'
import { t } from '#i18n/translate.ts'
import { DataTable } from '#ui/data-table.tsx'
import { TypeCheck, withoutReading } from './type-check.tsx'

interface FieldTableProps {
  fields: readonly ProposedField[]
  onChange: (field: ProposedField) => void
}

/** Shows the fields, and the choices for each. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: older than the limit
export const FieldTable = ({ fields, onChange }: FieldTableProps) => (
  <DataTable
    caption={t('Fields')}
    rows={fields}
    rowKey={({ name }) => name}
    columns={[
      {
        heading: t('Field'),
        cell: ({ name, examples, from }) => (
          <>
            <Text size="sm" fw={600}>
              {name}
            </Text>
            <Text size="xs" c="dimmed" lineClamp={1}>
              {examples.join(' · ') || t('empty')}
            </Text>
            {from && (
              <Text size="xs" c="dimmed">
                {t('from {lat} and {lon}', from)}
              </Text>
            )}
          </>
        ),
      },
      {
        heading: t('Type'),
        cell: field => (
          <>
            <NativeSelect
              size="xs"
              miw={108}
              aria-label={t('Type of {name}', { name: field.name })}
              data={field.from ? [field.type] : [...proposedTypes]}
              value={field.type}
              onChange={event => {
                const type = proposedTypes.find(known => known === event.currentTarget.value)
                if (type) onChange(changeType(field, type))
              }}
            />
            <TypeCheck field={field} onChange={onChange} />
          </>
        ),
      },
      {
        heading: t('Used'),
        cell: field => (
          <Checkbox
            aria-label={t('Use {name}', { name: field.name })}
            checked={field.use}
            onChange={event => onChange({ ...field, use: event.currentTarget.checked })}
          />
        ),
      },
      {
        heading: t('Searched'),
        cell: field =>
          (field.type === 'text' || field.type === 'keyword') && (
            <Checkbox
              aria-label={t('Search {name}', { name: field.name })}
              disabled={!field.use || field.type === 'text'}
              checked={field.type === 'text' || field.search}
              onChange={event => onChange({ ...field, search: event.currentTarget.checked })}
            />
          ),
      },
      {
        heading: t('Counts more'),
        cell: field =>
          field.type === 'text' && (
            <Checkbox
              aria-label={t('{name} counts more', { name: field.name })}
              disabled={!field.use}
              checked={field.weight > 1}
              onChange={event =>
                onChange({ ...field, weight: event.currentTarget.checked ? titleWeight : 1 })
              }
            />
          ),
      },
      {
        heading: t('Facet'),
        cell: field =>
          facetTypes.includes(field.type) && (
            <Checkbox
              aria-label={t('Facet of {name}', { name: field.name })}
              disabled={!field.use}
              checked={field.facet}
              onChange={event => onChange({ ...field, facet: event.currentTarget.checked })}
            />
          ),
      },
      {
        heading: t('Range'),
        cell: field =>
          rangeTypes.includes(field.type) && (
            <Checkbox
              aria-label={t('Range of {name}', { name: field.name })}
              disabled={!field.use}
              checked={field.range}
              onChange={event => onChange({ ...field, range: event.currentTarget.checked })}
            />
          ),
      },
      {
        heading: t('Sort'),
        cell: field =>
          sortTypes.includes(field.type) && (
            <Checkbox
              aria-label={t('Sort by {name}', { name: field.name })}
              disabled={!field.use}
              checked={field.sort}
              onChange={event => onChange({ ...field, sort: event.currentTarget.checked })}
            />
          ),
      },
      {
        heading: t('Breaks ties'),
        cell: field =>
          tieTypes.includes(field.type) && (
            <Checkbox
              aria-label={t('{name} breaks ties', { name: field.name })}
              disabled={!field.use}
              checked={field.breaksTies}
              onChange={event => onChange({ ...field, breaksTies: event.currentTarget.checked })}
            />
          ),
      },
    ]}
  />
)

/** The field with another type, and what such a field is usually for. */
const changeType = (field: ProposedField, type: ProposedType): ProposedField => ({
  ...withoutReading(field),
  type,
  use: field.use,
  weight: 1,
  search: false,
  facet: type === 'keyword' || type === 'boolean',
  range: type === 'number' || type === 'date',
  sort: type === 'number' || type === 'date',
  breaksTies: false,
})
