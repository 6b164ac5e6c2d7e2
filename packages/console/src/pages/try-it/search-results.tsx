import { Box, Button, Grid, Group, Loader, Pagination, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { ApiSummary } from '@querent/contract/manage'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'
import { useState } from 'react'
import { t, tCount } from '#i18n/translate.ts'
import type { Answer, ShownQuery } from './answer.ts'
import { Facets } from './facets.tsx'
import { NoResults } from './no-results.tsx'
import { RankedResults } from './ranked-results.tsx'
import { pageSize, type TryItSearch } from './search.ts'
import { isRanked } from './search-draft.ts'
import { hasDifferentRelevance, StatisticsChart } from './statistics-chart.tsx'

/** The service's largest offset (query-service.md, options). */
const offsetMax = 10_000

const controlLabels = {
  first: t('first page'),
  previous: t('previous page'),
  next: t('next page'),
  last: t('last page'),
} as const

interface SearchResultsProps extends ShownQuery {
  description: ApiDescription
  /** By field name. */
  fieldTitles: Readonly<Record<string, string>>
  /** How documents write dates and lists, by attribute or path. */
  fieldForms: ApiSummary['fieldForms']
  /** Attributes or paths that the results are sorted by. */
  sortAttributes: readonly string[]
  search: TryItSearch
  /** Undefined while it is on its way. */
  answer: Answer | undefined
  isFetching: boolean
  onChange: (stack: StackedEndpoint[]) => unknown
  onPage: (page: number) => unknown
  onView: (view: 'compact' | undefined) => unknown
}

/** Results, with facets and statistics beside them; on a phone these open by a button above. The Tab key reaches them in the order in which they are seen. */
export const SearchResults = (props: SearchResultsProps) => {
  const { workspace, description, stack, search, answer, isFetching, onChange, onPage } = props
  const [isOpen, setOpen] = useState(false)
  const isNarrow = useMediaQuery('(max-width: 61.99em)', false, { getInitialValueInEffect: false })
  const [results, statistics] = answer?.reply ?? []
  const ranked = isRanked(stack, description)
  const hasResults = statistics !== undefined && statistics.total > 0
  const facetColumn = (
    <Grid.Col key="facets" span={{ base: 12, md: 4 }}>
      {isNarrow && hasResults && (
        <Button variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t('Facets and statistics')}
        </Button>
      )}
      <Box hidden={isNarrow && !isOpen} mt={isNarrow ? 'md' : 0}>
        <Stack gap="xl">
          {/* A rejected query is sent only once. */}
          {results && <Facets {...props} />}
          {hasResults && ranked && hasDifferentRelevance(statistics) && (
            <StatisticsChart statistics={statistics} />
          )}
        </Stack>
      </Box>
    </Grid.Col>
  )
  const resultColumn = (
    <Grid.Col key="results" span={{ base: 12, md: 8 }}>
      <Stack gap="md">
        <Group justify="space-between" gap="xs" mih={28}>
          <Group gap="sm" role="status">
            {statistics && (
              <Text fw={600}>{tCount(statistics.total, '{count} result', '{count} results')}</Text>
            )}
            {isFetching && <Loader size="xs" role="img" aria-label={t('Searching')} />}
          </Group>
          {answer && <AnswerFacts {...answer} />}
        </Group>
        {results?.relaxed && results.relaxed.length > 0 && (
          <Text size="sm">
            {t('No document has all words. Without: {words}', { words: results.relaxed.join(', ') })}
          </Text>
        )}
        {results && results.items.length > 0 && <RankedResults {...props} results={results} />}
        {results?.items.length === 0 && (
          <NoResults
            workspace={workspace}
            description={description}
            stack={stack}
            didYouMean={results.didYouMean}
            onChange={onChange}
          />
        )}
        {statistics && statistics.total > pageSize && (
          <Pagination
            value={search.page ?? 1}
            total={Math.ceil(Math.min(statistics.total, offsetMax + pageSize) / pageSize)}
            onChange={onPage}
            getItemProps={page => ({ 'aria-label': t('page {page}', { page }) })}
            getControlProps={control => ({ 'aria-label': controlLabels[control] })}
          />
        )}
      </Stack>
    </Grid.Col>
  )
  return <Grid gap="lg">{isNarrow ? [facetColumn, resultColumn] : [resultColumn, facetColumn]}</Grid>
}

/** How long the answer took, and its request id, which logs and "Why was I refused?" have too. */
const AnswerFacts = ({ requestId, serverMs, totalMs }: Answer) => (
  <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
    {serverMs === undefined
      ? t('{total} ms', { total: Math.round(totalMs) })
      : t('{total} ms, of which server {server} ms', {
          total: Math.round(totalMs),
          server: serverMs,
        })}
    {requestId !== undefined && ` · ${t('request {id}', { id: requestId })}`}
  </Text>
)
