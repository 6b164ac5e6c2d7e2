import { Group } from '@mantine/core'
import { t } from '#i18n/translate.ts'
import { NumberField } from './number-field.tsx'
import type { LimitsDraft } from './rights-draft.ts'

interface LimitsInputsProps {
  value: LimitsDraft
  onChange: (limits: LimitsDraft) => void
  error?: string | undefined
}

/** Limits of queries that are lower than the server's. */
export const LimitsInputs = ({ value, onChange, error }: LimitsInputsProps) => (
  <Group gap="sm" wrap="nowrap" align="flex-start">
    {(
      [
        ['perMinute', t('Queries per minute'), 1_000_000_000],
        ['atOnce', t('Queries at once'), 10_000],
      ] as const
    ).map(([key, label, max]) => (
      <NumberField
        key={key}
        label={label}
        placeholder={t('as the server')}
        flex={1}
        miw={0}
        allowed={{ min: 1, max, isWhole: true }}
        value={value[key]}
        onChange={limit => onChange({ ...value, [key]: limit })}
        error={error}
      />
    ))}
  </Group>
)
