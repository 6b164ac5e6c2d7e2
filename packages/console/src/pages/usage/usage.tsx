/** Usage of a workspace: queries, durations, refusals, tokens and imports over time, and the most frequent searches. */
import { SimpleGrid, Text } from '@mantine/core'
import type { UsageSummary } from '@querent/contract/manage'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { countedCheckLabels } from '#pages/refused/check-labels.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { Loading } from '#ui/loading.tsx'
import { Page } from '#ui/page.tsx'
import { Chart } from './chart.tsx'
import { Endpoints } from './endpoints.tsx'
import { UsageFigures } from './figures.tsx'
import { Filter } from './filter.tsx'
import { formatMs, formatNumber } from './formats.ts'
import { Reasons } from './reasons.tsx'
import type { Series } from './series.ts'
import { TopSearches } from './top-searches.tsx'

const blue = { light: '#2b50c8', dark: '#8ca5f3' }
const orange = { light: '#b54708', dark: '#ffb066' }

const formatCount = (value: number | null): string => formatNumber(value ?? 0)

const searches: Series[] = [
  {
    label: t('With results'),
    color: blue,
    format: formatCount,
    value: point => point.searches - point.emptySearches,
  },
  {
    label: t('Without results'),
    color: orange,
    format: formatCount,
    value: point => point.emptySearches,
  },
]
const requests: Series[] = [
  { label: t('Answered'), color: blue, format: formatCount, value: point => point.queries - point.failed },
  { label: t('Failed'), color: orange, format: formatCount, value: point => point.failed },
]
const durations: Series[] = [
  { label: 'p50', color: blue, format: formatMs, value: point => point.p50Ms },
  { label: 'p99', color: orange, format: formatMs, value: point => point.p99Ms },
]
const refusals: Series[] = [
  { label: t('Refused'), color: orange, format: formatCount, value: point => point.refusals },
]
const tokens: Series[] = [
  { label: t('Issued'), color: blue, format: formatCount, value: point => point.tokens },
  { label: t('Rejected'), color: orange, format: formatCount, value: point => point.tokenErrors },
]
const imports: Series[] = [
  { label: t('Accepted'), color: blue, format: formatCount, value: point => point.accepted },
  { label: t('Rejected'), color: orange, format: formatCount, value: point => point.rejected },
]

export const Usage = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/usage' })
  const search = useSearch({ from: '/signed-in/w/$workspace/usage' })
  const navigate = useNavigate()
  const {
    data: summary,
    error,
    refetch,
    isFetching,
  } = useQuery({
    ...readOperation('summarizeUsage', {
      params: { workspace },
      query: {
        ...(search.from !== undefined && search.to !== undefined
          ? { from: search.from, to: search.to }
          : { period: search.period ?? '24h' }),
        ...(search.api !== undefined && { api: search.api }),
        ...(search.endpoint !== undefined && { endpoint: search.endpoint }),
      },
    }),
    // The page stays in place while another period is loaded.
    placeholderData: keepPreviousData,
  })
  return (
    <Page
      title={t('Usage')}
      description={t('Searches, refused requests, tokens and imports of this workspace')}
    >
      {error && <ErrorNote error={error} />}
      {!summary && !error && <Loading />}
      {summary && (
        <>
          <Filter
            search={search}
            endpoints={summary.endpoints}
            onRefresh={refetch}
            isRefreshing={isFetching}
            onChange={chosen =>
              navigate({ to: '/w/$workspace/usage', params: { workspace }, search: chosen, replace: true })
            }
          />
          <UsageFigures total={summary.total} previous={summary.previous} />
          <Charts summary={summary} />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <TopSearches
              title={t('Top searches')}
              workspace={workspace}
              searches={summary.topSearches}
              queryLog={summary.queryLog}
            />
            <TopSearches
              title={t('Top searches without results')}
              workspace={workspace}
              searches={summary.topEmptySearches}
              queryLog={summary.queryLog}
              isEmptyOnly
            />
          </SimpleGrid>
          {summary.endpoints.length > 0 && (
            <Endpoints workspace={workspace} search={search} endpoints={summary.endpoints} />
          )}
          <Text size="sm" c="dimmed">
            {t(
              'Figures of the last seconds may be missing. While somebody types, only the last text counts as a search, and the parts of a page or batch are one. Requests count each part and the values of each facet. Durations are estimates, at most 10 % off. Tokens and imports are those of the whole workspace.',
            )}
          </Text>
        </>
      )}
    </Page>
  )
}

const Charts = ({ summary }: { summary: UsageSummary }) => (
  <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
    <Chart title={t('Searches')} kind="bars" series={searches} summary={summary} />
    <Chart title={t('Requests')} kind="bars" series={requests} summary={summary}>
      <Reasons caption={t('Failed queries')} heading={t('Error')} reasons={summary.failures} />
    </Chart>
    <Chart title={t('Durations')} kind="lines" series={durations} summary={summary} />
    <Chart title={t('Refused requests')} kind="bars" series={refusals} summary={summary}>
      <Reasons
        caption={t('Refused requests by failed check')}
        heading={t('Check')}
        reasons={summary.refusals}
        labels={countedCheckLabels}
      />
    </Chart>
    <Chart title={t('Tokens')} kind="bars" series={tokens} summary={summary}>
      <Reasons caption={t('Rejected token requests')} heading={t('Error')} reasons={summary.tokenErrors} />
    </Chart>
    <Chart title={t('Imported documents')} kind="bars" series={imports} summary={summary} />
  </SimpleGrid>
)
