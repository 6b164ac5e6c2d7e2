/** Try it: a form for a query, its results, and the code for it. */
import { Box, Stack, Text } from '@mantine/core'
import { ApiError } from '@querent/client'
import type { ApiSummary } from '@querent/contract/manage'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'
import type { ValueForm } from '@querent/contract/value-form'
import { keepPreviousData, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useReducer } from 'react'
import { readOperation } from '#api/manage.ts'
import { createQueryApi } from '#api/query.ts'
import { t } from '#i18n/translate.ts'
import { ApiTabs, rememberSearch } from '#pages/api-definition/api-tabs.tsx'
import { Empty } from '#ui/empty.tsx'
import { TextLink } from '#ui/links.tsx'
import { Page } from '#ui/page.tsx'
import { ActiveFilters } from './active-filters.tsx'
import { fetchAnswer, type ShownQuery } from './answer.ts'
import { FacetValues } from './facets.tsx'
import { keepFacetOptions, withoutFacet, withoutFacetOptions } from './filters.ts'
import { hasMix } from './mix-parts.tsx'
import { NoSearchYet } from './no-results.tsx'
import { ResultViews } from './result-views.tsx'
import { findIncompleteSteps, pageSize, readStack, type TryItSearch, writeSearchStack } from './search.ts'
import type { TryItDescription } from './search-draft.ts'
import { SearchForm } from './search-form.tsx'
import { ShareLink } from './share-link.tsx'
import type { SearchRequest } from './use-search-draft.ts'

const Preview = lazy(async () => ({ default: (await import('./preview.tsx')).Preview }))
const ClosedToMember = lazy(async () => ({ default: (await import('./preview.tsx')).ClosedToMember }))

export const TryIt = () => {
  const { workspace, api } = useParams({ from: '/signed-in/w/$workspace/apis/$api' })
  const { data: apis } = useSuspenseQuery(readOperation('listApis', { params: { workspace } }))
  const summary = apis.items.find(item => item.api === api)
  if (!summary) return <NoApi workspace={workspace} api={api} />
  // Another API starts with its own form.
  return <DescribedApi key={api} workspace={workspace} api={api} summary={summary} />
}

const NoApi = ({ workspace, api }: Pick<ApiPageProps, 'workspace' | 'api'>) => (
  <Empty title={t('API not found')} isPage>
    {t('The workspace {workspace} has no API {api}. It may have been deleted or renamed.', {
      workspace,
      api,
    })}{' '}
    <TextLink to="/w/$workspace/apis" params={{ workspace }}>
      {t('Go to its APIs')}
    </TextLink>
  </Empty>
)

interface ApiPageProps {
  workspace: string
  api: string
  search: TryItSearch
  description: ApiDescription
  summary: ApiSummary
}

interface DescribedApiProps {
  workspace: string
  api: string
  summary: ApiSummary
}

/** Reads what the API offers, and says so if it is closed to the previewed member. */
const DescribedApi = ({ workspace, api, summary }: DescribedApiProps) => {
  const search: TryItSearch = useSearch({ from: '/signed-in/w/$workspace/apis/$api' })
  const { as: previewedMember } = search
  const { data: description } = useSuspenseQuery({
    queryKey: ['about', workspace, api, ...(previewedMember === undefined ? [] : [previewedMember])],
    queryFn: () =>
      createQueryApi(workspace, api, { as: previewedMember })
        .about()
        .catch((fault: unknown) => {
          if (previewedMember !== undefined && fault instanceof ApiError && fault.code === 'api-not-allowed')
            return null
          throw fault
        }),
  })
  if (description !== null) return <ApiPage {...{ workspace, api, search, description }} summary={summary} />
  return (
    <Page title={summary.title}>
      <ApiTabs workspace={workspace} api={api} current="try">
        <Suspense>
          <ClosedToMember {...{ workspace, api, search }} previewedMember={previewedMember ?? ''} />
        </Suspense>
      </ApiTabs>
    </Page>
  )
}

