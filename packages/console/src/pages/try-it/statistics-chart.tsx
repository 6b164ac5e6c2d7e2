import { Group, Progress, Stack, Text, Title } from '@mantine/core'
import type { Statistics } from '@querent/contract/query'
import { language, t, tCount } from '#i18n/translate.ts'

const percent = new Intl.NumberFormat(language, { style: 'percent' })

/** Whether bars of different lengths tell anything. */
export const hasDifferentRelevance = ({ total, stats }: Statistics): boolean =>
  stats.some(({ numResults }) => numResults < total)

/** How many results have at least each relevance, as bars. */
export const StatisticsChart = ({ statistics: { total, stats } }: { statistics: Statistics }) => (
  <Stack gap={6}>
    <Title order={2} size="h5">
      {t('Results by relevance')}
    </Title>
    {stats.map(({ cutoff, numResults }) => (
      <Group key={cutoff} gap="xs" wrap="nowrap">
        <Text size="xs" w={48} c="dimmed">
          ≥ {percent.format(Number(cutoff))}
        </Text>
        <Progress
          flex={1}
          value={(numResults / total) * 100}
          aria-label={tCount(
            numResults,
            '{count} result with a relevance of at least {cutoff}',
            '{count} results with a relevance of at least {cutoff}',
            { cutoff: percent.format(Number(cutoff)) },
          )}
        />
        <Text size="xs" w={60} ta="right">
          {numResults.toLocaleString(language)}
        </Text>
      </Group>
    ))}
  </Stack>
)
