import { Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '#i18n/translate.ts'
import type { WorkingBoost } from './boosts.ts'

interface BoostGroupProps {
  boost: WorkingBoost
  onChange: (by: 'log' | 'linear') => void
  onRemove: () => void
  /** Sliders of its numbers. */
  children: ReactNode
}

/** A boost that the search always has: what it does, how much, and a button that removes it. */
export const BoostGroup = ({ boost, onChange, onRemove, children }: BoostGroupProps) => {
  const { title, field, by, breaksTies } = boost
  return (
    <Stack gap={6} role="group" aria-label={title}>
      <Group gap="sm" justify="space-between" align="flex-start" wrap="nowrap">
        <div>
          <Title order={2} size="h5">
            {title}
          </Title>
          <Text size="sm" c="dimmed">
            {breaksTies
              ? t('{field} orders documents that match equally well.', { field })
              : t('{field} multiplies the score.', { field })}
          </Text>
        </div>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t('Remove {title}', { title })}
          style={{ flexShrink: 0 }}
          onClick={onRemove}
        >
          {t('Remove')}
        </Button>
      </Group>
      {by !== undefined && (
        <NativeSelect
          label={t('How much it counts')}
          maw={320}
          data={[
            { value: 'log', label: t('The number, slowly (logarithm)') },
            { value: 'linear', label: t('The number') },
          ]}
          value={by}
          onChange={event => onChange(event.currentTarget.value === 'linear' ? 'linear' : 'log')}
        />
      )}
      {children}
    </Stack>
  )
}
