import { Button, CloseButton, Group, NativeSelect, Paper, Stack, Text } from '@mantine/core'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { t } from '#i18n/translate.ts'
import { AddStep } from './add-step.tsx'
import { isChosen, isComplete, ParameterFields } from './parameter-fields.tsx'
import {
  createStep,
  type Draft,
  type DraftStep,
  describeEndpoint,
  groupEndpoints,
  isLiveText,
  type TryItDescription,
} from './search-draft.ts'
import { type SearchRequest, useSearchDraft } from './use-search-draft.ts'

interface SearchFormProps {
  description: TryItDescription
  stack: StackedEndpoint[]
  config: string | undefined
  onSearch: (request: SearchRequest) => unknown
  /** Shows the values of a facet, to select them. */
  facetValues: (facet: { name: string; title: string }) => ReactNode
  onRemoveFacet: (facet: string) => unknown
  /** The number of fields with a value that cannot be read changes by `difference`. */
  onFaults: (difference: 1 | -1) => void
}

/** Edits a query: what to search for, filters, sorts and boosts. Searches while a person types. */
export const SearchForm = (props: SearchFormProps) => {
  const { description, facetValues, onRemoveFacet, onFaults } = props
  const { draft, type, edit, change, finish, submit } = useSearchDraft(props)
  /** Takes the focus when it appears. */
  const [addedKey, setAddedKey] = useState<number>()
  const { start, refinements } = draft
  /** Facets whose values the form shows. The selected ones are in the address. */
  const [shownFacets, setShownFacets] = useState<readonly string[]>([])
  const { facets } = groupEndpoints(description)
  // A facet must stand last: a query that lists its values has no others.
  const addableFacets = facets.some(({ name }) => name === start?.endpoint) ? [] : facets

  const changeValue = (step: DraftStep, name: string, value: string) => {
    const next = replaceStep(draft, { ...step, values: { ...step.values, [name]: value } })
    const endpoint = describeEndpoint(description, step.endpoint)
    const parameter = endpoint?.parameters.find(each => each.name === name)
    if (endpoint && parameter && (isLiveText(endpoint, parameter.type) || isComplete(parameter, value)))
      type(next)
    else if (parameter && isChosen(parameter)) change(next)
    else edit(next)
  }
  const add = (endpoint: string) => {
    if (facets.some(({ name }) => name === endpoint)) {
      setShownFacets([...shownFacets.filter(name => name !== endpoint), endpoint])
      // The values are those within the results.
      finish()
      return
    }
    const step = createStep(endpoint, takePlace(draft, describeEndpoint(description, endpoint)))
    setAddedKey(step.key)
    change({ ...draft, refinements: [...refinements, step] })
  }
  const fields = (step: DraftStep) => (
    <ParameterFields
      parameters={describeEndpoint(description, step.endpoint)?.parameters ?? []}
      form={description.valueForms?.[step.endpoint] ?? {}}
      values={step.values}
      hasFocus={step.key === addedKey}
      onChange={(name, value) => changeValue(step, name, value)}
      onLeave={finish}
      onFaults={onFaults}
    />
  )
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    submit()
  }
  return (
    <Paper withBorder p="md" component="form" onSubmit={onSubmit} role="search">
      <Stack gap="md">
        <Group align="flex-end" gap="sm" wrap="wrap">
          <StartSelect description={description} draft={draft} onChange={change} />
          {start && fields(start)}
          <Button type="submit">{t('Search')}</Button>
        </Group>
        {refinements.map(step => (
          <Refinement
            key={step.key}
            title={nameStep(description, step)}
            onRemove={() =>
              change({ ...draft, refinements: refinements.filter(({ key }) => key !== step.key) })
            }
          >
            {fields(step)}
          </Refinement>
        ))}
        {addableFacets
          .filter(({ name }) => shownFacets.includes(name))
          .map(({ name, title }) => (
            <div key={name} className="facet-row">
              <Text size="sm" fw={600} pt={6}>
                {title}
              </Text>
              {facetValues({ name, title })}
              <RemoveButton
                title={title}
                onClick={() => {
                  setShownFacets(shownFacets.filter(each => each !== name))
                  onRemoveFacet(name)
                }}
              />
            </div>
          ))}
        <Group justify="space-between" gap="sm">
          <AddSteps description={description} facets={addableFacets} onAdd={add} />
          {description.configurations.length > 1 && (
            <ConfigurationSelect description={description} draft={draft} onChange={change} />
          )}
        </Group>
      </Stack>
    </Paper>
  )
}

const pointPattern = /^[+-]?[\d.]+,[+-]?[\d.]+(?=,|$)/

