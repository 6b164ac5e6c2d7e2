import { Textarea } from '@mantine/core'
import { t } from '#i18n/translate.ts'

interface AddressesFieldProps {
  /** Text as typed. */
  value: string
  onChange: (text: string) => void
  error: string | undefined
}

/** IP addresses from which a System-to-System account may get tokens. */
export const AddressesField = ({ value, onChange, error }: AddressesFieldProps) => (
  <Textarea
    label={t('Allowed IP addresses')}
    description={t(
      'One address or range per line, such as 192.0.2.0/24. Leave empty to allow any. Existing tokens stay valid until they expire.',
    )}
    autosize
    spellCheck={false}
    value={value}
    onChange={event => onChange(event.currentTarget.value)}
    error={error}
  />
)
