/** The inputs of an endpoint, by its kind. */
import { MultiSelect, NativeSelect, Stack, TextInput } from '@mantine/core'
import { boostableKinds, type EndpointKind, endpointTraits } from '@querent/contract/endpoint-traits'
import { listFacetFields } from '@querent/contract/facet-fields'
import { listCollections } from '@querent/contract/titles'
import { type ValueForm, valueForm } from '@querent/contract/value-form'
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
import { type FacetEndpoint, leavesOutText, listFields } from './kinds.ts'
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

const textFieldsNote = t(
  'Text fields are not in this list. In Data, change such a field to the type keyword, which keeps a copy for searching.',
)

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
  const form = readForm(file, definition, draft)
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
  const fieldInput = (
    <NativeSelect
      label={t('Field')}
      description={leavesOutText(file, definition, draft as never) ? textFieldsNote : undefined}
      data={[...fields.keys()]}
      value={readText(draft.field)}
      error={fields.size === 0 ? t('The collection has no field that this kind can use.') : fault('field')}
      onChange={event => changeField(event.currentTarget.value)}
    />
  )
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
      {inputsByKind[kind]({
        inputs,
        fields,
        fieldInput,
        type,
        form,
        facetType,
        isEmbedded,
        definition,
        name,
      })}
      {boostableKinds.includes(kind) && <DefaultBoostsInput {...inputs} definition={definition} />}
    </Stack>
  )
}

interface KindProps {
  inputs: InputsProps
  /** Fields that the kind can use, with their types. */
  fields: ReadonlyMap<string, FieldType>
  fieldInput: ReactNode
  /** Type of the chosen field. */
  type: FieldType | undefined
  /** How documents write the values of the chosen field. */
  form: ValueForm
  facetType: FieldType | undefined
  isEmbedded: boolean
  definition: Api
  name: string | undefined
}

/** The inputs that only this kind has. */
const inputsByKind: Readonly<Record<EndpointKind, (props: KindProps) => ReactNode>> = {
  match: ({ inputs, fields }) => <MatchInputs {...inputs} fields={[...fields.keys()]} />,
  similar: ({ inputs, fields }) => (
    <>
      <SimilarInputs {...inputs} fields={fields} />
      <ParameterInput {...inputs} initial="id" label={t('Parameter with the id')} />
    </>
  ),
  all: () => null,
  lookup: ({ inputs }) => <ParameterInput {...inputs} initial="id" label={t('Parameter with the id')} />,
  filter: ({ inputs, fieldInput, type, form }) => (
    <>
      {fieldInput}
      <PresenceInput {...inputs} />
      {inputs.draft.present === undefined && <ValueInput {...inputs} type={type} form={form} />}
      {inputs.draft.present === undefined && inputs.draft.value === undefined && (
        <ParameterInput {...inputs} initial="value" label={t('Parameter with the value')} />
      )}
    </>
  ),
  range: ({ inputs, fieldInput }) => (
    <>
      {fieldInput}
      <ParameterInput {...inputs} name="from" initial="from" label={t('Parameter with the lower end')} />
      <ParameterInput {...inputs} name="to" initial="to" label={t('Parameter with the upper end')} />
    </>
  ),
  facet: ({ inputs, fields, fieldInput, definition, facetType, form }) => (
    <>
      <FacetFieldInput {...inputs} fields={[...fields.keys()]}>
        {fieldInput}
      </FacetFieldInput>
      <FacetInputs key={facetType} {...inputs} type={facetType} form={form} definition={definition} />
    </>
  ),
  sort: ({ inputs, fieldInput }) => (
    <>
      {fieldInput}
      <NativeSelect
        label={t('Order')}
        description={t('By distance, the nearest come first. Documents without a value come last.')}
        data={[
          { value: 'ascending', label: t('Ascending') },
          { value: 'descending', label: t('Descending') },
        ]}
        value={readText(inputs.draft.order) || 'ascending'}
        onChange={event => inputs.setKey('order', event.currentTarget.value)}
      />
    </>
  ),
  area: ({ inputs, fieldInput }) => (
    <>
      {fieldInput}
      <AreaInputs {...inputs} />
    </>
  ),
  collapse: ({ inputs, fieldInput }) => (
    <>
      {fieldInput}
      <NumberField
        label={t('Documents per value')}
        allowed={{ min: 1, max: 10, isWhole: true }}
        description={t('Up to 10. Empty: 1.')}
        value={typeof inputs.draft.best === 'number' ? inputs.draft.best : undefined}
        error={inputs.fault('best')}
        onChange={best => inputs.setKey('best', best)}
      />
    </>
  ),
  boost: ({ inputs, fieldInput, type, form }) => (
    <>
      {fieldInput}
      <BoostInputs key={type} {...inputs} type={type} form={form} />
    </>
  ),
  nearest: ({ inputs, fieldInput, isEmbedded }) => (
    <>
      {fieldInput}
      <NearestInputs {...inputs} isEmbedded={isEmbedded} />
    </>
  ),
  mix: ({ inputs, definition, name }) => <PartsInput {...inputs} definition={definition} name={name} />,
  any: ({ inputs, definition, name }) => <PartsInput {...inputs} definition={definition} name={name} />,
  together: ({ inputs, fieldInput, definition, name }) => (
    <>
      {fieldInput}
      <PartsInput {...inputs} definition={definition} name={name} />
    </>
  ),
  facets: ({ inputs, definition }) => <FacetsInput {...inputs} definition={definition} />,
}

/** A draft without a collection follows one of the others. */
const readForm = (file: WorkspaceFile, definition: Api, draft: Draft): ValueForm => {
  const collection = readText(draft.collection)
  return valueForm(
    file,
    collection === '' ? listCollections(definition) : [collection],
    readText(draft.field),
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
