import { Box, Button, Grid, Group, Loader, Pagination, Stack, Text } from '@mantine/core'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription, Results, Statistics } from '@querent/contract/query'
import { useState } from 'react'
import { formatCount } from '#ui/format-count.ts'
import { Facets } from './facets.tsx'
import { NoResults } from './no-results.tsx'
import { ResultList } from './result-list.tsx'
import { pageSize, type TryItSearch } from './search.ts'
import { StatisticsChart } from './statistics-chart.tsx'

/** The service's largest offset (query-service.md, options). */
const offsetMax = 10_000

interface SearchResultsProps {
  workspace: string
  api: string
  description: ApiDescription
  /** By field name. */
  fieldTitles: Readonly<Record<string, string>>
  stack: StackedEndpoint[]
  search: TryItSearch
  /** Undefined while it is on its way. */
  reply: [Results, Statistics] | undefined
  isFetching: boolean
  onChange: (stack: StackedEndpoint[]) => unknown
  onPage: (page: number) => unknown
}

/** Results, with facets and statistics beside them; on a phone these open by a button above. */
export const SearchResults = (props: SearchResultsProps) => {
  const { workspace, api, description, fieldTitles, stack, search, reply, isFetching, onChange, onPage } =
    props
  const [isOpen, setOpen] = useState(false)
  const [results, statistics] = reply ?? []
  const hasResults = statistics !== undefined && statistics.total > 0
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 4 }} order={{ base: 1, md: 2 }}>
        {hasResults && (
          <Button hiddenFrom="md" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Facets and statistics
          </Button>
        )}
        <Box {...(isOpen ? {} : { visibleFrom: 'md' })} mt={{ base: 'md', md: 0 }}>
          <Stack gap="xl">
            {/* A rejected query is sent only once. */}
            {results && (
              <Facets
                workspace={workspace}
                api={api}
                description={description}
                stack={stack}
                config={search.config}
                previewedMember={search.as}
                onChange={onChange}
              />
            )}
            {hasResults && <StatisticsChart statistics={statistics} />}
          </Stack>
        </Box>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 8 }} order={{ base: 2, md: 1 }}>
        <Stack gap="md">
          <Group gap="sm" role="status" mih={28}>
            {statistics && <Text fw={600}>{formatCount(statistics.total, 'result')}</Text>}
            {isFetching && <Loader size="xs" role="img" aria-label="Searching" />}
          </Group>
          {results?.relaxed && results.relaxed.length > 0 && (
            <Text size="sm">No document has all words. Without: {results.relaxed.join(', ')}</Text>
          )}
          {results && results.items.length > 0 && <ResultList results={results} fieldTitles={fieldTitles} />}
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
              getItemProps={page => ({ 'aria-label': `page ${page}` })}
              getControlProps={control => ({ 'aria-label': `${control} page` })}
            />
          )}
        </Stack>
      </Grid.Col>
    </Grid>
  )
}