const ApiPage = ({ workspace, api, search, description: offer, summary }: ApiPageProps) => {
  const description: TryItDescription = { ...offer, valueForms: readValueForms(summary) }
  const { config, as: previewedMember, page = 1 } = search
  const stack = readStack(search.stack)
  const query: ShownQuery = { workspace, api, stack, config, offset: (page - 1) * pageSize, previewedMember }
  const isReady = stack.length > 0 && findIncompleteSteps(stack, description).length === 0
  const { data, error, isFetching } = useAnswer(query, { description, isReady })
  /** Fields of the form with a value that cannot be read, which the results don't have. */
  const [faultCount, changeFaultCount] = useReducer(
    (count: number, difference: 1 | -1) => count + difference,
    0,
  )
  const { change, runSearch, changeSearch } = useAddress(query, { search, description })
  return (
    <Page
      title={description.title}
      description={
        previewedMember === undefined
          ? t('Query this API with your own account.')
          : t('Query this API as somebody else sees it.')
      }
      action={isReady && <ShareLink />}
    >
      <ApiTabs workspace={workspace} api={api} current="try">
        <Stack gap="lg">
          {previewedMember !== undefined && (
            <Suspense>
              <Preview workspace={workspace} api={api} search={search} previewedMember={previewedMember} />
            </Suspense>
          )}
          {description.endpoints.length > 0 && (
            <SearchForm
              description={description}
              stack={withoutFacetOptions(stack)}
              config={config}
              onSearch={runSearch}
              facetValues={({ name, title }) => (
                <FacetValues
                  {...query}
                  stack={isReady ? stack : []}
                  description={description}
                  facet={name}
                  title={title}
                  hasFocus
                  onChange={change}
                />
              )}
              onRemoveFacet={facet => change(withoutFacet(stack, facet))}
              onFaults={changeFaultCount}
            />
          )}
          <ActiveFilters description={description} stack={stack} onChange={change} />
          {isReady && faultCount > 0 && (
            <Text size="sm" role="status">
              {t('These results do not use the marked value. Correct it first.')}
            </Text>
          )}
          {isReady ? (
            <Box opacity={faultCount > 0 ? 0.5 : undefined}>
              <ResultViews
                {...query}
                description={description}
                fieldTitles={summary.fieldTitles}
                fieldForms={summary.fieldForms}
                sortAttributes={listSortAttributes(summary, stack)}
                places={summary.places}
                search={search}
                answer={data}
                error={error}
                isFetching={isFetching}
                onChange={change}
                onSearch={changeSearch}
              />
            </Box>
          ) : (
            <NoSearchYet workspace={workspace} description={description} onChange={change} />
          )}
        </Stack>
      </ApiTabs>
    </Page>
  )
}

/** The attributes that decide the order of the results. */
const listSortAttributes = ({ endpoints }: ApiSummary, stack: readonly StackedEndpoint[]): string[] =>
  stack.flatMap(({ endpoint }) => endpoints.find(({ name }) => name === endpoint)?.attribute ?? [])

const readValueForms = ({ endpoints }: ApiSummary): Record<string, ValueForm> =>
  Object.fromEntries(endpoints.flatMap(({ name, valueForm }) => (valueForm ? [[name, valueForm]] : [])))

interface AnswerSettings {
  description: ApiDescription
  /** Whether the query can be sent. */
  isReady: boolean
}

/** The answer to the query; the one before until it comes. */
const useAnswer = (query: ShownQuery, { description, isReady }: AnswerSettings) => {
  const { workspace, api, stack, config, offset, previewedMember } = query
  return useQuery({
    queryKey: ['results', workspace, api, writeSearchStack(stack), config, offset, previewedMember],
    queryFn: ({ signal }) => fetchAnswer({ ...query, explainsParts: hasMix(stack, description), signal }),
    enabled: isReady,
    placeholderData: keepPreviousData,
  })
}

interface AddressSettings {
  search: TryItSearch
  description: ApiDescription
}

/** Changes the query in the address, which the page shows. */
const useAddress = ({ workspace, api, stack }: ShownQuery, { search, description }: AddressSettings) => {
  const cache = useQueryClient()
  const navigate = useNavigate({ from: '/w/$workspace/apis/$api' })
  const { stack: _stack, page: _page, ...kept } = search
  useEffect(() => {
    const open = () => navigate({ to: '/w/$workspace/apis/$api', params: { workspace, api }, search })
    rememberSearch(workspace, api, open)
  })
  const go = (next: StackedEndpoint[], chosen: TryItSearch, replace: boolean) =>
    navigate({
      search: { ...kept, stack: writeSearchStack(next), ...chosen },
      replace,
      resetScroll: false,
    })
  return {
    change: (next: StackedEndpoint[]) => go(next, {}, false),
    /** Changes other parts of the address, in place of the last one in the history if asked to. */
    changeSearch: (changed: TryItSearch, replace = false) =>
      navigate({ search: { ...search, ...changed }, replace, resetScroll: !replace }),
    /** Searches for what is in the form. */
    async runSearch({ stack: next, config, replace, refresh }: SearchRequest) {
      await go(keepFacetOptions(next, stack, description), { config }, replace)
      if (!refresh) return
      for (const key of ['results', 'options'])
        await cache.invalidateQueries({ queryKey: [key, workspace, api] }, { cancelRefetch: false })
    },
  }
}
