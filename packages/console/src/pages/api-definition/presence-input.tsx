import { NativeSelect } from '@mantine/core'
import { t } from '#i18n/translate.ts'
import type { InputsProps } from './draft-inputs.tsx'

/** Whether a filter keeps documents with one value, with any, or without one. */
export const PresenceInput = ({ draft, merge }: InputsProps) => (
  <NativeSelect
    label={t('Documents')}
    data={[
      { value: 'value', label: t('With one value') },
      { value: 'present', label: t('With any value') },
      { value: 'missing', label: t('Without a value') },
    ]}
    value={draft.present === undefined ? 'value' : draft.present ? 'present' : 'missing'}
    onChange={event => {
      const chosen = event.currentTarget.value
      merge({
        present: chosen === 'value' ? undefined : chosen === 'present',
        ...(chosen !== 'value' && { value: undefined, parameter: undefined }),
      })
    }}
  />
)
