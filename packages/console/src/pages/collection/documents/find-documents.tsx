import { Badge, Button, CloseButton, Group, TextInput } from '@mantine/core'
import { IconFilter, IconSearch } from '@tabler/icons-react'
import { lazy } from 'react'
import { type DocumentFilter, listOptions } from '#api/documents.ts'
import { t } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { filterFields } from '#ui/row-filter.ts'
import { useSearchText } from '#ui/use-search-text.ts'
import { listConditions } from './list-conditions.ts'
import { useConditionWriter } from './use-condition-writer.ts'

const AddCondition = lazy(async () => ({ default: (await import('./add-condition.tsx')).AddCondition }))

interface FindDocumentsProps {
  filter: DocumentFilter
  onChange: (filter: DocumentFilter) => void
}

/** Searches while the person types, and limits the list to values of fields. */
export const FindDocuments = ({ filter, onChange }: FindDocumentsProps) => {
  const { summary } = useCollection()
  const { where } = filter
  const write = useConditionWriter(Object.keys(where).length > 0)
  const conditions = listConditions(where, summary.fields, write)
  const remaining = filterFields([summary]).filter(
    ({ name }) => !conditions.some(({ field }) => field === name) && !listOptions.includes(name),
  )
  return (
    <>
      <Group gap="sm" role="search">
        <SearchField search={filter.search} onSearch={search => onChange({ search, where })} />
        {remaining.length > 0 && (
          <DialogButton
            label={t('Add filter')}
            variant="default"
            leftSection={<IconFilter size={16} stroke={1.5} />}
          >
            {dialog => (
              <AddCondition
                {...dialog}
                fields={remaining}
                onAdd={added => onChange({ ...filter, where: { ...where, ...added } })}
              />
            )}
          </DialogButton>
        )}
      </Group>
      {conditions.length > 0 && (
        <Group gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }} aria-label={t('Filters')}>
          {conditions.map(({ text, remaining: others }) => (
            <li key={text}>
              <Badge
                size="lg"
                variant="light"
                maw="100%"
                rightSection={
                  <CloseButton
                    size="sm"
                    aria-label={t('Remove the filter {filter}', { filter: text })}
                    onClick={() => onChange({ ...filter, where: others })}
                  />
                }
              >
                {text}
              </Badge>
            </li>
          ))}
          <li>
            <Button variant="subtle" size="compact-sm" onClick={() => onChange({ ...filter, where: {} })}>
              {t('Remove all filters')}
            </Button>
          </li>
        </Group>
      )}
    </>
  )
}

const SearchField = ({ search, onSearch }: { search: string; onSearch: (search: string) => void }) => {
  const [text, type] = useSearchText(search, onSearch)
  return (
    <TextInput
      type="search"
      aria-label={t('Search documents')}
      placeholder={t('Words or id')}
      leftSection={<IconSearch size={16} stroke={1.5} />}
      maxLength={1000}
      flex={1}
      miw={200}
      maw={420}
      value={text}
      onChange={event => type(event.currentTarget.value)}
    />
  )
}
