import { Checkbox, Stack } from '@mantine/core'
import type { Api } from '@querent/contract/workspace-file'
import { t } from '#i18n/translate.ts'
import type { InputsProps } from './draft-inputs.tsx'

interface FacetsInputProps extends Pick<InputsProps, 'draft' | 'setKey' | 'fault'> {
  definition: Api
}

/** The facets of a list. */
export const FacetsInput = ({ draft, setKey, fault, definition }: FacetsInputProps) => {
  const chosen = Array.isArray(draft.of) ? draft.of.map(String) : []
  const facets = Object.entries(definition.endpoints ?? {}).flatMap(([name, endpoint]) =>
    endpoint.kind === 'facet' && typeof endpoint.field === 'string' ? [name] : [],
  )
  return (
    <Checkbox.Group
      label={t('Facets')}
      description={t('None: all facets.')}
      value={chosen}
      error={fault('of')}
      onChange={names => setKey('of', names.length > 0 ? names : undefined)}
    >
      <Stack gap="xs" mt={6}>
        {facets.map(name => (
          <Checkbox key={name} value={name} label={name} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
