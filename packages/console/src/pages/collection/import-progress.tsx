import { Button, Group, Paper, Progress, Stack, Text } from '@mantine/core'
import { t, tCount } from '#i18n/translate.ts'
import { estimatePace } from './import-pace.ts'
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

/** Returns `12,000 documents done, 3,400 a second, 40 s left`, as far as it is known. */
const describePace = (
  progress: NonNullable<RunningImport['serverProgress']>,
  bytesTotal: number | undefined,
): string => {
  const { documents } = progress
  const { documentsPerSecond, secondsLeft } = estimatePace(progress, bytesTotal)
  return [
    tCount(documents, '{count} document done', '{count} documents done'),
    documentsPerSecond !== undefined && t('{rate} a second', { rate: documentsPerSecond }),
    secondsLeft !== undefined && t('{time} left', { time: formatTime(secondsLeft) }),
  ]
    .filter(part => part !== false)
    .join(', ')
}

const formatTime = (seconds: number): string => {
  if (seconds < 60) return t('{seconds} s', { seconds })
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? t('{minutes} min {seconds} s', { minutes, seconds: seconds % 60 })
    : t('{hours} h {minutes} min', { hours: Math.floor(minutes / 60), minutes: minutes % 60 })
}
