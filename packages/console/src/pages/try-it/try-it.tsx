/** Try it: a form for a query, its results, and the code for it. */
import { Stack } from '@mantine/core'
import type { StackedEndpoint } from '@querent/contract/paths'
import { keepPreviousData, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { readOperation } from '#api/manage.ts'
import { createQueryApi } from '#api/query.ts'
import { t } from '#i18n/translate.ts'
import { ApiTabs, rememberSearch } from '#pages/api-definition/api-tabs.tsx'
import { Empty } from '#ui/empty.tsx'
import { TextLink } from '#ui/links.tsx'
import { Page } from '#ui/page.tsx'
import { ActiveFilters } from './active-filters.tsx'
import { fetchAnswer } from './answer.ts'
import { FacetValues } from './facets.tsx'
import { keepFacetOptions, withoutFacet, withoutFacetOptions } from './filters.ts'
import { hasMix } from './mix-parts.tsx'
import { NoSearchYet } from './no-results.tsx'
import { Preview } from './preview.tsx'
import { ResultViews } from './result-views.tsx'
import { findIncompleteSteps, pageSize, readStack, type TryItSearch, writeSearchStack } from './search.ts'
import { SearchForm } from './search-form.tsx'
import { ShareLink } from './share-link.tsx'
import type { SearchRequest } from './use-search-draft.ts'

export const TryIt = () => {
  const { workspace, api } = useParams({ from: '/signed-in/w/$workspace/apis/$api' })
  const { data: apis } = useSuspenseQuery(readOperation('listApis', { params: { workspace } }))
  const summary = apis.items.find(item => item.api === api)
  if (!summary) return <NoApi workspace={workspace} api={api} />
  // Another API starts with its own form.
  return <ApiPage key={api} workspace={workspace} api={api} fieldTitles={summary.fieldTitles} />
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
  /** By field name. */
  fieldTitles: Readonly<Record<string, string>>
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: older than the limit
const ApiPage = ({ workspace, api, fieldTitles }: ApiPageProps) => {
  const search: TryItSearch = useSearch({ from: '/signed-in/w/$workspace/apis/$api' })
  const cache = useQueryClient()
  const navigate = useNavigate({ from: '/w/$workspace/apis/$api' })
  const { data: description } = useSuspenseQuery({
    queryKey: ['about', workspace, api],
    queryFn: () => createQueryApi(workspace, api, { as: search.as }).about(),
  })
  const { stack: _stack, page: _page, ...kept } = search
  const { config, as: previewedMember } = search
  const stack = readStack(search.stack)
  const offset = ((search.page ?? 1) - 1) * pageSize
  const isReady = stack.length > 0 && findIncompleteSteps(stack, description).length === 0
  const { data, error, isFetching } = useQuery({
    queryKey: ['results', workspace, api, search.stack, config, offset, previewedMember],
    queryFn: ({ signal }) =>
      fetchAnswer({
        workspace,
        api,
        stack,
        config,
        offset,
        previewedMember,
        explainsParts: hasMix(stack, description),
        signal,
      }),
    enabled: isReady,
    placeholderData: keepPreviousData,
  })
  const go = (
    next: StackedEndpoint[],
    { replace, ...chosen }: { config?: string | undefined; replace?: boolean } = {},
  ) =>
    navigate({
      search: { ...kept, stack: writeSearchStack(next), ...chosen },
      replace: replace ?? false,
      resetScroll: false,
    })
  const runSearch = async (request: SearchRequest) => {
    const { replace, refresh } = request
    await go(keepFacetOptions(request.stack, stack, description), { config: request.config, replace })
    if (!refresh) return
    for (const key of ['results', 'options'])
      await cache.invalidateQueries({ queryKey: [key, workspace, api] }, { cancelRefetch: false })
  }
  useEffect(() => {
    const open = () => navigate({ to: '/w/$workspace/apis/$api', params: { workspace, api }, search })
    rememberSearch(workspace, api, open)
  })
  return (
    <Page
      title={description.title}
      description={t('Query this API with your own account.')}
      action={isReady && <ShareLink />}
    >
      <ApiTabs workspace={workspace} api={api} current="try">
        <Stack gap="lg">
          {previewedMember !== undefined && (
            <Preview workspace={workspace} api={api} search={search} previewedMember={previewedMember} />
          )}
          {description.endpoints.length > 0 && (
            <SearchForm
              description={description}
              stack={withoutFacetOptions(stack)}
              config={config}
              onSearch={runSearch}
              facetValues={({ name, title }) => (
                <FacetValues
                  workspace={workspace}
                  api={api}
                  description={description}
                  stack={isReady ? stack : []}
                  config={config}
                  previewedMember={previewedMember}
                  facet={name}
                  title={title}
                  hasFocus
                  onChange={next => go(next)}
                />
              )}
              onRemoveFacet={facet => go(withoutFacet(stack, facet))}
            />
          )}
          <ActiveFilters description={description} stack={stack} onChange={next => go(next)} />
          {!isReady && (
            <NoSearchYet workspace={workspace} description={description} onChange={next => go(next)} />
          )}
          {isReady && (
            <ResultViews
              workspace={workspace}
              api={api}
              description={description}
              fieldTitles={fieldTitles}
              stack={stack}
              search={search}
              offset={offset}
              answer={data}
              error={error}
              isFetching={isFetching}
              onChange={next => go(next)}
              onSearch={(changed, replace = false) =>
                navigate({ search: { ...search, ...changed }, replace, resetScroll: !replace })
              }
            />
          )}
        </Stack>
      </ApiTabs>
    </Page>
  )
}
