/** Two queries, or two configurations of one, side by side. */
import { Group, Loader, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription, ResultItem } from '@querent/contract/query'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { t } from '#i18n/translate.ts'
import { fetchAnswer, type ShownQuery } from '#pages/try-it/answer.ts'
import { readStack, type TryItSearch, writeSearchStack } from '#pages/try-it/search.ts'
import { describeEndpoint, groupEndpoints } from '#pages/try-it/search-draft.ts'
import { findTextQuery } from '#pages/try-it/text-query.ts'
import { ComparedResults } from '#pages/try-it/tune/compared-results.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { useSearchText } from '#ui/use-search-text.ts'

interface CompareProps extends ShownQuery {
  description: ApiDescription
  search: TryItSearch
  /** The results of the query. */
  items: readonly ResultItem[]
  onSearch: (changed: TryItSearch) => unknown
}

/** Shows the query on the left, and another one on the right with what moved. The address has both. */
export const Compare = (props: CompareProps) => {
  const { workspace, api, description, stack, config, offset, previewedMember, search, items, onSearch } =
    props
  const otherStack = search.with === undefined ? stack : readStack(search.with)
  const otherConfig = search.with === undefined ? config : search.withConfig
  const { data, error, isFetching } = useQuery({
    queryKey: [
      'results',
      workspace,
      api,
      writeSearchStack(otherStack),
      otherConfig,
      offset,
      previewedMember,
      'compare',
    ],
    queryFn: ({ signal }) =>
      fetchAnswer({
        workspace,
        api,
        stack: otherStack,
        config: otherConfig,
        offset,
        previewedMember,
        signal,
      }),
    placeholderData: keepPreviousData,
  })
  return (
    <Stack gap="md">
      <OtherQuery
        description={description}
        stack={otherStack}
        config={otherConfig}
        onChange={(next, config) => onSearch({ with: writeSearchStack(next), withConfig: config })}
      />
      <Group mih={22} role="status">
        {isFetching && <Loader size="xs" role="img" aria-label={t('Searching')} />}
      </Group>
      {error ? (
        <ErrorNote error={error} />
      ) : (
        <ComparedResults
          titles={[
            describeQuery(stack, config, description),
            describeQuery(otherStack, otherConfig, description),
          ]}
          before={items}
          after={data?.reply[0].items}
        />
      )}
    </Stack>
  )
}

/** `Search: star wars · staged` */
const describeQuery = (
  stack: readonly StackedEndpoint[],
  config: string | undefined,
  description: ApiDescription,
): string => {
  const [first] = stack
  const title = first && (describeEndpoint(description, first.endpoint)?.title ?? first.endpoint)
  const text = findTextQuery(stack, description)?.text
  return [[title, text].filter(Boolean).join(': '), config].filter(Boolean).join(' · ')
}

interface OtherQueryProps {
  description: ApiDescription
  stack: StackedEndpoint[]
  config: string | undefined
  onChange: (stack: StackedEndpoint[], config: string | undefined) => void
}

/** The form of the second query. Its filters are those of the first one, at the time of the comparison. */
const OtherQuery = ({ description, stack, config, onChange }: OtherQueryProps) => {
  const [first] = stack
  const query = findTextQuery(stack, description)
  const changeStep = (endpoint: string, parameters: StackedEndpoint['parameters']) =>
    onChange(
      stack.map(step => (step === first ? { endpoint, parameters } : step)),
      config,
    )
  const changeText = (text: string) =>
    onChange(
      stack.map(step => {
        if (step.endpoint !== query?.endpoint) return step
        const change = (each: { name: string; value: string }) =>
          each.name === query.parameter ? { ...each, value: text } : each
        return { ...step, parameters: step.parameters.map(change) }
      }),
      config,
    )
  // Searches that take the same text.
  const endpoints = groupEndpoints(description).searches.filter(
    ({ name, kind, parameters }) =>
      name === first?.endpoint || (parameters.length === 1 && ['match', 'mix'].includes(kind)),
  )
  const changeEndpoint = (name: string) => {
    const parameter = endpoints.find(endpoint => endpoint.name === name)?.parameters[0]?.name
    changeStep(name, parameter === undefined ? [] : [{ name: parameter, value: query?.text ?? '' }])
  }
  return (
    <Group align="flex-end" gap="sm" role="group" aria-label={t('Compare with')}>
      <Text size="sm" fw={600} w="100%">
        {t('Compare with')}
      </Text>
      {query && endpoints.length > 1 && (
        <NativeSelect
          label={t('Other endpoint')}
          data={endpoints.map(({ name, title }) => ({ value: name, label: title }))}
          value={first?.endpoint ?? ''}
          onChange={event => changeEndpoint(event.currentTarget.value)}
          maw="100%"
        />
      )}
      {query && <OtherText text={query.text} onChange={changeText} />}
      {description.configurations.length > 1 && (
        <NativeSelect
          label={t('Other configuration')}
          data={description.configurations}
          value={config ?? 'default'}
          onChange={({ currentTarget: { value } }) =>
            onChange(stack, value === 'default' ? undefined : value)
          }
        />
      )}
      {!query && description.configurations.length === 1 && (
        <Text size="sm">{t('Search for a text to compare it with another one.')}</Text>
      )}
    </Group>
  )
}

const OtherText = ({ text, onChange }: { text: string; onChange: (text: string) => void }) => {
  const [typed, type] = useSearchText(text, next => next.trim() !== '' && onChange(next))
  return (
    <TextInput
      label={t('Other text')}
      flex={1}
      miw={160}
      autoComplete="off"
      value={typed}
      onChange={event => type(event.currentTarget.value)}
    />
  )
}
