/** The usage of the last 24 hours in short: figures, a chart, and what needs a look. */
import { Group, List, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { UsageSummary } from '@querent/contract/manage'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { readOperation } from '#api/manage.ts'
import { t, tCount } from '#i18n/translate.ts'
import { Chart } from '#pages/usage/chart.tsx'
import { UsageFigures } from '#pages/usage/figures.tsx'
import { formatNumber } from '#pages/usage/formats.ts'
import type { Series } from '#pages/usage/series.ts'
import { TextLink } from '#ui/links.tsx'

const searches: Series[] = [
  {
    label: t('Searches'),
    color: { light: '#2b50c8', dark: '#8ca5f3' },
    format: value => formatNumber(value ?? 0),
    value: point => point.searches,
  },
]

export const UsageCard = ({ workspace }: { workspace: string }) => {
  const { data: summary, isPending } = useQuery(
    readOperation('summarizeUsage', { params: { workspace }, query: { period: '24h' } }),
  )
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t('Last 24 hours')}
        </Title>
        <TextLink to="/w/$workspace/usage" params={{ workspace }}>
          {t('Show usage')}
        </TextLink>
      </Group>
      {isPending && <Skeleton h={88} />}
      {summary && (
        <>
          <UsageFigures total={summary.total} previous={summary.previous} />
          <News workspace={workspace} total={summary.total} />
          {summary.total.queries > 0 && (
            <Chart title={t('Searches')} kind="bars" series={searches} summary={summary} />
          )}
        </>
      )}
    </Stack>
  )
}

interface NewsProps {
  workspace: string
  total: UsageSummary['total']
}

/** Numbers that somebody should look at, each with the page that explains it. */
const News = ({ workspace, total: { emptySearches, failed, refusals, rejected } }: NewsProps) => {
  const params = { workspace }
  const news: { key: string; link: ReactNode }[] = []
  if (emptySearches > 0)
    news.push({
      key: 'empty',
      // The same figure over the same hours. The list of requests holds the last 500 only.
      link: (
        <TextLink to="/w/$workspace/usage" params={params} search={{ period: '24h' }} hash="without-results">
          {tCount(emptySearches, '{count} search without results', '{count} searches without results')}
        </TextLink>
      ),
    })
  if (failed > 0)
    news.push({
      key: 'failed',
      link: (
        <TextLink to="/w/$workspace/requests" params={params} search={{ outcome: 'failed' }}>
          {tCount(failed, '{count} query failed', '{count} queries failed')}
        </TextLink>
      ),
    })
  if (refusals > 0)
    news.push({
      key: 'refusals',
      link: (
        <TextLink to="/w/$workspace/refused" params={params}>
          {tCount(refusals, '{count} request was refused', '{count} requests were refused')}
        </TextLink>
      ),
    })
  if (rejected > 0)
    news.push({
      key: 'rejected',
      link: (
        <TextLink to="/w/$workspace/data" params={params}>
          {tCount(rejected, 'Imports rejected {count} document', 'Imports rejected {count} documents')}
        </TextLink>
      ),
    })
  if (news.length === 0) return null
  return (
    <Paper withBorder p="md">
      <Text fw={600} size="sm" mb={4}>
        {t('Worth a look')}
      </Text>
      <List size="sm">
        {news.map(({ key, link }) => (
          <List.Item key={key}>{link}</List.Item>
        ))}
      </List>
    </Paper>
  )
}
