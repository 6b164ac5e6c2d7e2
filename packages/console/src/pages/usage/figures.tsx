/** The totals of a period. The overview of a workspace shows them too. */
import { Paper, SimpleGrid, Text } from '@mantine/core'
import type { UsageSummary } from '@querent/contract/manage'
import { t, tCount } from '#i18n/translate.ts'
import { emptyShare, formatMs, formatNumber, formatShare } from './formats.ts'

type Figures = UsageSummary['total']

const formatCount = (value: number | null): string => formatNumber(value ?? 0)

interface UsageFiguresProps {
  total: UsageSummary['total']
  /** Figures of the period before, to compare. */
  previous?: UsageSummary['previous']
}

export const UsageFigures = ({ total, previous }: UsageFiguresProps) => (
  <SimpleGrid component="dl" m={0} cols={{ base: 2, sm: 3, lg: 6 }} spacing="md">
    {[
      {
        label: t('Searches'),
        read: (figures: Figures) => figures.searches,
        format: formatCount,
        note: tCount(total.queries, '{count} request', '{count} requests'),
      },
      { label: t('Median duration'), read: (figures: Figures) => figures.p50Ms, format: formatMs },
      { label: t('99th percentile'), read: (figures: Figures) => figures.p99Ms, format: formatMs },
      {
        label: t('Without results'),
        read: emptyShare,
        format: formatShare,
        note: tCount(total.emptySearches, '{count} search', '{count} searches'),
      },
      { label: t('Refused'), read: (figures: Figures) => figures.refusals, format: formatCount },
      { label: t('Tokens'), read: (figures: Figures) => figures.tokens, format: formatCount },
    ].map(({ label, read, format, note }) => (
      <Paper key={label} withBorder p="md">
        <Text component="dt" size="sm" c="dimmed">
          {label}
        </Text>
        <Text component="dd" m={0} size="xl" fw={650}>
          {format(read(total))}
        </Text>
        {note !== undefined && (
          <Text component="dd" m={0} size="xs" c="dimmed">
            {note}
          </Text>
        )}
        {previous && (
          <Text component="dd" m={0} size="xs" c="dimmed">
            {t('before: {value}', { value: format(read(previous)) })}
          </Text>
        )}
      </Paper>
    ))}
  </SimpleGrid>
)
