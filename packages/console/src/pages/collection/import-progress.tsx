import { Button, Group, Paper, Progress, Stack, Text } from '@mantine/core'
import { counted } from '#ui/count.ts'
import type { Underway } from './use-import.ts'

/** How far an import is: documents, how fast, and for how long yet. */
export const ImportProgress = ({ underway, onCancel }: { underway: Underway; onCancel: () => void }) => {
  const { bytesTotal, bytesSent, told, isCancelled } = underway
  const percent = bytesTotal > 0 ? Math.floor((bytesSent / bytesTotal) * 100) : 100
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Progress value={percent} animated={percent === 100} aria-label="Sent" />
        <Group justify="space-between">
          <Stack gap={0}>
            <Text size="sm" role="status">
              {isCancelled ? 'Cancelled; asking what was imported' : stepOf(underway, percent)}
            </Text>
            {told && (
              <Text size="sm" aria-label="Progress">
                {paceOf(told, bytesTotal)}
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

const stepOf = ({ bytesTotal, told }: Underway, percent: number): string => {
  if (percent < 100) return `${percent} % sent`
  return told && told.bytesRead < bytesTotal ? 'Sent; being imported' : 'Sent; being made searchable'
}

/** `12,000 documents done, 3,400 a second, 40 s left`; the time by the bytes that the server has read. */
const paceOf = (
  { documents, bytesRead, afterMs }: NonNullable<Underway['told']>,
  bytesTotal: number,
): string => {
  const seconds = Math.max(afterMs, 1) / 1000
  const rate = Math.round(documents / seconds).toLocaleString('en')
  const left = bytesRead > 0 ? inTime((seconds * (bytesTotal - bytesRead)) / bytesRead) : undefined
  return [`${counted(documents, 'document')} done`, `${rate} a second`, left && `${left} left`]
    .filter(Boolean)
    .join(', ')
}

const inTime = (seconds: number): string => {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
