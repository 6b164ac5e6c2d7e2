import { Button, Group, TextInput } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { t } from '#i18n/translate.ts'

interface FilterFormProps {
  onSubmit: () => void
  children: ReactNode
}

/** The filters of a list, and the button that applies them. */
export const FilterForm = ({ onSubmit, children }: FilterFormProps) => {
  const apply = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <Group component="form" className="filter-form" onSubmit={apply} align="flex-end" gap="sm" role="search">
      {children}
      <Button type="submit" variant="default">
        {t('Filter')}
      </Button>
    </Group>
  )
}

interface SinceInputProps {
  /** Such as `2026-01-31`; empty for any time. */
  day: string
  onChange: (day: string) => void
}

/** The first day of the entries in a log. */
export const SinceInput = ({ day, onChange }: SinceInputProps) => (
  <TextInput
    label={t('Since')}
    type="date"
    value={day}
    onChange={event => onChange(event.currentTarget.value)}
  />
)

/** Returns the start of the day in the time zone of the browser, in ISO 8601; undefined without a day. */
export const startOfDay = (day: string): string | undefined =>
  day === '' ? undefined : new Date(`${day}T00:00`).toISOString()
