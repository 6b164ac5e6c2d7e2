import { Button, Chip, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { StackedEndpoint } from '@querent/contract/paths'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { createQueryApi } from '#api/query.ts'
import { language, t } from '#i18n/translate.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import type { ShownQuery } from './answer.ts'
import { findParentOption, selectedOptions, toggleOption } from './filters.ts'
import { labelOption } from './option-label.ts'
import { optionKinds, type TryItDescription } from './search-draft.ts'

interface FacetsProps extends ShownQuery {
  description: TryItDescription
  onChange: (stack: StackedEndpoint[]) => unknown
}

/** The options of each facet within the query; clicking one narrows it, clicking again widens. */
export const Facets = (props: FacetsProps) => {
  const { endpoints } = props.description
  // A facet with a parameter for its field has no options of its own.
  const facets = endpoints.filter(({ kind, parameters }) => kind === 'facet' && parameters.length === 0)
  // A facet must stand last: a query that ends in one has no others.
  const last = endpoints.find(({ name }) => name === props.stack.at(-1)?.endpoint)
  const endsInFacet = last !== undefined && optionKinds.includes(last.kind)
  if (endsInFacet) return null
  return facets.map(({ name, title }) => (
    <FacetValues
      key={name}
      facet={name}
      title={title}
      heading={
        <Title order={2} size="h5">
          {title}
        </Title>
      }
      {...props}
    />
  ))
}

const optionsShown = 8
/** As many as the service gives at once (query-service.md, options). */
const optionsMax = 100
const typingPauseMs = 150

interface FacetValuesProps extends FacetsProps {
  facet: string
  title: string
  /** Above the values. A facet with a heading and no values is not shown. */
  heading?: ReactNode
  /** The field that finds a value takes the focus when it appears. */
  hasFocus?: boolean
}

/** The values of one facet with their counts. If there are many, a field finds one. */
export const FacetValues = ({
  workspace,
  api,
  stack,
  config,
  previewedMember,
  description,
  facet,
  title,
  heading,
  hasFocus = false,
  onChange,
}: FacetValuesProps) => {
  const [showsAll, setShowsAll] = useState(false)
  const [text, setText] = useState('')
  const [query] = useDebouncedValue(text.trim(), typingPauseMs)
  const chosen = selectedOptions(stack, facet).length
  // One more than is shown says whether there are more. The selected ones may be among them.
  const count = showsAll ? optionsMax : Math.min(optionsShown + chosen + 1, optionsMax)
  const { data, error } = useQuery({
    queryKey: ['options', workspace, api, stack, facet, config, previewedMember, count, query],
    queryFn: async ({ signal }) => {
      const queries = createQueryApi(workspace, api, { as: previewedMember, signal })
      const find = (found: string | undefined) =>
        queries.options(stack, facet, { count, multiselect: true, config, query: found })
      if (query === '') return find(undefined)
      const { listFacetTexts } = await import('./typed-parameter.ts')
      const [first = query, ...others] = listFacetTexts(query, description.valueForms?.[facet] ?? {})
      let reply = await find(first)
      for (const reading of others) if (reply.options.length === 0) reply = await find(reading)
      return reply
    },
    placeholderData: keepPreviousData,
  })
  const field = useRef<HTMLInputElement>(null)
  const isLoaded = data !== undefined
  useEffect(() => {
    if (hasFocus && isLoaded) field.current?.focus()
  }, [hasFocus, isLoaded])
  if (error && !heading) return <ErrorNote error={error} />
  if (!data) return null
  const selected = data.selected.map(({ value }) => value)
  const unselected = data.options.filter(({ value }) => !selected.includes(value))
  const hasMore = unselected.length > optionsShown
  const visible = [...data.selected, ...(showsAll ? unselected : unselected.slice(0, optionsShown))]
  if (heading && text === '' && visible.length === 0) return null
  const parent = findParentOption(
    selected,
    unselected.map(({ value }) => value),
  )
  const select = (value: string) => {
    // Values that were found by their text are not all there are.
    setText('')
    const isChild = query === '' && parent !== undefined && !selected.includes(value)
    return onChange(toggleOption(isChild ? toggleOption(stack, facet, parent) : stack, facet, value))
  }
  return (
    <Stack gap="xs" role="group" aria-label={title}>
      {heading}
      {(hasMore || hasFocus || text !== '') && (
        <TextInput
          size="xs"
          maw={320}
          aria-label={t('Find a value of {title}', { title })}
          placeholder={t('Find a value')}
          autoComplete="off"
          spellCheck={false}
          ref={field}
          value={text}
          onChange={event => setText(event.currentTarget.value)}
          // Enter would send the form around it.
          onKeyDown={event => event.key === 'Enter' && event.preventDefault()}
        />
      )}
      {visible.length > 0 ? (
        <Group gap={6}>
          {visible.map(({ value, title: label, count }) => (
            <Chip key={value} size="xs" checked={selected.includes(value)} onChange={() => select(value)}>
              {labelOption(value, label, description.valueForms?.[facet])} ({count.toLocaleString(language)})
            </Chip>
          ))}
        </Group>
      ) : (
        <Text size="sm" c="dimmed">
          {query === '' ? t('No values in these results.') : t('No value starts with this text.')}
        </Text>
      )}
      {!showsAll && hasMore && (
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
