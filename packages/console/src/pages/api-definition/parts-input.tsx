import { Checkbox, Group, Stack } from '@mantine/core'
import { type EndpointKind, mixableKinds } from '@querent/contract/endpoint-traits'
import type { Endpoint } from '@querent/contract/endpoints'
import type { Api } from '@querent/contract/workspace-file'
import { t } from '#i18n/translate.ts'
import { NumberField } from '#ui/number-field.tsx'
import type { InputsProps } from './draft-inputs.tsx'

interface PartsInputProps extends InputsProps {
  definition: Api
  /** The endpoint itself, which cannot be a part. */
  name: string | undefined
}

const filteringKinds: readonly EndpointKind[] = ['filter', 'range']
const elementKinds: readonly EndpointKind[] = [...filteringKinds, 'area']

/** The endpoints that a mix or an `any` combines. */
export const PartsInput = (props: PartsInputProps) =>
  props.draft.kind === 'mix' ? <MixInput {...props} /> : <AnyInput {...props} />

const listEndpoints = ({ definition, name }: PartsInputProps): [string, Endpoint][] =>
  Object.entries(definition.endpoints ?? {}).filter(([candidate]) => candidate !== name)

const MixInput = (props: PartsInputProps) => {
  const { draft, setKey, fault } = props
  const weights: Readonly<Record<string, number>> =
    typeof draft.of === 'object' && draft.of !== null ? { ...draft.of } : {}
  const parts = listEndpoints(props).filter(([, { kind }]) => mixableKinds.includes(kind))
  return (
    <>
      <Checkbox.Group
        label={t('Searches and their weights')}
        value={Object.keys(weights)}
        error={parts.length === 0 ? t('Add a full-text search first.') : fault('of')}
        onChange={names => setKey('of', Object.fromEntries(names.map(part => [part, weights[part] ?? 1])))}
      >
        <Stack gap="xs" mt={6}>
          {parts.map(([part]) => (
            <Group key={part} gap="sm" wrap="nowrap">
              <Checkbox value={part} label={part} flex={1} />
              {weights[part] !== undefined && (
                <NumberField
                  aria-label={t('Weight of {part}', { part })}
                  w={130}
                  required
                  allowed={{ min: 0, isAbove: true }}
                  value={weights[part]}
                  onChange={weight => setKey('of', { ...weights, [part]: weight ?? 1 })}
                />
              )}
            </Group>
          ))}
        </Stack>
      </Checkbox.Group>
      <Checkbox
        label={t('Combine scores instead of ranks')}
        checked={draft.scores === true}
        onChange={event => setKey('scores', event.currentTarget.checked || undefined)}
      />
    </>
  )
}

const AnyInput = (props: PartsInputProps) => {
  const { draft, setKey, fault } = props
  const chosen = Array.isArray(draft.of) ? draft.of.map(String) : []
  const parts = listEndpoints(props).flatMap(([part, { kind }]) => {
    if (kind === 'facet') return [`${part}:FILTER`]
    return (draft.kind === 'together' ? elementKinds : filteringKinds).includes(kind) ? [part] : []
  })
  return (
    <>
      <Checkbox.Group
        label={t('Filters')}
        value={chosen}
        error={parts.length === 0 ? t('Add a filter, range or facet first.') : fault('of')}
        onChange={names => setKey('of', names)}
      >
        <Stack gap="xs" mt={6}>
          {parts.map(part => (
            <Checkbox key={part} value={part} label={part} />
          ))}
        </Stack>
      </Checkbox.Group>
      {draft.kind === 'any' && (
        <Checkbox
          label={t('Keep what none of them keeps')}
          checked={draft.not === true}
          onChange={event => setKey('not', event.currentTarget.checked || undefined)}
        />
      )}
    </>
  )
}
