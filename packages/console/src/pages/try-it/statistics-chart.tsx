import { Group, Progress, Stack, Text, Title } from '@mantine/core'
import type { Statistics } from '@querent/contract/query'

/** How many results have at least each probability, as bars. */
export const StatisticsChart = ({ statistics: { total, stats } }: { statistics: Statistics }) => (
  <Stack gap={6}>
    <Title order={2} size="h5">
      Results by probability
    </Title>
    {stats.map(({ cutoff, numResults }) => (
      <Group key={cutoff} gap="xs" wrap="nowrap">
        <Text size="xs" w={48} c="dimmed">
          ≥ {cutoff}
        </Text>
        <Progress
          flex={1}
          value={(numResults / total) * 100}
          aria-label={`${numResults} results with a probability of at least ${cutoff}`}
        />
        <Text size="xs" w={60} ta="right">
          {numResults.toLocaleString('en')}
        </Text>
      </Group>
    ))}
  </Stack>
)
