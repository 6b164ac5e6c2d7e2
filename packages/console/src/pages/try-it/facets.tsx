import { Button, Chip, Group, Stack, Title } from '@mantine/core'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { createQueryApi } from '#api/manage.ts'
import { language, t } from '#i18n/translate.ts'
import { findParentOption, selectedOptions, toggleOption } from './filters.ts'

interface FacetsProps {
  workspace: string
  api: string
  description: ApiDescription
  stack: StackedEndpoint[]
  config: string | undefined
  previewedMember: string | undefined
  onChange: (stack: StackedEndpoint[]) => unknown
}

/** The options of each facet within the query; clicking one narrows it, clicking again widens. */
export const Facets = (props: FacetsProps) => {
  const facets = props.description.endpoints.filter(({ kind }) => kind === 'facet')
  // A facet must stand last: a query that ends in one has no others.
  const endsInFacet = facets.some(({ name }) => name === props.stack.at(-1)?.endpoint)
  if (endsInFacet) return null
  return facets.map(({ name, title }) => <Facet key={name} facet={name} title={title} {...props} />)
}

const optionsShown = 8
/** As many as the service gives at once (query-service.md, options). */
const optionsMax = 100

const Facet = ({
  workspace,
  api,
  stack,
  config,
  previewedMember,
  facet,
  title,
  onChange,
}: FacetsProps & { facet: string; title: string }) => {
  const [showsAll, setShowsAll] = useState(false)
  const chosen = selectedOptions(stack, facet).length
  // One more than is shown says whether there are more. The selected ones may be among them.
  const count = showsAll ? optionsMax : Math.min(optionsShown + chosen + 1, optionsMax)
  const { data } = useQuery({
    queryKey: ['options', workspace, api, stack, facet, config, previewedMember, count],
    queryFn: ({ signal }) =>
      createQueryApi(workspace, api, { as: previewedMember, signal }).options(stack, facet, {
        count,
        multiselect: true,
        config,
      }),
    placeholderData: keepPreviousData,
  })
  if (!data || data.options.length + data.selected.length === 0) return null
  const selected = data.selected.map(({ value }) => value)
  const unselected = data.options.filter(({ value }) => !selected.includes(value))
  const visible = [...data.selected, ...(showsAll ? unselected : unselected.slice(0, optionsShown))]
  const parent = findParentOption(
    selected,
    unselected.map(({ value }) => value),
  )
  const select = (value: string) => {
    const isChild = parent !== undefined && !selected.includes(value)
    return onChange(toggleOption(isChild ? toggleOption(stack, facet, parent) : stack, facet, value))
  }
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {title}
      </Title>
      <Group gap={6}>
        {visible.map(({ value, title: label, count }) => (
          <Chip key={value} size="xs" checked={selected.includes(value)} onChange={() => select(value)}>
            {label} ({count.toLocaleString(language)})
          </Chip>
        ))}
      </Group>
      {!showsAll && unselected.length > optionsShown && (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => setShowsAll(true)}
          style={{ alignSelf: 'start' }}
        >
          {t('More of {title}', { title })}
        </Button>
      )}
    </Stack>
  )
}
