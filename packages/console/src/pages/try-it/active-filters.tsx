import { Button, Group, Text, VisuallyHidden } from '@mantine/core'
import type { StackedEndpoint } from '@querent/contract/paths'
import { IconX } from '@tabler/icons-react'
import { t } from '#i18n/translate.ts'
import { listFilters, withoutFilters } from './filters.ts'
import type { TryItDescription } from './search-draft.ts'

interface ActiveFiltersProps {
  description: TryItDescription
  stack: StackedEndpoint[]
  onChange: (stack: StackedEndpoint[]) => unknown
}

/** The filters of the query. Each can be removed by itself, or all at once. */
export const ActiveFilters = ({ description, stack, onChange }: ActiveFiltersProps) => {
  const filters = listFilters(stack, description)
  if (filters.length === 0) return null
  return (
    <Group gap="xs" role="group" aria-label={t('Filters')}>
      <Text size="sm" fw={600}>
        {t('Filters')}
      </Text>
      {filters.map(({ label, remaining: without }) => (
        <Button
          key={label}
          size="compact-md"
          variant="light"
          fw={500}
          maw="100%"
          rightSection={<IconX size={14} />}
          onClick={() => onChange(without)}
        >
          <VisuallyHidden>{t('Remove the filter')} </VisuallyHidden>
          {label}
        </Button>
      ))}
      {filters.length > 1 && (
        <Button
          size="compact-md"
          variant="subtle"
          onClick={() => onChange(withoutFilters(stack, description))}
        >
          {t('Remove all filters')}
        </Button>
      )}
    </Group>
  )
}
