import { Button, Group, Paper, Progress, Stack, Text } from '@mantine/core'
import { formatCount } from '#ui/format-count.ts'
import type { RunningImport } from './use-import.ts'

/** Progress of an import: documents, rate, time left. */
export const ImportProgress = ({ underway, onCancel }: { underway: RunningImport; onCancel: () => void }) => {
  const { bytesTotal, bytesSent, serverProgress: told, isCancelled } = underway
  const percent = bytesTotal > 0 ? Math.floor((bytesSent / bytesTotal) * 100) : 100
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Progress value={percent} animated={percent === 100} aria-label="Uploaded" />
        <Group justify="space-between">
          <Stack gap={0}>
            <Text size="sm" role="status">
              {isCancelled
                ? 'Canceling: waiting for the number of imported documents'
                : describeStep(underway, percent)}
            </Text>
            {told && (
              <Text size="sm" aria-label="Progress">
                {describePace(told, bytesTotal)}
              </Text>
            )}
          </Stack>
          <Button size="compact-sm" variant="default" disabled={isCancelled} onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}

const describeStep = ({ bytesTotal, serverProgress: told }: RunningImport, percent: number): string => {
  if (percent < 100) return `${percent} % uploaded`
  return told && told.bytesRead < bytesTotal ? 'Uploaded; importing' : 'Uploaded; indexing'
}

/** Returns `12,000 documents done, 3,400 a second, 40 s left`, with the time estimated from the bytes that the server has read. */
const describePace = (
  { documents, bytesRead, afterMs }: NonNullable<RunningImport['serverProgress']>,
  bytesTotal: number,
): string => {
  const seconds = Math.max(afterMs, 1) / 1000
  const rate = Math.round(documents / seconds).toLocaleString('en')
  const timeLeft = bytesRead > 0 ? formatTime((seconds * (bytesTotal - bytesRead)) / bytesRead) : undefined
  return [`${formatCount(documents, 'document')} done`, `${rate} a second`, timeLeft && `${timeLeft} left`]
    .filter(Boolean)
    .join(', ')
}

const formatTime = (seconds: number): string => {
  const wholeSeconds = Math.ceil(seconds)
  if (wholeSeconds < 60) return `${wholeSeconds} s`
  const minutes = Math.floor(wholeSeconds / 60)
  return minutes < 60
    ? `${minutes} min ${wholeSeconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
