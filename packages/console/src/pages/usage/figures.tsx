/** The totals of a period. The overview of a workspace shows them too. */
import { Paper, SimpleGrid, Text } from '@mantine/core'
import type { UsageSummary } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'
import { emptyShare, formatMs, formatNumber, formatShare } from './formats.ts'

export const UsageFigures = ({ total }: { total: UsageSummary['total'] }) => (
  <SimpleGrid component="dl" m={0} cols={{ base: 2, sm: 3, lg: 6 }} spacing="md">
    {[
      [t('Queries'), formatNumber(total.queries)],
      [t('Median duration'), formatMs(total.p50Ms)],
      [t('99th percentile'), formatMs(total.p99Ms)],
      [t('Without results'), formatShare(emptyShare(total))],
      [t('Refused'), formatNumber(total.refusals)],
      [t('Tokens'), formatNumber(total.tokens)],
    ].map(([label, value]) => (
      <Paper key={label} withBorder p="md">
        <Text component="dt" size="sm" c="dimmed">
          {label}
        </Text>
        <Text component="dd" m={0} size="xl" fw={650}>
          {value}
        </Text>
      </Paper>
    ))}
  </SimpleGrid>
)
