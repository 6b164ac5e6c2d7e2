import { Button, Group, Paper, Progress, Stack, Text } from '@mantine/core'
import { t, tCount } from '#i18n/translate.ts'
import type { RunningImport } from './use-import.ts'

/** Progress of an import: documents, rate, time left. */
export const ImportProgress = ({ underway, onCancel }: { underway: RunningImport; onCancel: () => void }) => {
  const { bytesTotal, bytesSent, serverProgress: told, isCancelled, isCompressed } = underway
  const percent = bytesTotal > 0 ? Math.floor((bytesSent / bytesTotal) * 100) : 100
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Progress value={percent} animated={percent === 100} aria-label={t('Uploaded')} />
        <Group justify="space-between">
          <Stack gap={0}>
            <Text size="sm" role="status">
              {isCancelled
                ? t('Canceling: waiting for the number of imported documents')
                : describeStep(underway, percent)}
            </Text>
            {told && (
              <Text size="sm" aria-label={t('Progress')}>
                {describePace(told, isCompressed ? undefined : bytesTotal)}
              </Text>
            )}
          </Stack>
          <Button size="compact-sm" variant="default" disabled={isCancelled} onClick={onCancel}>
            {t('Cancel')}
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}

const describeStep = (
  { bytesTotal, serverProgress: told, isCompressed }: RunningImport,
  percent: number,
): string => {
  if (percent < 100) return t('{percent} % uploaded', { percent })
  return told && !isCompressed && told.bytesRead < bytesTotal
    ? t('Uploaded; importing')
    : t('Uploaded; indexing')
}

/**
 * Returns `12,000 documents done, 3,400 a second, 40 s left`, with the time estimated from the bytes that the server has read. Without
 * `bytesTotal`, no time.
 */
const describePace = (
  { documents, bytesRead, afterMs }: NonNullable<RunningImport['serverProgress']>,
  bytesTotal: number | undefined,
): string => {
  const seconds = Math.max(afterMs, 1) / 1000
  const rate = t('{rate} a second', { rate: Math.round(documents / seconds) })
  const done = tCount(documents, '{count} document done', '{count} documents done')
  if (bytesTotal === undefined || bytesRead === 0) return [done, rate].join(', ')
  const time = formatTime((seconds * (bytesTotal - bytesRead)) / bytesRead)
  return [done, rate, t('{time} left', { time })].join(', ')
}

const formatTime = (seconds: number): string => {
  const wholeSeconds = Math.ceil(seconds)
  if (wholeSeconds < 60) return `${wholeSeconds} s`
  const minutes = Math.floor(wholeSeconds / 60)
  return minutes < 60
    ? `${minutes} min ${wholeSeconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
