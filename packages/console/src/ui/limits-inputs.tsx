import { Group } from '@mantine/core'
import { t } from '#i18n/translate.ts'
import { NumberField } from './number-field.tsx'
import { areLimits, type LimitsDraft } from './rights-draft.ts'

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
        ['perMinute', t('Queries per minute')],
        ['atOnce', t('Queries at once')],
      ] as const
    ).map(([key, label]) => (
      <NumberField
        key={key}
        label={label}
        placeholder={t('as the server')}
        flex={1}
        miw={0}
        value={value[key]}
        onChange={limit => onChange({ ...value, [key]: limit })}
        error={
          error ??
          (areLimits({ perMinute: undefined, atOnce: undefined, [key]: value[key] })
            ? undefined
            : t('a whole number from 1'))
        }
      />
    ))}
  </Group>
)
