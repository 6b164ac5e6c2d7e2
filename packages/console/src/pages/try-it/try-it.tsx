/** Try it: a form for a query, its results, and the code for it. */
import { Loader, Tabs } from '@mantine/core'
import type { StackedEndpoint } from '@querent/contract/paths'
import { keepPreviousData, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { readOperation } from '#api/manage.ts'
import { createQueryApi } from '#api/query.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'
import { DefinitionLinks } from '#pages/api-definition/definition-links.tsx'
import { Empty } from '#ui/empty.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { TextLink } from '#ui/links.tsx'
import { Page } from '#ui/page.tsx'
import { ActiveFilters } from './active-filters.tsx'
import { fetchAnswer } from './answer.ts'
import { FacetValues } from './facets.tsx'
import { keepFacetOptions, withoutFacet, withoutFacetOptions } from './filters.ts'
import { hasMix } from './mix-parts.tsx'
import { NoSearchYet } from './no-results.tsx'
import { Preview } from './preview.tsx'
import { findIncompleteSteps, pageSize, readStack, type TryItSearch, writeSearchStack } from './search.ts'
import { SearchForm } from './search-form.tsx'
import { SearchResults } from './search-results.tsx'
import type { SearchRequest } from './use-search-draft.ts'

const Code = lazy(async () => ({ default: (await import('./code.tsx')).Code }))
const JsonView = lazy(async () => ({ default: (await import('./json-view.tsx')).JsonView }))

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
  const { may } = useWorkspaceAccess(workspace)
  const navigate = useNavigate({ from: '/w/$workspace/apis/$api' })
  const { data: description } = useSuspenseQuery({
    queryKey: ['about', workspace, api],
    queryFn: () => createQueryApi(workspace, api, { as: search.as }).about(),
  })
  const { config, as: previewedMember, show } = search
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
  const go = (next: StackedEndpoint[], options: { config?: string | undefined; replace?: boolean } = {}) =>
    navigate({
      search: { stack: writeSearchStack(next), config, as: previewedMember, show, ...options },
      replace: options.replace ?? false,
      resetScroll: false,
    })
  const runSearch = async (request: SearchRequest) => {
    const { config: chosen, replace, refresh } = request
    await go(keepFacetOptions(request.stack, stack, description), { config: chosen, replace })
    if (!refresh) return
    for (const key of ['results', 'options'])
      await cache.invalidateQueries({ queryKey: [key, workspace, api] }, { cancelRefetch: false })
  }
  return (
    <Page
      title={description.title}
      description={t('Query this API with your own account.')}
      action={may('edit') && <DefinitionLinks workspace={workspace} api={api} />}
    >
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
        <Tabs
          value={show ?? 'results'}
          onChange={tab =>
            navigate({
              search: { ...search, show: tab === 'code' || tab === 'json' ? tab : undefined },
              replace: true,
              resetScroll: false,
            })
          }
          keepMounted={false}
        >
          <Tabs.List aria-label={t('Results, JSON or code')}>
            <Tabs.Tab value="results">{t('Results')}</Tabs.Tab>
            <Tabs.Tab value="json">JSON</Tabs.Tab>
            <Tabs.Tab value="code">{t('Code')}</Tabs.Tab>
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
                answer={data}
                isFetching={isFetching}
                onChange={next => go(next)}
                onPage={page => navigate({ search: { ...search, page } })}
              />
            )}
          </Tabs.Panel>
          <Tabs.Panel value="json" pt="md">
            {error && <ErrorNote error={error} />}
            <Suspense fallback={<Loader />}>{!error && data && <JsonView reply={data.reply} />}</Suspense>
          </Tabs.Panel>
          <Tabs.Panel value="code" pt="md">
            <Suspense fallback={<Loader />}>
              <Code
                workspace={workspace}
                api={api}
                isPublic={description.access === 'public'}
                stack={stack}
                config={config}
                offset={offset}
                previewedMember={previewedMember}
              />
            </Suspense>
          </Tabs.Panel>
        </Tabs>
      )}
    </Page>
  )
}
