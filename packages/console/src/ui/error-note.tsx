import { Alert, List, Text } from '@mantine/core'
import { ApiError, UnreachableError } from '@querent/client'

/** What went wrong, in the words of the server, and the id that "Why was I refused?" takes. */
export const ErrorNote = ({ error }: { error: unknown }) => (
  <Alert color="red" variant="light" role="alert" title={titleOf(error)}>
    <Text size="sm">{error instanceof Error ? error.message : String(error)}</Text>
    {error instanceof ApiError && error.errors.length > 0 && (
      <List size="sm" mt="xs">
        {error.errors.map(({ message, path }) => (
          <List.Item key={`${path} ${message}`}>{path ? `${path}: ${message}` : message}</List.Item>
        ))}
      </List>
    )}
    {error instanceof ApiError && error.requestId && (
      <Text size="xs" mt="xs" c="dimmed">
        Request id {error.requestId}
      </Text>
    )}
  </Alert>
)

const titleOf = (error: unknown): string => {
  if (error instanceof UnreachableError) return 'The server does not answer'
  if (!(error instanceof ApiError)) return 'This did not work'
  if (error.status === 403) return 'You may not do this'
  return error.status === 404 ? 'There is no such thing' : 'This did not work'
}
