import { Textarea } from '@mantine/core'

interface AddressesFieldProps {
  /** As typed. */
  value: string
  onChange: (text: string) => void
  error: string | undefined
}

/** Where a System-to-System account may be used from. */
export const AddressesField = ({ value, onChange, error }: AddressesFieldProps) => (
  <Textarea
    label="Addresses it may be used from"
    description="IP addresses or ranges such as 192.0.2.0/24, one on each line; none: from everywhere. A token got before holds until it expires"
    autosize
    spellCheck={false}
    value={value}
    onChange={event => onChange(event.currentTarget.value)}
    error={error}
  />
)
