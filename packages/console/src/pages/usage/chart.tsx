/** A chart over time, with the same figures as a table on demand. The library of charts is loaded after the page. */
import { Box, Button, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { UsageSummary } from '@querent/contract/manage'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { t } from '#i18n/translate.ts'
import { DataTable } from '#ui/data-table.tsx'
import { formatStart } from './formats.ts'
import { type ChartPoint, chartHeight, type Series } from './series.ts'

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }))

interface ChartProps<P extends ChartPoint> {
  title: string
  /** Bars are stacked. */
  kind: 'bars' | 'lines'
  series: readonly Series<P>[]
  summary: { points: readonly P[]; step: UsageSummary['step'] }
  children?: ReactNode
}

export const Chart = <P extends ChartPoint>({
  title,
  kind,
  series,
  summary: { points, step },
  children,
}: ChartProps<P>) => {
  const [isTableShown, setTableShown] = useState(false)
  const [pointed, setPointed] = useState<number>()
  const point = pointed === undefined ? undefined : points[pointed]
  // A line at 0 says something; bars of height 0 don't.
  const isEmpty = points.every(candidate =>
    series.every(({ value }) => (kind === 'lines' ? value(candidate) === null : !value(candidate))),
  )
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Title order={2} size="h5">
            {title}
          </Title>
          <Button
            variant="subtle"
            size="compact-sm"
            flex="none"
            aria-expanded={isTableShown}
            onClick={() => setTableShown(!isTableShown)}
            aria-label={
              isTableShown ? t('Hide table: {title}', { title }) : t('Show table: {title}', { title })
            }
          >
            {isTableShown ? t('Hide table') : t('Show table')}
          </Button>
        </Group>
        <Group gap="md">
          {series.map(({ label, color, value, format }) => (
            <Group key={label} gap={6} wrap="nowrap">
              <Box w={12} h={12} bdrs={3} bg={`light-dark(${color.light}, ${color.dark})`} />
              <Text size="sm" c="dimmed">
                {point ? `${label}: ${format(value(point))}` : label}
              </Text>
            </Group>
          ))}
          {point && (
            <Text size="sm" c="dimmed">
              {formatStart(step, point.start)}
            </Text>
          )}
        </Group>
        {isEmpty ? (
          <Group h={chartHeight} justify="center">
            <Text c="dimmed" size="sm">
              {t('Nothing in this period')}
            </Text>
          </Group>
        ) : (
          <Box role="img" aria-label={t('Chart: {title}. Its table has the figures.', { title })}>
            <Suspense fallback={<Skeleton h={chartHeight} />}>
              <Plot kind={kind} series={series} points={points} step={step} onPoint={setPointed} />
            </Suspense>
          </Box>
        )}
        {isTableShown && (
          <DataTable
            caption={title}
            rows={points}
            isCompact
            rowKey={({ start }) => start}
            columns={[
              {
                heading: step === 'hour' ? t('Hour') : t('Day (UTC)'),
                cell: ({ start }) => formatStart(step, start),
              },
              ...series.map(({ label, value, format }) => ({
                heading: label,
                cell: (row: P) => format(value(row)),
              })),
            ]}
          />
        )}
        {children}
      </Stack>
    </Paper>
  )
}
