/** The inputs of an endpoint, by its kind. */
import { MultiSelect, NativeSelect, Stack, TextInput } from '@mantine/core'
import { boostableKinds, type EndpointKind, endpointTraits } from '@querent/contract/endpoint-traits'
import { listFacetFields } from '@querent/contract/facet-fields'
import type { Api, FieldType, WorkspaceFile } from '@querent/contract/workspace-file'
import { workspaceLimits } from '@querent/contract/workspace-limits'
import type { ReactNode } from 'react'
import { t } from '#i18n/translate.ts'
import { NumberField } from '#ui/number-field.tsx'
import { AreaInputs } from './area-inputs.tsx'
import { BoostInputs } from './boost-inputs.tsx'
import { type Draft, type InputsProps, ParameterInput, readText } from './draft-inputs.tsx'
import { FacetFieldInput } from './facet-field-input.tsx'
import { FacetInputs } from './facet-inputs.tsx'
import { FacetsInput } from './facets-input.tsx'
import { type FacetEndpoint, listFields } from './kinds.ts'
import { MatchInputs } from './match-inputs.tsx'
import { NearestInputs } from './nearest-inputs.tsx'
import { PartsInput } from './parts-input.tsx'
import { SimilarInputs } from './similar-inputs.tsx'
import { ValueInput } from './value-input.tsx'

