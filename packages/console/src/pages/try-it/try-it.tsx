/** Try it: a form for a query, its results, and the code for it. */
import { Tabs } from '@mantine/core'
import type { StackedEndpoint } from '@querent/contract/paths'
import { keepPreviousData, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { createQueryApi, readOperation } from '#api/manage.ts'
import { Empty } from '#ui/empty.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { TextLink } from '#ui/links.tsx'
import { Page } from '#ui/page.tsx'
import { ActiveFilters } from './active-filters.tsx'
import { Code } from './code.tsx'
import { keepFacetOptions, withoutFacetOptions } from './filters.ts'
import { NoSearchYet } from './no-results.tsx'
import { Preview } from './preview.tsx'
import { findIncompleteSteps, pageSize, readStack, type TryItSearch, writeSearchStack } from './search.ts'
import { SearchResults } from './search-results.tsx'
import { StackForm } from './stack-form.tsx'

export const TryIt = () => {
  const { workspace, api } = useParams({ from: '/signed-in/w/$workspace/apis/$api' })
  const { data: apis } = useSuspenseQuery(readOperation('listApis', { params: { workspace } }))
  const summary = apis.items.find(item => item.api === api)
  if (!summary) return <NoApi workspace={workspace} api={api} />
  return <ApiPage workspace={workspace} api={api} fieldTitles={summary.fieldTitles} />
}

const NoApi = ({ workspace, api }: Pick<ApiPageProps, 'workspace' | 'api'>) => (
  <Empty title="API not found" isPage>
    The workspace {workspace} has no API {api}. It may have been deleted or renamed.{' '}
    <TextLink to="/w/$workspace/apis" params={{ workspace }}>
      Go to its APIs
    </TextLink>
  </Empty>
)

interface ApiPageProps {
  workspace: string
  api: string
  /** By field name. */
  fieldTitles: Readonly<Record<string, string>>
}

const ApiPage = ({ workspace, api, fieldTitles }: ApiPageProps) => {
  const search: TryItSearch = useSearch({ from: '/signed-in/w/$workspace/apis/$api' })
  const cache = useQueryClient()
  const navigate = useNavigate({ from: '/w/$workspace/apis/$api' })
  const queries = createQueryApi(workspace, api, search.as)
  const { data: description } = useSuspenseQuery({
    queryKey: ['about', workspace, api],
    queryFn: () => queries.about(),
  })
  const stack = readStack(search.stack)
  const missing = findIncompleteSteps(stack, description)
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
    navigate({ search: { stack: writeSearchStack(next), config, as: search.as, show: search.show } })
  /** Also repeats the same search, because documents may have changed. */
  const runSearch = async (next: StackedEndpoint[], config: string | undefined) => {
    await go(next, config)
    for (const key of ['results', 'options'])
      await cache.invalidateQueries({ queryKey: [key, workspace, api] }, { cancelRefetch: false })
  }
  return (
    <Page title={description.title} description="Query this API with your own account.">
      {search.as !== undefined && (
        <Preview workspace={workspace} api={api} search={search} previewedMember={search.as} />
      )}
      {description.endpoints.length > 0 && (
        <StackForm
          // A new address resets the form.
          key={`${writeSearchStack(withoutFacetOptions(stack))} ${search.config}`}
          description={description}
          stack={withoutFacetOptions(stack)}
          config={search.config}
          onRun={(query, config) => runSearch(keepFacetOptions(query, stack, description), config)}
        />
      )}
      <ActiveFilters description={description} stack={stack} onChange={next => go(next)} />
      {!isReady && (
        <NoSearchYet workspace={workspace} description={description} onChange={next => go(next)} />
      )}
      {isReady && (
        <Tabs
          value={search.show ?? 'results'}
          onChange={tab =>
            navigate({ search: { ...search, show: tab === 'code' ? tab : undefined }, replace: true })
          }
          keepMounted={false}
        >
          <Tabs.List aria-label="Results or code">
            <Tabs.Tab value="results">Results</Tabs.Tab>
            <Tabs.Tab value="code">Code</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="results" pt="md">
            {error && <ErrorNote error={error} />}
            {!error && (
              <SearchResults
                workspace={workspace}
                api={api}
                description={description}
                fieldTitles={fieldTitles}
                stack={stack}
                search={search}
                reply={data}
                isFetching={isFetching}
                onChange={next => go(next)}
                onPage={page => navigate({ search: { ...search, page } })}
              />
            )}
          </Tabs.Panel>
          <Tabs.Panel value="code" pt="md">
            <Code
              workspace={workspace}
              api={api}
              stack={stack}
              config={search.config}
              offset={offset}
              previewedMember={search.as}
            />
          </Tabs.Panel>
        </Tabs>
      )}
    </Page>
  )
}
