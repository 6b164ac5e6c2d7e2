import { Alert, List, Text } from '@mantine/core'
import type { ImportReply } from '@querent/contract/query'
import { counted } from '#ui/count.ts'
import type { Outcome } from './use-import.ts'

/** What came of an import. */
export const ImportOutcome = ({ outcome }: { outcome: Outcome }) =>
  outcome.kind === 'done' ? (
    <Done reply={outcome.reply} />
  ) : (
    <Alert color="yellow" role="status">
      {cancelledInWords(outcome)}
    </Alert>
  )

const cancelledInWords = ({ progress, options }: Outcome & { kind: 'cancelled' }): string => {
  if (!progress) return 'Cancelled. The server has not said what was imported: load the page again to see.'
  const imported = `${counted(progress.documents, 'document')} ${progress.documents === 1 ? 'was' : 'were'} imported`
  if (progress.state === 'complete')
    return `The import was complete before it could be cancelled: ${imported}.`
  if (progress.documents > 0) return `Cancelled, ${imported}.`
  return `Cancelled, no documents were imported${options.replace ? ': the collection is as it was' : ''}.`
}

const Done = ({ reply: { accepted, rejected, errors } }: { reply: ImportReply }) => (
  <Alert color={rejected > 0 ? 'yellow' : 'green'} role="status">
    <Text size="sm">
      {counted(accepted, 'document')} accepted
      {rejected > 0 && `, ${counted(rejected, 'line')} refused`}.
    </Text>
    {errors.length > 0 && (
      <List size="sm" mt="xs">
        {errors.map(({ line, message }) => (
          <List.Item key={`${line} ${message}`}>
            line {line}: {message}
          </List.Item>
        ))}
      </List>
    )}
  </Alert>
)
