import { MultiSelect } from '@mantine/core'
import type { Api } from '@querent/contract/workspace-file'
import { workspaceLimits } from '@querent/contract/workspace-limits'
import { t } from '#i18n/translate.ts'
import type { InputsProps } from './draft-inputs.tsx'

interface DefaultBoostsInputProps extends InputsProps {
  definition: Api
}

/** The boosts that apply whenever the endpoint ranks. */
export const DefaultBoostsInput = ({ draft, setKey, fault, definition }: DefaultBoostsInputProps) => {
  const chosen = Array.isArray(draft.boosts) ? draft.boosts.map(String) : []
  const usable = Object.entries(definition.endpoints ?? {}).flatMap(([name, endpoint]) =>
    endpoint.kind === 'boost' && (endpoint.halfDistance === undefined || endpoint.from) ? [name] : [],
  )
  if (usable.length + chosen.length === 0) return null
  return (
    <MultiSelect
      label={t('Boosts of every search')}
      description={t('With completion or typos they decide between equally good matches.')}
      data={[...new Set([...usable, ...chosen])]}
      maxValues={workspaceLimits.boostsPerEndpoint}
      value={chosen}
      error={fault('boosts')}
      onChange={names => setKey('boosts', names.length > 0 ? names : undefined)}
    />
  )
}
