import { Chip, Group, Stack, Title } from '@mantine/core'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { About } from '@querent/contract/query'
import { writeTupleList } from '@querent/contract/tuple-list'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { queriesOf } from '#api/manage.ts'

interface FacetsProps {
  workspace: string
  api: string
  about: About
  stack: StackedEndpoint[]
  config: string | undefined
  as: string | undefined
  onChange: (stack: StackedEndpoint[]) => unknown
}

/** The options of each facet within the query; clicking one narrows it, clicking again widens. */
export const Facets = (props: FacetsProps) => {
  const facets = props.about.endpoints.filter(({ kind }) => kind === 'facet')
  // A facet must stand last: a query that ends in one has no others.
  const endsInFacet = facets.some(({ name }) => name === props.stack.at(-1)?.endpoint)
  if (endsInFacet) return null
  return facets.map(({ name, title }) => <Facet key={name} facet={name} title={title} {...props} />)
}

const optionsShown = 8

const Facet = ({
  workspace,
  api,
  stack,
  config,
  as,
  facet,
  title,
  onChange,
}: FacetsProps & { facet: string; title: string }) => {
  const { data } = useQuery({
    queryKey: ['options', workspace, api, stack, facet, config, as],
    queryFn: () =>
      queriesOf(workspace, api, as).options(stack, facet, { count: optionsShown, multiselect: true, config }),
    placeholderData: keepPreviousData,
  })
  if (!data || data.options.length + data.selected.length === 0) return null
  const selected = data.selected.map(({ value }) => value)
  const shown = [...data.selected, ...data.options.filter(({ value }) => !selected.includes(value))]
  const toggle = (value: string) =>
    onChange(
      filtered(
        stack,
        facet,
        selected.includes(value) ? selected.filter(it => it !== value) : [...selected, value],
      ),
    )
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {title}
      </Title>
      <Group gap={6}>
        {shown.map(({ value, title: label, count }) => (
          <Chip key={value} size="xs" checked={selected.includes(value)} onChange={() => toggle(value)}>
            {label} ({count.toLocaleString('en')})
          </Chip>
        ))}
      </Group>
    </Stack>
  )
}

/** The stack with these options of a facet chosen: alternatives of one filter (query-service.md, What endpoints are). */
const filtered = (stack: StackedEndpoint[], facet: string, values: string[]): StackedEndpoint[] => {
  const endpoint = `${facet}:FILTER`
  const others = stack.filter(step => step.endpoint !== endpoint)
  if (values.length === 0) return others
  const value = writeTupleList([{ score: 1, values }])
  return [...others, { endpoint, parameters: [{ name: 'value', value }] }]
}
