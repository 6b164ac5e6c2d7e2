/** The endpoints with their queries. */
import { Paper, Stack, Title } from '@mantine/core'
import type { UsageSummary } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'
import { DataTable } from '#ui/data-table.tsx'
import { TextLink } from '#ui/links.tsx'
import { emptyShare, formatMs, formatNumber, formatShare } from './formats.ts'
import type { UsageSearch } from './search.ts'

interface EndpointsProps {
  workspace: string
  search: UsageSearch
  endpoints: UsageSummary['endpoints']
}

export const Endpoints = ({ workspace, search, endpoints }: EndpointsProps) => {
  const caption = t('APIs and endpoints')
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Title order={2} size="h5">
          {caption}
        </Title>
        <DataTable
          caption={caption}
          rows={endpoints}
          rowKey={({ api, endpoint }) => `${api} ${endpoint}`}
          columns={[
            { heading: t('API'), cell: ({ api }) => api },
            {
              heading: t('Endpoint'),
              cell: ({ api, endpoint }) =>
                endpoint === '' ? (
                  t('unknown')
                ) : (
                  <TextLink
                    to="/w/$workspace/usage"
                    params={{ workspace }}
                    search={{ ...search, api, endpoint }}
                  >
                    {endpoint}
                  </TextLink>
                ),
            },
            { heading: t('Searches'), cell: ({ searches }) => formatNumber(searches) },
            { heading: t('Requests'), cell: ({ queries }) => formatNumber(queries) },
            { heading: t('Failed'), cell: ({ failed }) => formatNumber(failed) },
            { heading: t('Without results'), cell: figures => formatShare(emptyShare(figures)) },
            { heading: 'p50', cell: ({ p50Ms }) => formatMs(p50Ms) },
            { heading: 'p99', cell: ({ p99Ms }) => formatMs(p99Ms) },
          ]}
        />
      </Stack>
    </Paper>
  )
}