interface EndpointInputsProps extends Omit<InputsProps, 'setKey' | 'merge'> {
  onChange: (draft: Draft) => void
  definition: Api
  file: WorkspaceFile
  /** Undefined for a new endpoint. */
  name?: string
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: older than the limit
export const EndpointInputs = ({ draft, onChange, fault, definition, file, name }: EndpointInputsProps) => {
  const { kind } = draft
  const merge: InputsProps['merge'] = part => {
    const entries = Object.entries({ ...draft, ...part }).filter(([, value]) => value !== undefined)
    // `kind` is never removed.
    onChange(Object.fromEntries(entries) as Draft)
  }
  const setKey: InputsProps['setKey'] = (key, value) => merge({ [key]: value })
  const inputs: InputsProps = { draft, setKey, merge, fault }
  // A draft without its field yet names the same collections.
  const fields = listFields(file, definition, draft as never)
  const type = fields.get(readText(draft.field))
  const facetType = type ?? findFacetType(draft, fields)
  const vectorField = file.collections?.[readText(draft.collection)]?.fields?.[readText(draft.field)]
  const isEmbedded = vectorField?.type === 'vector' && vectorField.embed !== undefined
  const changeField = (name: string) => {
    const keeps = fields.get(name) === type
    merge({ field: name, ...(keeps ? {} : clearTypedKeys(kind)) })
  }
  const changeCollection = (collection: string | undefined) => {
    const [first = '', ...moreNames] = listFields(file, definition, { ...draft, collection } as never).keys()
    const keepsField = draft.field === undefined || [first, ...moreNames].includes(readText(draft.field))
    merge({ collection, ...(keepsField ? {} : { field: first, ...clearTypedKeys(kind) }) })
  }
  const field = (
    <NativeSelect
      label={t('Field')}
      data={[...fields.keys()]}
      value={readText(draft.field)}
      error={fields.size === 0 ? t('The collection has no field that this kind can use.') : fault('field')}
      onChange={event => changeField(event.currentTarget.value)}
    />
  )
  const byKind: Readonly<Record<EndpointKind, ReactNode>> = {
    match: <MatchInputs {...inputs} fields={[...fields.keys()]} />,
    similar: (
      <>
        <SimilarInputs {...inputs} fields={fields} />
        <ParameterInput {...inputs} initial="id" label={t('Parameter with the id')} />
      </>
    ),
    all: null,
    lookup: <ParameterInput {...inputs} initial="id" label={t('Parameter with the id')} />,
    filter: (
      <>
        {field}
        <PresenceInput {...inputs} />
        {draft.present === undefined && <ValueInput {...inputs} type={type} />}
        {draft.present === undefined && draft.value === undefined && (
          <ParameterInput {...inputs} initial="value" label={t('Parameter with the value')} />
        )}
      </>
    ),
    range: (
      <>
        {field}
        <ParameterInput {...inputs} name="from" initial="from" label={t('Parameter with the lower end')} />
        <ParameterInput {...inputs} name="to" initial="to" label={t('Parameter with the upper end')} />
      </>
    ),
    facet: (
      <>
        <FacetFieldInput {...inputs} fields={[...fields.keys()]}>
          {field}
        </FacetFieldInput>
        <FacetInputs key={facetType} {...inputs} type={facetType} definition={definition} />
      </>
    ),
    sort: (
      <>
        {field}
        <NativeSelect
          label={t('Order')}
          description={t('By distance, the nearest come first. Documents without a value come last.')}
          data={[
            { value: 'ascending', label: t('Ascending') },
            { value: 'descending', label: t('Descending') },
          ]}
          value={readText(draft.order) || 'ascending'}
          onChange={event => setKey('order', event.currentTarget.value)}
        />
      </>
    ),
    area: (
      <>
        {field}
        <AreaInputs {...inputs} />
      </>
    ),
    collapse: (
      <>
        {field}
        <NumberField
          label={t('Documents per value')}
          description={t('Up to 10. Empty: 1.')}
          value={typeof draft.best === 'number' ? draft.best : undefined}
          error={fault('best')}
          onChange={best => setKey('best', best)}
        />
      </>
    ),
    boost: (
      <>
        {field}
        <BoostInputs key={type} {...inputs} type={type} />
      </>
    ),
    nearest: (
      <>
        {field}
        <NearestInputs {...inputs} isEmbedded={isEmbedded} />
      </>
    ),
    mix: <PartsInput {...inputs} definition={definition} name={name} />,
    any: <PartsInput {...inputs} definition={definition} name={name} />,
    together: (
      <>
        {field}
        <PartsInput {...inputs} definition={definition} name={name} />
      </>
    ),
    facets: <FacetsInput {...inputs} definition={definition} />,
  }
  return (
    <Stack gap="md">
      <TextInput
        label={t('Title')}
        description={t('How people see it. Empty: its name.')}
        value={readText(draft.title)}
        error={fault('title')}
        onChange={event => setKey('title', event.currentTarget.value || undefined)}
      />
      {endpointTraits[kind].collection !== 'parts' && (
        <NativeSelect
          label={t('Collection')}
          data={[
            ...(endpointTraits[kind].collection === 'own'
              ? []
              : [{ value: '', label: t('that of the endpoints before it') }]),
            ...Object.keys(file.collections ?? {}),
          ]}
          value={readText(draft.collection)}
          error={fault('collection')}
          onChange={event => changeCollection(event.currentTarget.value || undefined)}
        />
      )}
      {byKind[kind]}
      {boostableKinds.includes(kind) && <DefaultBoostsInput {...inputs} definition={definition} />}
    </Stack>
  )
}

/** Returns the type of the fields among which the query chooses. */
const findFacetType = (draft: Draft, fields: ReadonlyMap<string, FieldType>): FieldType | undefined => {
  if (draft.kind !== 'facet' || typeof draft.field !== 'object') return undefined
  const [first = ''] = listFacetFields(draft as FacetEndpoint)
  return fields.get(first)
}

/** Values of these keys have the type of the field. The `from` of a range is the name of a parameter. */
const clearTypedKeys = (kind: EndpointKind): Record<string, undefined> => {
  const keys = [
    'value',
    'by',
    'halfLife',
    'halfDistance',
    'ranges',
    'interval',
    'separator',
    'timeZone',
    'statistics',
  ]
  return Object.fromEntries([...keys, ...(kind === 'boost' ? ['from'] : [])].map(key => [key, undefined]))
}

interface DefaultBoostsInputProps extends InputsProps {
  definition: Api
}

/** The boosts that apply whenever the endpoint ranks. */
const DefaultBoostsInput = ({ draft, setKey, fault, definition }: DefaultBoostsInputProps) => {
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

/** Whether a filter keeps documents with one value, with any, or without one. */
const PresenceInput = ({ draft, merge }: InputsProps) => (
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
