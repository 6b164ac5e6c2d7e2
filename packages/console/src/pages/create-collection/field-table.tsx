import { Checkbox, NativeSelect, Text } from '@mantine/core'
import {
  facetTypes,
  type ProposedField,
  proposedTypes,
  sortTypes,
  titleWeight,
} from '@querent/contract/proposal'
import { t } from '#i18n/translate.ts'
import { DataTable } from '#ui/data-table.tsx'

interface FieldTableProps {
  fields: readonly ProposedField[]
  onChange: (name: string, part: Partial<ProposedField>) => void
}

/** Shows the fields, and the choices for each. */
export const FieldTable = ({ fields, onChange }: FieldTableProps) => (
  <DataTable
    caption={t('Fields')}
    rows={fields}
    rowKey={({ name }) => name}
    columns={[
      {
        heading: t('Field'),
        cell: ({ name, examples }) => (
          <>
            <Text size="sm" fw={600}>
              {name}
            </Text>
            <Text size="xs" c="dimmed" lineClamp={1}>
              {examples.join(' · ') || t('empty')}
            </Text>
          </>
        ),
      },
      {
        heading: t('Type'),
        cell: ({ name, type }) => (
          <NativeSelect
            size="xs"
            miw={108}
            aria-label={t('Type of {name}', { name })}
            data={[...proposedTypes]}
            value={type}
            onChange={event => {
              const chosen = proposedTypes.find(known => known === event.currentTarget.value)
              if (chosen)
                onChange(name, {
                  type: chosen,
                  facet: chosen === 'keyword' || chosen === 'boolean',
                  sort: chosen === 'number' || chosen === 'date',
                })
            }}
          />
        ),
      },
      {
        heading: t('Used'),
        cell: ({ name, use }) => (
          <Checkbox
            aria-label={t('Use {name}', { name })}
            checked={use}
            onChange={event => onChange(name, { use: event.currentTarget.checked })}
          />
        ),
      },
      {
        heading: t('Counts more'),
        cell: ({ name, type, use, weight }) =>
          type === 'text' && (
            <Checkbox
              aria-label={t('{name} counts more', { name })}
              disabled={!use}
              checked={weight > 1}
              onChange={event => onChange(name, { weight: event.currentTarget.checked ? titleWeight : 1 })}
            />
          ),
      },
      {
        heading: t('Facet'),
        cell: ({ name, type, use, facet }) =>
          facetTypes.includes(type) && (
            <Checkbox
              aria-label={t('Facet of {name}', { name })}
              disabled={!use}
              checked={facet}
              onChange={event => onChange(name, { facet: event.currentTarget.checked })}
            />
          ),
      },
      {
        heading: t('Sort'),
        cell: ({ name, type, use, sort }) =>
          sortTypes.includes(type) && (
            <Checkbox
              aria-label={t('Sort by {name}', { name })}
              disabled={!use}
              checked={sort}
              onChange={event => onChange(name, { sort: event.currentTarget.checked })}
            />
          ),
      },
    ]}
  />
)