/** A sort by distance starts at the place of a filter that the query has. */
const takePlace = (
  { start, refinements }: Draft,
  endpoint: ReturnType<typeof describeEndpoint>,
): Record<string, string> => {
  const parameter = endpoint?.parameters.find(({ type, required }) => required && type === 'point')
  const place = [...refinements.toReversed(), ...(start ? [start] : [])]
    .flatMap(({ values }) => Object.values(values))
    .map(value => pointPattern.exec(value)?.[0])
    .find(point => point !== undefined)
  return parameter && place !== undefined ? { [parameter.name]: place } : {}
}

const replaceStep = (draft: Draft, changed: DraftStep): Draft => {
  const replace = (step: DraftStep) => (step.key === changed.key ? changed : step)
  const { start, refinements } = draft
  return { ...draft, start: start && replace(start), refinements: refinements.map(replace) }
}

interface DraftProps {
  description: ApiDescription
  draft: Draft
  onChange: (draft: Draft) => void
}

const StartSelect = ({ description, draft, onChange }: DraftProps) => (
  <NativeSelect
    label={t('Endpoint')}
    data={startChoices(description, draft.start)}
    value={draft.start?.endpoint ?? ''}
    onChange={({ currentTarget: { value } }) =>
      onChange({ ...draft, start: value === '' ? undefined : createStep(value, draft.start?.values) })
    }
    // As wide as its longest title.
    w={{ base: '100%', xs: 'auto' }}
    miw={{ xs: 220 }}
    maw="100%"
  />
)

interface RefinementProps {
  title: string
  onRemove: () => void
  /** Its parameters. */
  children: ReactNode
}

const Refinement = ({ title, onRemove, children }: RefinementProps) => (
  <Group align="flex-end" gap="sm" wrap="wrap" role="group" aria-label={title}>
    <Text size="sm" fw={600} w={{ base: '100%', xs: 220 }} pb={{ xs: 8 }}>
      {title}
    </Text>
    {children}
    <RemoveButton title={title} onClick={onRemove} />
  </Group>
)

const RemoveButton = ({ title, onClick }: { title: string; onClick: () => void }) => (
  <CloseButton aria-label={t('Remove {title}', { title })} size="lg" onClick={onClick} />
)

interface AddStepsProps {
  description: ApiDescription
  /** The facets whose values the form can show. */
  facets: ApiDescription['endpoints']
  onAdd: (endpoint: string) => void
}

const AddSteps = ({ description, facets, onAdd }: AddStepsProps) => {
  const { searches, filters, sorts, boosts } = groupEndpoints(description)
  const further = searches
    .filter(({ kind }) => kind !== 'all')
    .map(({ name, title }) => ({ name, title: t('Within the results: {title}', { title }) }))
  return (
    <Group gap={4}>
      <AddStep label={t('Add filter')} entries={[...facets, ...filters, ...further]} onAdd={onAdd} />
      <AddStep label={t('Add sort')} entries={sorts} onAdd={onAdd} />
      <AddStep label={t('Add boost')} entries={boosts} onAdd={onAdd} />
    </Group>
  )
}

const ConfigurationSelect = ({ description, draft, onChange }: DraftProps) => (
  <Group gap="sm">
    <Text size="sm" id="config">
      {t('Configuration')}
    </Text>
    <NativeSelect
      aria-labelledby="config"
      data={description.configurations}
      value={draft.config ?? 'default'}
      onChange={({ currentTarget: { value } }) =>
        onChange({ ...draft, config: value === 'default' ? undefined : value })
      }
      w={140}
    />
  </Group>
)

const nameStep = (description: ApiDescription, { endpoint }: DraftStep): string => {
  const described = describeEndpoint(description, endpoint)
  const title = described?.title ?? endpoint
  if (described?.kind === 'sort') return t('Sort: {title}', { title })
  if (described?.kind === 'boost') return t('Boost: {title}', { title })
  return described?.kind === 'facet' ? t('Values of {title}', { title }) : title
}

/** The endpoints that a query can start with, by title. Equal titles have their name behind them. */
const startChoices = (description: ApiDescription, start: DraftStep | undefined) => {
  const { searches, facets } = groupEndpoints(description)
  const label = ({ name, title }: { name: string; title: string }) => {
    const isUnique = [...searches, ...facets].filter(other => other.title === title).length === 1
    return { value: name, label: isUnique ? title : `${title} (${name})` }
  }
  return [
    ...(start ? [] : [{ value: '', label: t('All documents') }]),
    ...searches.map(label),
    ...(facets.length > 0 ? [{ group: t('Values of a facet'), items: facets.map(label) }] : []),
  ]
}
