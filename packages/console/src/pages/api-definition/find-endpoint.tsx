import { TextInput } from '@mantine/core'
import { t } from '#i18n/translate.ts'

interface FindEndpointProps {
  search: string
  onChange: (search: string) => void
}

/** Searches a long list of endpoints. A short list does not load it. */
export const FindEndpoint = ({ search, onChange }: FindEndpointProps) => (
  <TextInput
    type="search"
    label={t('Find an endpoint')}
    maw={360}
    value={search}
    onChange={event => onChange(event.currentTarget.value)}
  />
)
