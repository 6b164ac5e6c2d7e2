/** The usage of the last 24 hours, in short. */
import { Group, Skeleton, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { UsageFigures } from '#pages/usage/figures.tsx'
import { TextLink } from '#ui/links.tsx'

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
      {summary && <UsageFigures total={summary.total} />}
    </Stack>
  )
}
