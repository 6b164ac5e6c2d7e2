/** Try it: a query put together as a form, its results as a person reads them, and the code for it. */
import { Alert, Grid, Group, Loader, Pagination, Stack, Text } from '@mantine/core'
import type { StackedEndpoint } from '@querent/contract/paths'
import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { queriesOf } from '#api/manage.ts'
import { counted } from '#ui/count.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { TextLink } from '#ui/links.tsx'
import { Page } from '#ui/page.tsx'
import { Code } from './code.tsx'
import { Facets } from './facets.tsx'
import { ResultList } from './result-list.tsx'
import { pageSize, readStack, type TryItSearch, withoutParameters, writeSearchStack } from './search.ts'
import { StackForm } from './stack-form.tsx'
import { StatisticsChart } from './statistics-chart.tsx'

/** The service's largest offset (query-service.md, options). */
const offsetMax = 10_000

export const TryIt = () => {
  const { workspace, api } = useParams({ from: '/signed-in/w/$workspace/apis/$api' })
  const search: TryItSearch = useSearch({ from: '/signed-in/w/$workspace/apis/$api' })
  const navigate = useNavigate({ from: '/w/$workspace/apis/$api' })
  const queries = queriesOf(workspace, api, search.as)
  const { data: about } = useSuspenseQuery({
    queryKey: ['about', workspace, api],
    queryFn: () => queries.about(),
  })
  const stack = readStack(search.stack)
  const missing = withoutParameters(stack, about)
  const offset = ((search.page ?? 1) - 1) * pageSize
  const isReady = stack.length > 0 && missing.length === 0
  const { data, error, isFetching } = useQuery({
    queryKey: ['results', workspace, api, search],
    queryFn: () =>
      queries.resultsCount(stack, { count: pageSize, offset, highlight: true, config: search.config }),
    enabled: isReady,
    placeholderData: keepPreviousData,
  })
  const go = (next: StackedEndpoint[], config = search.config) =>
    navigate({ search: { stack: writeSearchStack(next), config, as: search.as } })
  const [results, statistics] = data ?? []
  return (
    <Page title={about.title} about="Ask this API as an application would, with your own account.">
      {search.as !== undefined && (
        <Alert color="yellow" variant="light" role="status" title={`Preview as ${search.as}`}>
          You see what the row filter of {search.as} lets through.{' '}
          <TextLink
            to="/w/$workspace/apis/$api"
            params={{ workspace, api }}
            search={{ ...search, as: undefined }}
          >
            End the preview
          </TextLink>
        </Alert>
      )}
      <StackForm
        // What the address says replaces what was typed.
        key={`${search.stack} ${search.config}`}
        about={about}
        stack={stack}
        config={search.config}
        onRun={go}
      />
      {error && isReady && <ErrorNote error={error} />}
      {isReady && !error && (
        <Grid gap="xl">
          <Grid.Col span={{ base: 12, md: 8 }}>
            <Stack gap="md">
              <Group gap="sm" role="status" mih={28}>
                {statistics && <Text fw={600}>{counted(statistics.total, 'result')}</Text>}
                {isFetching && <Loader size="xs" role="img" aria-label="Searching" />}
              </Group>
              {results && <ResultList results={results} />}
              {statistics && statistics.total > pageSize && (
                <Pagination
                  value={search.page ?? 1}
                  total={Math.ceil(Math.min(statistics.total, offsetMax + pageSize) / pageSize)}
                  onChange={page => navigate({ search: { ...search, page } })}
                  getItemProps={page => ({ 'aria-label': `page ${page}` })}
                  getControlProps={control => ({ 'aria-label': `${control} page` })}
                />
              )}
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 4 }}>
            <Stack gap="xl">
              {/* What is refused is asked once. */}
              {results && (
                <Facets
                  workspace={workspace}
                  api={api}
                  about={about}
                  stack={stack}
                  config={search.config}
                  as={search.as}
                  onChange={next => go(next)}
                />
              )}
              {statistics && statistics.total > 0 && <StatisticsChart statistics={statistics} />}
            </Stack>
          </Grid.Col>
        </Grid>
      )}
      {isReady && (
        <Code
          workspace={workspace}
          api={api}
          stack={stack}
          config={search.config}
          offset={offset}
          as={search.as}
        />
      )}
    </Page>
  )
}
